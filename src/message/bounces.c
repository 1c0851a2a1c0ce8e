/* SPDX-License-Identifier: Apache-2.0 */
#include "bounces.h"

/* What a mail system says stands at the beginning; what follows is the mail that came back. */
#define SAYS_MAX 4096

/* clang-format off */
/* Delays come first: what is delayed says what has not happened, too. Only ASCII letters are compared
 * without case, so a first letter that is none is left out. */
static const struct {
    const char *action;
    const char *says;
} words[] = {
    {"delayed", "(delay)"},
    {"delayed", "delayed mail"},
    {"delayed", "delivery delayed"},
    {"delayed", "delivery is delayed"},
    {"delayed", "message delayed"},
    {"delayed", "message is delayed"},
    {"delayed", "warning: could not send message"},
    {"delayed", "warning: message"},
    {"delayed", "this is a warning message only"},
    {"delayed", "you do not need to resend"},
    {"delayed", "has not yet been delivered"},
    {"delayed", "not been delivered yet"},
    {"delayed", "delivery attempts will continue"},
    {"delayed", "will be retried"},
    {"delayed", "will continue to try"},
    {"delayed", "will keep trying"},
    {"delayed", "will retry for"},
    {"delayed", "still being retried"},
    {"delayed", "still trying to deliver"},
    {"delayed", "wird weiterhin versucht"},
    {"delayed", "wird weiter versucht"},
    {"delayed", "noch nicht zugestellt"},
    {"delayed", "zustellung verzögert"},
    {"delayed", "verzögert:"},
    {"delayed", "remise retardée"},
    {"delayed", "retardé:"},
    {"delayed", "retrasado:"},
    {"delayed", "entrega retrasada"},
    {"delayed", "consegna ritardata"},
    {"delayed", "vertraagd:"},
    {"delayed", "försenat:"},
    {"failed",  "(failure)"},
    {"failed",  "mail delivery failed"},
    {"failed",  "delivery failed"},
    {"failed",  "delivery has failed"},
    {"failed",  "delivery failure"},
    {"failed",  "delivery to the following recipient"},
    {"failed",  "failure notice"},
    {"failed",  "undelivered mail returned"},
    {"failed",  "undeliverable"},
    {"failed",  "undelivered:"},
    {"failed",  "returned mail"},
    {"failed",  "mail returned"},
    {"failed",  "qmail-send program"},
    {"failed",  "permanent fatal errors"},
    {"failed",  "permanent error"},
    {"failed",  "could not be delivered"},
    {"failed",  "could not deliver"},
    {"failed",  "couldn't be delivered"},
    {"failed",  "can't be delivered"},
    {"failed",  "cannot be delivered"},
    {"failed",  "was not delivered"},
    {"failed",  "wasn't delivered"},
    {"failed",  "not been delivered"},
    {"failed",  "unable to deliver"},
    {"failed",  "able to deliver your message to"},
    {"failed",  "did not reach the following recipient"},
    {"failed",  "address not found"},
    {"failed",  "user unknown"},
    {"failed",  "unknown user"},
    {"failed",  "no such user"},
    {"failed",  "mailbox unavailable"},
    {"failed",  "not listed in"},
    {"failed",  "unzustellbar"},
    {"failed",  "nicht zustellbar"},
    {"failed",  "nicht zugestellt"},
    {"failed",  "konnte nicht übermittelt werden"},
    {"failed",  "non remis"},
    {"failed",  "non distribué"},
    {"failed",  "chec de la remise"},
    {"failed",  "chec de remise"},
    {"failed",  "pu être remis"},
    {"failed",  "no se puede entregar"},
    {"failed",  "no se pudo entregar"},
    {"failed",  "no se ha podido entregar"},
    {"failed",  "no entregado"},
    {"failed",  "não foi possível entregar"},
    {"failed",  "não entregue"},
    {"failed",  "non recapitabile"},
    {"failed",  "mancato recapito"},
    {"failed",  "impossibile recapitare"},
    {"failed",  "onbestelbaar"},
    {"failed",  "niet worden bezorgd"},
    {"failed",  "inte levereras"},
    {"failed",  "olevererbart"},
    {"failed",  "ikke leveres"},
    {"failed",  "kan ikke sendes"},
    {"failed",  "toimitus epäonnistui"},
    {"failed",  "ei voitu toimittaa"},
    {"failed",  "nie można dostarczyć"},
    {"failed",  "niedostarcz"},
    {"failed",  "nedoručiteln"},
    {"failed",  "kézbesíthetetlen"},
    {"failed",  "teslim edilemedi"},
    {"failed",  "едоставлен"},
    {"failed",  "е удалось доставить"},
    {"failed",  "е доставлено"},
    {"failed",  "无法送达"},
    {"failed",  "无法投递"},
    {"failed",  "退信"},
    {"failed",  "無法傳遞"},
    {"failed",  "配信できません"},
    {"failed",  "配信不能"},
    {"failed",  "배달되지 않음"},
};
/* clang-format on */

const char *bounce_action(struct slice subject, struct slice text)
{
    CLEANUP(str_clear) struct str says = STR_INIT;

    str_add(&says, subject);
    str_addc(&says, '\n');
    str_add(&says, slice_cut(text, 0, SAYS_MAX));
    for (size_t i = 0; i < says.len; i++) /* a text is wrapped anywhere */
        if (says.at[i] == '\n')
            says.at[i] = ' ';
    for (size_t i = 0; i < LENGTH(words); i++)
        if (slice_has_nocase(str_slice(&says), slice_z(words[i].says)))
            return words[i].action;
    return NULL;
}
