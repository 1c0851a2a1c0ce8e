/* SPDX-License-Identifier: Apache-2.0
 *
 * verify - prints every disagreement, and says which of them somebody has explained.
 */
#include "cli_p.h"

#include <inttypes.h>

/* clang-format off */
static const struct sheet_column columns[] = {
    { "disagreement", "DISAGREEMENT", NULL, SHEET_TEXT },
    { "explained",    "EXPLAINED",    NULL, SHEET_TEXT },
};
/* clang-format on */

struct verifying {
    const struct call *call;
    struct sheet *sheet;
    const char *by, *why; /* with --explain */
    int64_t found, unexplained;
    struct err err; /* what went wrong while it was explained */
};

static enum rc explained(struct verifying *v, const char *what, bool *out, struct err *err)
{
    const struct ledger *l = v->call->ops->ledger;
    struct digest digest = sha256_of(slice_z(what));
    struct instant now = {.wall_ms = v->call->now_ms};
    char hex[DIGEST_HEX_SIZE];
    digest_hex(&digest, hex);
    TRY(l->operators->explained(l->self, hex, out, err));
    if (*out || !v->why)
        return RC_OK;
    TRY(l->operators->explain(l->self, hex, v->by, v->why, now, err));
    *out = true;
    return RC_OK;
}

static void tell(void *ctx, const char *what)
{
    struct verifying *v = ctx;
    bool known = false;
    struct err err = ERR_INIT;
    if (explained(v, what, &known, &err) != RC_OK)
        v->err = err;
    v->found++;
    v->unexplained += !known;
    const char *cell[] = {what, known ? "yes" : "no"};
    sheet_row(v->sheet, cell);
    if (v->call->json)
        return;
    CLEANUP(str_clear) struct str plain = STR_INIT;
    plain_text(what, &plain);
    printf("%s%s\n", str_z(&plain), known ? " (explained)" : "");
    fflush(stdout);
}

static int conclude(const struct verifying *v, const struct verified *r)
{
    if (v->call->json)
        sheet_print(v->sheet, SHEET_JSON, v->call->now_ms, 0, stdout);
    else
        printf("%" PRId64 " files and %" PRId64 " messages in inboxes looked at: %" PRId64
               " disagreements, %" PRId64 " unexplained. Nothing was changed.\n",
               r->files, r->messages, v->found, v->unexplained);
    if (v->err.rc != RC_OK)
        return failed(&v->err);
    return v->unexplained == 0 ? EXIT_DONE : EXIT_NO;
}

int cmd_verify(struct call *call)
{
    CLEANUP(str_clear) struct str by = STR_INIT;
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Disagreements", columns, LENGTH(columns));
    struct verifying v = {
        .call = call, .sheet = sheet, .why = args_get(&call->args, "--explain"), .err = ERR_INIT};
    struct verified r = {.files = 0};
    struct err err = ERR_INIT;
    if (v.why && decider_of(call, v.why, &by, &err) != RC_OK)
        return failed(&err);
    v.by = str_z(&by);
    if (call->ops->verify(call->ops->self, tell, &v, &r, &err) != RC_OK)
        return failed(&err);
    return conclude(&v, &r);
}
