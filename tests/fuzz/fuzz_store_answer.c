/* SPDX-License-Identifier: Apache-2.0 */
/* links: objects */
#include "fuzzing.h"

#include "answer.h"

#include <string.h>

static enum rc each(void *ctx, const struct s3_said *said, struct err *err)
{
    size_t *rows = ctx;

    (void)err;
    ++*rows;
    assert(said->key.len <= 2048 && said->upload_id.len <= 2048);
    assert(said->root.len > 0);
    return RC_OK;
}

/* Whatever an object store says: texts of bounded length, rows no more than there are elements. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(s3_said_clear) struct s3_said said = {.root = STR_INIT};
    size_t rows = 0;
    enum rc rc = s3_answer_read(input_of(data, size), "Contents", each, &rows, &said, NULL);

    assert(rc == RC_OK || rc == RC_BROKEN);
    assert(rows <= size / sizeof "<Contents/>" + 1);
    assert(said.code.len <= 2048 && said.token.len <= 2048 && said.root.len < 64);
    return 0;
}
