/* SPDX-License-Identifier: Apache-2.0 */
/* links: message core */
#include "fuzzing.h"
#include "parse.h"

#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <string.h>

/* Any octets are a mail. What comes of them is consistent, crosses to the parent unharmed, and is
 * the same when they are read again. */

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    __lsan_disable(); /* GMime loses what it had registered before us, once */
    parse_prepare();
    __lsan_enable();
    return 0;
}

static enum rc begin(void *self, enum part_role role, struct str *file, struct err *err)
{
    size_t *files = self;

    (void)role;
    (void)err;
    str_addf(file, "tmp/part-%zu", (*files)++);
    return RC_OK;
}

static enum rc add(void *self, struct slice octets, struct err *err)
{
    (void)self, (void)octets, (void)err;
    return RC_OK;
}

static enum rc end(void *self, struct err *err)
{
    (void)self, (void)err;
    return RC_OK;
}

static enum rc read_flat(struct slice mail, struct str *flat)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct octets octets = octets_of_memory(mail);
    struct reader_limits limits = reader_limits_default;
    struct err err = ERR_INIT;
    size_t files = 0;
    const struct spool spool = {&files, begin, add, end};

    limits.text_octets = 4096; /* so that cutting happens too */
    limits.name_octets = 60;

    enum rc rc = parse_message(&octets, &limits, &spool, &m, &err);

    assert(rc == RC_OK || rc == RC_REFUSED);
    if (rc != RC_OK)
        return rc;
    assert(files == m.part_count && files > 0);
    message_write(&m, flat);
    return RC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(str_clear) struct str once = STR_INIT;
    CLEANUP(str_clear) struct str twice = STR_INIT;
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct slice mail = input_of(data, size);
    struct err err = ERR_INIT;

    if (read_flat(mail, &once) != RC_OK)
        return 0;
    if (message_read(str_slice(&once), &m, &err) != RC_OK)
        abort();
    if (read_flat(mail, &twice) != RC_OK || !slice_eq(str_slice(&once), str_slice(&twice)))
        abort();
    return 0;
}
