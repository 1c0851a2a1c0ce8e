/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"
#include "body.h"
#include "charset.h"
#include "facts.h"
#include "html.h"
#include "prescan.h"
#include "reports.h"

/* How much more than a header may be read to find its end: what stands before one is skipped. */
#define HEAD_SLACK 65536

void parse_prepare(void)
{
    struct digest unused = sha256_of(SLICE("")); /* the crypto library finds its algorithms */

    (void)unused;
    tree_prepare();
    charset_prepare();
    html_prepare();
}

static void read_head(struct octets *octets, const struct reader_limits *limits, struct str *head)
{
    int64_t most = limits->header_octets + HEAD_SLACK;
    size_t room = (size_t)(octets->size < most ? octets->size : most);
    CLEANUP(mem_free) char *into = mem_new(room, 1);

    str_add(head, (struct slice){into, octets_read(octets, 0, into, room)});
}

/* The body of a mail whose octets have no header at all is all of it. */
static int64_t body_of(const struct fields *fields)
{
    return fields->count > 0 ? (int64_t)fields->body : 0;
}

struct parsing {
    struct str head;
    struct fields fields;
    struct tree tree;
    struct body body;
};

static void parsing_clear(struct parsing *p)
{
    body_clear(&p->body);
    tree_clear(&p->tree);
    fields_clear(&p->fields);
    str_clear(&p->head);
}

enum rc parse_message(struct octets *octets,
                      const struct reader_limits *limits,
                      const struct spool *spool,
                      struct message *out,
                      struct err *err)
{
    CLEANUP(parsing_clear) struct parsing p = {.head = STR_INIT};

    message_clear(out);
    TRY(prescan(octets, limits, err));
    read_head(octets, limits, &p.head);
    fields_read(str_slice(&p.head), &p.fields);
    facts_read(str_slice(&p.head), &p.fields, limits, out);
    tree_read(octets, &p.fields, body_of(&p.fields), limits, &p.tree);
    p.body.suspect = facts_suspect_report(out);
    TRY(body_read(&p.tree, limits, spool, &p.body, out, err));
    reports_read(&p.body, out);
    if (p.tree.incomplete || p.fields.mended || p.fields.count == 0)
        out->signs |= SIGN_INCOMPLETE;
    if (octets->failed)
        return FAIL(err, RC_BROKEN, "reader: the original cannot be read");
    return RC_OK;
}
