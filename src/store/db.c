/* SPDX-License-Identifier: Apache-2.0 */
#include "db.h"

#include <string.h>

enum rc stmt_one(struct stmt *s, const char *what, struct err *err)
{
    int64_t changed = 0;

    TRY(stmt_run(s, &changed, err));
    return changed == 1 ? RC_OK : FAIL(err, RC_CONFLICT, "ledger: %s was changed by another", what);
}

void stmt_when(struct stmt *s, int at, int64_t at_ms)
{
    if (at_ms == NOT_DUE)
        stmt_null(s, at);
    else
        stmt_int(s, at, at_ms);
}

int64_t col_when(struct stmt *s, const char *name)
{
    return col_null(s, name) ? NOT_DUE : col_int(s, name);
}

enum rc col_copy(struct stmt *s, const char *name, char *out, size_t size, struct err *err)
{
    struct slice text = col_slice(s, name);

    if (text.len >= size)
        return FAIL(err, RC_BROKEN, "ledger: %s is longer than it can be", name);
    memcpy(out, text.at, text.len);
    out[text.len] = '\0';
    return RC_OK;
}
