/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/effect.h>

/* What can be done again without harm because the other side can be asked, or compares. */
#define ASKABLE                                                                                    \
    (KIND(EFFECT_CASE) | KIND(EFFECT_ATTACHMENT) | KIND(EFFECT_MOVE) | KIND(EFFECT_WEBHOOK))
#define ACK   KIND(EFFECT_ACKNOWLEDGEMENT)
#define CASE  KIND(EFFECT_CASE)
#define MOVE  KIND(EFFECT_MOVE)
#define FILE  KIND(EFFECT_ATTACHMENT)
#define SENT  (CASE | FILE)
#define ASKED (ACK | CASE | FILE)

/* clang-format off */
const struct effect_transition effect_transitions[] = {
/*    kinds     from               on                to                 by           because */
    { KIND_ANY, EFFECT_PLANNED,    ON_ARM,           EFFECT_ATTEMPTING, BY_SERVICE,  "the intent is durable before the act" },
    { KIND_ANY, EFFECT_DEFERRED,   ON_ARM,           EFFECT_ATTEMPTING, BY_SERVICE,  "its time has come again" },
    { KIND_ANY, EFFECT_PLANNED,    ON_DEFER,         EFFECT_DEFERRED,   BY_PEER,     "it failed before anything could have happened" },
    { KIND_ANY, EFFECT_DEFERRED,   ON_DEFER,         EFFECT_DEFERRED,   BY_PEER,     "it failed again before anything could have happened" },
    { KIND_ANY, EFFECT_PLANNED,    ON_REFUSE,        EFFECT_REFUSED,    BY_PEER,     "refused for good before anything could have happened" },
    { KIND_ANY, EFFECT_DEFERRED,   ON_REFUSE,        EFFECT_REFUSED,    BY_PEER,     "refused for good before anything could have happened" },
    { KIND_ANY, EFFECT_PLANNED,    ON_SKIP,          EFFECT_SKIPPED,    BY_SERVICE,  "a rule says that it shall not happen" },
    { KIND_ANY, EFFECT_DEFERRED,   ON_SKIP,          EFFECT_SKIPPED,    BY_SERVICE,  "a rule says that it shall not happen any more" },
    { KIND_ANY, EFFECT_ATTEMPTING, ON_DONE,          EFFECT_DONE,       BY_PEER,     "the other side confirmed it" },
    { KIND_ANY, EFFECT_ATTEMPTING, ON_DEFER,         EFFECT_DEFERRED,   BY_PEER,     "a complete answer says: not now" },
    { KIND_ANY, EFFECT_ATTEMPTING, ON_REFUSE,        EFFECT_REFUSED,    BY_PEER,     "a complete answer says: never" },
    { KIND_ANY, EFFECT_ATTEMPTING, ON_LOSE,          EFFECT_UNKNOWN,    BY_SERVICE,  "no complete answer, or whoever armed it is gone" },
    { ACK,      EFFECT_PLANNED,    ON_LOSE,          EFFECT_UNKNOWN,    BY_SERVICE,  "the ledger may have gone back in time: it may have been sent" },
    { ACK,      EFFECT_DEFERRED,   ON_LOSE,          EFFECT_UNKNOWN,    BY_SERVICE,  "the ledger may have gone back in time: it may have been sent" },
    { KIND_ANY, EFFECT_UNKNOWN,    ON_EVIDENCE,      EFFECT_DONE,       BY_EVIDENCE, "a read-back shows that it happened" },
    { ACK,      EFFECT_PLANNED,    ON_EVIDENCE,      EFFECT_DONE,       BY_EVIDENCE, "an earlier try got through: it is not sent again" },
    { ACK,      EFFECT_DEFERRED,   ON_EVIDENCE,      EFFECT_DONE,       BY_EVIDENCE, "an earlier try got through: it is not sent again" },
    { ACK,      EFFECT_ATTEMPTING, ON_EVIDENCE,      EFFECT_DONE,       BY_EVIDENCE, "it arrived before the answer did; a late answer is only noted" },
    { ACK,      EFFECT_REFUSED,    ON_EVIDENCE,      EFFECT_DONE,       BY_EVIDENCE, "an earlier try got through: its sender was told" },
    { ACK,      EFFECT_SKIPPED,    ON_EVIDENCE,      EFFECT_DONE,       BY_EVIDENCE, "an earlier try got through: its sender was told" },
    { ASKABLE,  EFFECT_UNKNOWN,    ON_ABSENCE,       EFFECT_DEFERRED,   BY_EVIDENCE, "a read-back proves that it did not happen" },
    { ASKED,    EFFECT_UNKNOWN,    ON_SAID_DONE,     EFFECT_DONE,       BY_PERSON,   "found by a person" },
    { ASKED,    EFFECT_UNKNOWN,    ON_SAID_NOT_DONE, EFFECT_DEFERRED,   BY_PERSON,   "once more; a second one is the lesser harm" },
    { SENT,     EFFECT_REFUSED,    ON_SAID_DONE,     EFFECT_DONE,       BY_PERSON,   "made by hand, or found by a person" },
    { SENT,     EFFECT_DEFERRED,   ON_SAID_DONE,     EFFECT_DONE,       BY_PERSON,   "made by hand, or found by a person" },
    { ACK,      EFFECT_UNKNOWN,    ON_SAID_NONE,     EFFECT_SKIPPED,    BY_PERSON,   "the sender shall get none" },
    { ACK,      EFFECT_PLANNED,    ON_SAID_NONE,     EFFECT_SKIPPED,    BY_PERSON,   "the sender shall get none" },
    { ACK,      EFFECT_DEFERRED,   ON_SAID_NONE,     EFFECT_SKIPPED,    BY_PERSON,   "the sender shall get none" },
    { ACK,      EFFECT_REFUSED,    ON_SAID_NONE,     EFFECT_SKIPPED,    BY_PERSON,   "seen by a person: the sender shall get none" },
    { CASE,     EFFECT_REFUSED,    ON_SAID_NONE,     EFFECT_SKIPPED,    BY_PERSON,   "none is made there; all else goes on" },
    { CASE,     EFFECT_DEFERRED,   ON_SAID_NONE,     EFFECT_SKIPPED,    BY_PERSON,   "none is made there; all else goes on" },
    { ACK,      EFFECT_SKIPPED,    ON_DIRECT_COPY,   EFFECT_PLANNED,    BY_SERVICE,  "a direct copy follows the list's; once" },
    { ACK,      EFFECT_REFUSED,    ON_EVERYBODY,     EFFECT_DEFERRED,   BY_PEER,     "the server refused everybody: it is the server's" },
    { ACK,      EFFECT_DEFERRED,   ON_EVERYBODY,     EFFECT_DEFERRED,   BY_PEER,     "the server refused everybody: it is due again, without a person" },
    { KIND_ANY, EFFECT_REFUSED,    ON_RESEND,        EFFECT_PLANNED,    BY_PERSON,   "although it was refused" },
    { ACK|MOVE, EFFECT_SKIPPED,    ON_RESEND,        EFFECT_PLANNED,    BY_PERSON,   "although it was skipped" },
    { KIND_ANY, EFFECT_DEFERRED,   ON_RESEND,        EFFECT_PLANNED,    BY_PERSON,   "although it was given up" },
    { ASKED,    EFFECT_DONE,       ON_UNDO,          EFFECT_UNKNOWN,    BY_PERSON,   "the decision was wrong; nothing has left since" },
    { ACK,      EFFECT_SKIPPED,    ON_UNDO,          EFFECT_UNKNOWN,    BY_PERSON,   "the decision was wrong; nothing has left since" },
    { ASKED,    EFFECT_DEFERRED,   ON_UNDO,          EFFECT_UNKNOWN,    BY_PERSON,   "the decision was wrong; nothing has left since" },
    { MOVE,     EFFECT_PLANNED,    ON_UNDO,          EFFECT_SKIPPED,    BY_PERSON,   "what planned it is taken back; nothing has left since" },
};
/* clang-format on */
const size_t effect_transition_count = LENGTH(effect_transitions);

