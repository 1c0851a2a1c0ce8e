/* SPDX-License-Identifier: Apache-2.0
 *
 * message_sample - a message for tests, with something in every field.
 */
#pragma once

#include <onecase/message.h>
#include <testing.h>

#include <string.h>

#define assert_text(m, span, text) assert_true(slice_eqz(message_slice((m), (span)), (text)))

static inline void add_part(struct message *m,
                            enum part_role role,
                            const char *type,
                            const char *name,
                            const char *file,
                            const char *octets)
{
    struct span typed = message_keep(m, slice_z(type));
    struct span named = message_keep(m, slice_z(name));
    struct span filed = message_keep(m, slice_z(file));
    struct message_part *part = message_add_part(m);

    part->role = role;
    part->type = typed;
    part->name = named;
    part->file = filed;
    part->size = (int64_t)strlen(octets);
    part->sha256 = sha256_of(slice_z(octets));
}

static inline void fill(struct message *m)
{
    m->from = message_keep(m, SLICE("ann.lee@example.com"));
    m->from_name = message_keep(m, SLICE("Ann Lée"));
    message_list_add(m, &m->reply_to, SLICE("ann@home.example.net"));
    message_list_add(m, &m->to, SLICE("help@example.org"));
    message_list_add(m, &m->to, SLICE("bo.ek@example.net"));
    message_list_add(m, &m->cc, SLICE("\"eve tan\"@example.com"));
    m->subject = message_keep(m, SLICE("Re: [team] Printer  jammed"));
    m->text = message_keep(m, SLICE("The printer\nhas jammed.\n"));
    m->message_id = message_keep(m, SLICE("<gr\xFC\xDF\0e@example.com>"));
    message_list_add(m, &m->in_reply_to, SLICE("<a1@example.org>"));
    message_list_add(m, &m->references, SLICE("<a0@example.org>"));
    message_list_add(m, &m->references, SLICE("<\xFF@example.org>"));
    m->list_id = message_keep(m, SLICE("team.example.com"));
    m->acknowledgement = message_keep(m, SLICE("774d8f658b08c37c5fde12b05e706e88"));
    m->proof = message_keep(m, SLICE("d20ebc3864d18d615f6c2651aa9825fb"));
    message_list_add(m, &m->reported, SLICE("<ack.1@example.org>"));
    m->report_action = message_keep(m, SLICE("failed"));
    m->has_date = true;
    m->date_ms = INT64_C(1772414100000);
    m->signs = SIGN_LIST_HEADER | SIGN_INCOMPLETE;
    add_part(m, PART_TEXT, "text/plain", "", "tmp/r1.0", "The printer\nhas jammed.\n");
    add_part(m, PART_ATTACHMENT, "application/pdf", "Bericht ä.pdf", "tmp/r1.1", "%PDF-1.4");
    add_part(m, PART_ATTACHMENT, "image/png", "", "r1-2_x", "");
}
