/* SPDX-License-Identifier: Apache-2.0 */
/* links: config core */
#include "fuzzing.h"

#include "reading.h"

/* Of a configuration that passed, everything that later code takes for granted. */
static void assert_sound(const struct config *c)
{
    assert(c->data_dir[0] == '/' && c->mailboxes.count > 0);
    for (size_t i = 0; i < c->mailboxes.count; i++) {
        const struct config_mailbox *m = &c->mailboxes.at[i];
        struct policy policy;

        assert(name_valid(slice_z(m->id)) && m->imap.host[0] != '\0' && m->imap.port > 0);
        assert(m->imap.method != CONFIG_NO_SIGN_IN && m->imap.username[0] != '\0');
        assert(!m->acknowledgement.enabled || m->acknowledgement.from_address[0] != '\0');
        config_policy(c, m, &policy);
        assert(policy.folder_duplicates[0] != '\0');
        assert(config_find_mailbox(c, m->id) == m);
    }
}

/* One line a problem, and none of them holds more of the file than a line. */
static void assert_lines(struct slice text)
{
    struct slice line;

    while (slice_next(&text, '\n', &line))
        assert(slice_starts_nocase(line, SLICE("/etc/x.yaml:")) && line.len < 1200);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(problems_clear) struct problems problems = {NULL, 0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(config_free)
    struct config *config = reading_config("/etc/x.yaml", input_of(data, size), "", &problems);

    assert((config == NULL) == (problems.count > 0));
    problems_print(&problems, "/etc/x.yaml", &text);
    assert_lines(str_slice(&text));
    if (config != NULL)
        assert_sound(config);
    return 0;
}