WORDS(kind_words, EFFECT_KIND_LIST);
WORDS(status_words, EFFECT_STATUS_LIST);
WORDS(event_words, EFFECT_EVENT_LIST);
WORDS(actor_words, ACTOR_LIST);
DEFINE_TEXT(effect_kind_text, effect_kind, kind_words)
DEFINE_TEXT(effect_status_text, effect_status, status_words)
DEFINE_TEXT(effect_event_text, effect_event, event_words)
DEFINE_TEXT(actor_text, actor, actor_words)
DEFINE_PARSE(effect_kind_parse, effect_kind, kind_words)
DEFINE_PARSE(effect_status_parse, effect_status, status_words)

const struct effect_transition *
effect_find(enum effect_kind kind, enum effect_status from, enum effect_event on)
{
    for (size_t i = 0; i < effect_transition_count; i++) {
        const struct effect_transition *t = &effect_transitions[i];
        if ((t->kinds & KIND(kind)) && t->from == from && t->on == on)
            return t;
    }
    return NULL;
}

enum rc effect_step(enum effect_kind kind,
                    enum effect_status from,
                    enum effect_event on,
                    enum effect_status *out,
                    struct err *err)
{
    const struct effect_transition *t = effect_find(kind, from, on);
    if (!t)
        return FAIL(err, RC_CONFLICT, "effect: no %s that is %s can be moved by %s",
                    effect_kind_text(kind), effect_status_text(from), effect_event_text(on));
    *out = t->to;
    return RC_OK;
}

bool effect_settled(enum effect_status status)
{
    return status == EFFECT_DONE || status == EFFECT_SKIPPED || status == EFFECT_REFUSED;
}
