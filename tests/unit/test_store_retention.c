/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_testing.h"

static enum rc let_go(struct store *store, unsigned contents, struct err *err)
{
    const struct letting_go what = {.key = KEY_A, .contents = contents};
    struct ledger l = store_ledger(store);

    return l.keeping->let_go(l.self, &what, at_ms(1), err);
}

static struct store *with_item(const char *more)
{
    struct store *store = store_with_run();

    item_by_hand(store);
    by_hand(store, "UPDATE item SET state = 'complete', completed_at = 1, next_due = NULL");
    by_hand(store, more);
    return store;
}

static const struct {
    const char *name, *sql, *says;
} kept[] = {
    {"it came back to work", "UPDATE item SET state = 'in_progress', next_due = 1", "not complete"},
    {"it waits for a person", "UPDATE item SET state = 'needs_reconciliation', reason = 'gave-up'",
     "not complete"},
    {"it is held", "INSERT INTO hold (key, person, held_at) VALUES ('" KEY_A "', 'ann', 1)",
     "held"},
    {"another mail of its case is not done",
     "INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, state,"
     " octets, size, source_digest, payload_digest, payload_version, fingerprint, signs, sender,"
     " recipient, subject, text, internal_ms, case_key, next_due, generation, created_at)"
     " SELECT '" KEY_B "', mailbox, key_source, message_id, 'append', 'append', 'received', octets,"
     " size, source_digest, payload_digest, payload_version, fingerprint, signs, sender, recipient,"
     " subject, text, internal_ms, case_key, 1, generation, created_at FROM item",
     "not complete"},
    {"a conflict about it waits",
     "INSERT INTO item (key, mailbox, key_source, message_id, disposition, arrived_as, state,"
     " reason, octets, size, source_digest, payload_digest, payload_version, fingerprint, signs,"
     " sender, recipient, subject, text, internal_ms, first_key, generation, created_at)"
     " SELECT '" KEY_B "', mailbox, 'conflict', message_id, 'held', 'held', 'needs_reconciliation',"
     " 'conflict', octets, size, source_digest, payload_digest, payload_version, fingerprint, "
     "signs,"
     " sender, recipient, subject, text, internal_ms, key, generation, created_at FROM item",
     "not complete"},
};

static void what_is_not_over_or_held_is_not_let_go(void **state)
{
    (void)state;
    FOR_EACH(row, kept) {
        CLEANUP(store_close) struct store *store = with_item(row->sql);
        struct err err = ERR_INIT;

        assert_rc(let_go(store, CONTENT_ALL, &err), RC_CONFLICT);
        assert_says(row->says);
        assert_text(store, "SELECT sender AS t FROM item WHERE key = '" KEY_A "'", "x@y");
        assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM leaving"), 0);
    }
}

static void what_is_let_go_leaves_key_reference_and_a_line_of_the_chain(void **state)
{
    CLEANUP(store_close)
    struct store *store =
        with_item("INSERT INTO attachment (key, number, part, name, stored_name, type, size,"
                  " sha256, status) VALUES ('" KEY_A "', 1, 1, 'cv ann.pdf', '01-cv ann.pdf',"
                  " 'application/pdf', 1, '', 'stored');"
                  "INSERT INTO effect (key, kind, target, status) VALUES ('" KEY_A
                  "', 'attachment', '01-cv ann.pdf', 'done')");
    struct err err = ERR_INIT;

    (void)state;
    assert_ok(let_go(store, CONTENT_ALL, &err));
    assert_text(store, "SELECT sender || subject || text || recipient AS t FROM item", "");
    assert_text(store, "SELECT reference AS t FROM case_record", "HD-AAAAAAAA");
    assert_text(store, "SELECT name || ' ' || stored_name AS t FROM attachment", " 01-removed");
    assert_text(store, "SELECT target AS t FROM effect WHERE kind = 'attachment'", "01-removed");
    assert_int_equal(number_of(store, "SELECT COUNT(*) AS n FROM leaving"), 2);
    assert_text(store, "SELECT from_state AS t FROM event WHERE what = 'retain'",
                "original attachments text personal");
    assert_ok(store_check_chain(store, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_over_or_held_is_not_let_go),
        cmocka_unit_test(what_is_let_go_leaves_key_reference_and_a_line_of_the_chain),
    };
    return RUN_TESTS(tests);
}
