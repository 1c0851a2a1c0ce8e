/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports front */
/* The contract's objects (section 8): each field by its name, in its order, and null where there is
 * nothing. */
#include <onecase/front.h>
#include <onecase/utf8.h>
#include <testing.h>

#include <string.h>

#define NOON INT64_C(1772452800000)

/* The names of a JSON text in the order in which they stand, joined by blanks. */
static void names_of(const char *json, struct str *out)
{
    for (const char *at = json; (at = strchr(at, '"')) != NULL;) {
        size_t len = 1;

        while (at[len] != '"')
            len += at[len] == '\\' ? 2 : 1;
        if (at[len + 1] == ':')
            str_addf(out, "%s%.*s", out->len > 0 ? " " : "", (int)len - 1, at + 1);
        at += len + 1;
    }
}

static void assert_names(const struct str *json, const char *names)
{
    CLEANUP(str_clear) struct str found = STR_INIT;

    names_of(str_z(json), &found);
    assert_string_equal(str_z(&found), names);
}

static void assert_has(const struct str *json, const char *text)
{
    if (strstr(str_z(json), text) == NULL)
        fail_msg("%s\n  does not have %s", str_z(json), text);
}

/* ---- items ---------------------------------------------------------------------------------- */

#define ITEM_NAMES                                                                                 \
    "key key_source mailbox message_id digest state disposition reason case completion_state"      \
    " first_seen completed_at attempts deliveries duplicates not_sent_from not_sent_needs effects"
#define EFFECT_NAMES   "kind target status external_id attempts reason error"
#define DELIVERY_NAMES "id key mailbox folder uidvalidity uid class state case seen_at run"

static const struct view_effect effect = {.kind = "acknowledgement",
                                          .target = "accepted",
                                          .status = "refused",
                                          .external_id = "",
                                          .reason = "",
                                          .error = "550",
                                          .attempts = 1,
                                          .due_ms = NOT_DUE};
static const struct view_delivery delivery = {.id = 7,
                                              .key = "abc",
                                              .mailbox = "help",
                                              .folder = "INBOX",
                                              .class = "first",
                                              .state = "complete",
                                              .reference = "",
                                              .run = "r1",
                                              .uidvalidity = 4000000000,
                                              .uid = 3,
                                              .seen_ms = NOON};

static struct view_item item(void)
{
    return (struct view_item){.key = "abc",
                              .key_source = "message-id",
                              .mailbox = "help",
                              .digest = "",
                              .state = "complete",
                              .disposition = "case",
                              .reason = "",
                              .reference = "HD-1",
                              .completion_state = "",
                              .message_id = SLICE("<a1@example.org>"),
                              .first_seen_ms = NOON,
                              .completed_ms = NOT_DUE,
                              .attempts = 3,
                              .deliveries = 2,
                              .duplicates = 1,
                              .effect = &effect,
                              .effects = 1};
}

static void items_have_the_contracts_fields(void **state)
{
    struct view_item row = item();
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    json_items(&view, false, &json);
    assert_names(&json, ITEM_NAMES " " EFFECT_NAMES);
    assert_int_equal(json.at[0], '[');
    assert_has(&json, "\"message_id\": \"<a1@example.org>\"");
    assert_has(&json, "\"digest\": null");
    assert_has(&json, "\"reason\": null");
    assert_has(&json, "\"completion_state\": null");
    assert_has(&json, "\"first_seen\": \"2026-03-02T12:00:00Z\"");
    assert_has(&json, "\"completed_at\": null");
    assert_has(&json, "\"external_id\": null");
    assert_has(&json, "\"error\": \"550\"");
}

static void one_item_has_its_lists_too(void **state)
{
    static const struct view_attempt attempt = {.kind = "acknowledgement",
                                                .target = "accepted",
                                                .run = "r1",
                                                .phase = "armed",
                                                .outcome = "",
                                                .stage = "",
                                                .started_ms = NOON,
                                                .armed_ms = NOON,
                                                .ended_ms = NOT_DUE};
    static const struct view_evidence evidence = {.kind = "acknowledgement",
                                                  .target = "accepted",
                                                  .evidence = "reply",
                                                  .place = "",
                                                  .found = true,
                                                  .seen_ms = NOON};
    static const struct view_report report = {.action = "failed", .key = "abc", .seen_ms = NOON};
    static const struct view_approval approval = {.decision = "undo",
                                                  .by = "ann",
                                                  .second = "",
                                                  .why = "wrong",
                                                  .decided_ms = NOON,
                                                  .undone_ms = NOT_DUE};
    static const struct view_condition condition = {
        .name = "case", .value = "read back", .holds = true};
    const struct view_note note = {"ann: asked Bob", 0};
    struct view_item row = item();
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    row.delivery = &delivery;
    row.attempt = &attempt;
    row.evidence = &evidence;
    row.reports = (struct view_reports){&report, 1};
    row.approval = &approval;
    row.condition = &condition;
    row.note = &note;
    row.note_count = 1;
    row.delivery_count = row.attempt_count = row.evidence_count = 1;
    row.approval_count = row.condition_count = 1;
    json_items(&view, true, &json);
    assert_int_equal(json.at[0], '{');
    assert_names(&json, ITEM_NAMES " " EFFECT_NAMES " delivery_list " DELIVERY_NAMES
                                   " attempt_list kind target number run phase outcome stage code"
                                   " started_at armed_at ended_at"
                                   " evidence_list kind target evidence found place seen_at"
                                   " report_list action key seen_at"
                                   " approval_list decision by second reason decided_at undone_at"
                                   " acceptance name holds value note_list noted_at text");
    assert_has(&json, "\"outcome\": null");
    assert_has(&json, "\"ended_at\": null");
    assert_has(&json, "\"place\": null");
    assert_has(&json, "\"second\": null");
    assert_has(&json, "\"undone_at\": null");
}

static void no_rows_are_an_empty_list(void **state)
{
    struct view view = {.row = NULL};
    CLEANUP(str_clear) struct str items = STR_INIT;
    CLEANUP(str_clear) struct str cases = STR_INIT;
    CLEANUP(str_clear) struct str deliveries = STR_INIT;

    (void)state;
    json_deliveries(&view, &deliveries);
    assert_string_equal(str_z(&deliveries), "[]\n");
    json_items(&view, false, &items);
    json_cases(&view, false, &cases);
    assert_string_equal(str_z(&items), "[]\n");
    assert_string_equal(str_z(&cases), "[]\n");
}

/* Senders put anything into a Message-ID: a field is never missing because of it. */
static void octets_that_are_no_utf_8_are_replaced_and_nul_is_kept(void **state)
{
    static const struct {
        const char *name;
        struct slice id;
        const char *json;
    } rows[] = {
        {"Latin-1", SLICE_INIT("<f\xFCr@x>"), "\"message_id\": \"<f\xEF\xBF\xBDr@x>\""},
        {"NUL", SLICE_INIT("<a\0b@x>"), "\"message_id\": \"<a\\u0000b@x>\""},
        {"both", SLICE_INIT("<\0\xFF>"), "\"message_id\": \"<\\u0000\xEF\xBF\xBD>\""},
        {"escape", SLICE_INIT("<\033[2J>"), "\"message_id\": \"<\\u001B[2J>\""},
        {"quotes", SLICE_INIT("<\"a\\b\"@x>"), "\"message_id\": \"<\\\"a\\\\b\\\"@x>\""},
        {"none", SLICE_INIT(""), "\"message_id\": null"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        struct view_item one = item();
        struct view view = {.row = &one, .count = 1};
        CLEANUP(str_clear) struct str json = STR_INIT;

        one.message_id = row->id;
        json_items(&view, false, &json);
        assert_has(&json, row->json);
        assert_names(&json, ITEM_NAMES " " EFFECT_NAMES);
    }
}

static void a_name_that_is_no_utf_8_costs_no_field(void **state)
{
    static const struct view_approval approval = {
        .decision = "undo", .by = "J\xFCrgen", .second = "", .why = "\xFF", .decided_ms = NOON};
    struct view_item row = item();
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    row.approval = &approval;
    row.approval_count = 1;
    json_items(&view, true, &json);
    assert_has(&json, "\"by\": \"J\xEF\xBF\xBDrgen\"");
    assert_has(&json, "\"reason\": \"\xEF\xBF\xBD\"");
}

/* ---- deliveries, cases ------------------------------------------------------------------------ */

static void deliveries_have_the_contracts_fields(void **state)
{
    struct view_delivery row = delivery;
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    json_deliveries(&view, &json);
    assert_names(&json, DELIVERY_NAMES);
    assert_has(&json, "\"uidvalidity\": 4000000000");
    assert_has(&json, "\"case\": null");
}

#define CASE_NAMES       "reference key mailbox from subject created_at state messages"
#define ATTACHMENT_NAMES "attachments name path type size sha256 status reason"

static struct view_case one_case(void)
{
    static const struct view_attachment attachment = {.name = "a.pdf",
                                                      .path = "",
                                                      .type = "application/pdf",
                                                      .sha256 = "00",
                                                      .status = "refused",
                                                      .reason = "max-size",
                                                      .size = 9};
    static const struct view_message message = {.key = "abc",
                                                .from = "ann@example.com",
                                                .reply_to = "",
                                                .subject = "Printer",
                                                .text = "It has jammed.\n",
                                                .direction = "in",
                                                .date_ms = NOT_DUE};
    static const struct view_report report = {.action = "delayed", .key = "abd", .seen_ms = NOON};

    return (struct view_case){.reference = "HD-1",
                              .key = "abc",
                              .mailbox = "help",
                              .from = "ann@example.com",
                              .subject = "Printer",
                              .state = "open",
                              .created_ms = NOON,
                              .messages = 2,
                              .attachment = &attachment,
                              .attachments = 1,
                              .message = &message,
                              .message_count = 1,
                              .reports = {&report, 1}};
}

static void cases_have_the_contracts_fields(void **state)
{
    struct view_case row = one_case();
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str list = STR_INIT;
    CLEANUP(str_clear) struct str one = STR_INIT;

    (void)state;
    json_cases(&view, false, &list);
    assert_names(&list, CASE_NAMES " " ATTACHMENT_NAMES);
    assert_has(&list, "\"messages\": 2");
    assert_has(&list, "\"path\": null");
    json_cases(&view, true, &one);
    assert_names(&one,
                 CASE_NAMES " key from reply_to subject date text direction marks " ATTACHMENT_NAMES
                            " reports action key seen_at");
    assert_has(&one, "\"reply_to\": null");
    assert_has(&one, "\"date\": null");
}

/* ---- status, the summary of a run ---------------------------------------------------------------- */

static struct view_mailbox mailbox(const struct circuit *circuit)
{
    static const struct view_count waiting = {"conflict", 2};

    return (struct view_mailbox){.id = "help",
                                 .mode = "active",
                                 .waiting = &waiting,
                                 .waiting_count = 1,
                                 .oldest_incomplete_ms = NOT_DUE,
                                 .circuit = circuit,
                                 .claimed = true,
                                 .claim_owner = "",
                                 .last_error = ""};
}

#define MAILBOX_NAMES                                                                              \
    "mailboxes id mode states received in_progress complete needs_reconciliation duplicate"        \
    " waiting conflict not_told backlog oldest_incomplete_seconds awaiting_choice circuit"

static void status_has_the_contracts_fields(void **state)
{
    static const struct circuit closed[CIRCUIT_OF_COUNT];
    struct view_mailbox row = mailbox(closed);
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    json_status(&view, NOT_DUE, NOON, &json);
    assert_names(&json, MAILBOX_NAMES " paused claim owner ours last_success last_error secrets"
                                      " last_backup last_backup_age_seconds");
    assert_has(&json, "\"last_backup\": null");
    assert_has(&json, "\"last_backup_age_seconds\": null");
    assert_has(&json, "\"circuit\": null");
    assert_has(&json, "\"oldest_incomplete_seconds\": 0");
    assert_has(&json, "\"ours\": true");
    assert_has(&json, "\"owner\": null");
    assert_has(&json, "\"last_success\": null");
    assert_has(&json, "\"last_error\": null");
}

static void status_names_the_server_that_fails_and_the_other_owner(void **state)
{
    static const struct circuit open[CIRCUIT_OF_COUNT] = {
        [CIRCUIT_SMTP] = {.state = CIRCUIT_OPEN,
                          .since_ms = NOON,
                          .next_probe_ms = NOON + 5000,
                          .reason = "MAIL 454"}};
    struct view_mailbox row = mailbox(open);
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    row.claim_owner = "other-desk";
    row.imap_secret_ms = NOON;
    row.oldest_incomplete_ms = NOON - 90000;
    json_status(&view, NOON - 7200000, NOON, &json);
    assert_has(&json, "\"last_backup\": \"2026-03-02T10:00:00Z\"");
    assert_has(&json, "\"last_backup_age_seconds\": 7200");
    assert_names(&json, MAILBOX_NAMES
                 " since reason next_probe paused claim owner ours last_success"
                 " last_error secrets server expires last_backup last_backup_age_seconds");
    assert_has(&json, "\"expires\": \"2026-03-02T12:00:00Z\"");
    assert_has(&json, "\"reason\": \"MAIL 454\"");
    assert_has(&json, "\"next_probe\": \"2026-03-02T12:00:05Z\"");
    assert_has(&json, "\"owner\": \"other-desk\"");
    assert_has(&json, "\"ours\": false");
    assert_has(&json, "\"oldest_incomplete_seconds\": 90");
}

static void the_summary_of_a_run_has_the_contracts_fields(void **state)
{
    static const struct run_summary summary = {.deliveries = 1, .awaiting_choice = 8};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    json_summary(&summary, &json);
    assert_names(&json, "deliveries new duplicates conflicts completed deferred"
                        " needs_reconciliation awaiting_choice");
    assert_has(&json, "\"awaiting_choice\": 8");
}

/* ---- the report of duplicates --------------------------------------------------------------------- */

static void the_report_has_the_contracts_fields(void **state)
{
    static const struct view_day day = {"2026-03-02", {[CLASS_REDELIVERED] = 1}, 1};
    static const struct view_count box = {"help", 1}, from = {"example", 1};
    static const struct view_key key = {.key = "abc",
                                        .reference = "",
                                        .classes = "first,redelivered",
                                        .deliveries = 2,
                                        .first_seen_ms = NOON,
                                        .last_seen_ms = NOON};
    static const struct view_decision late = {.key = "abc",
                                              .reference = "",
                                              .decision = "conflict-dismiss",
                                              .by = "Bob (bob)",
                                              .decided_ms = NOON};
    struct view_duplicates row = {.until_ms = NOON,
                                  .late = &late,
                                  .late_count = 1,
                                  .day = &day,
                                  .mailbox = &box,
                                  .domain = &from,
                                  .key = &key,
                                  .days = 1,
                                  .mailboxes = 1,
                                  .domains = 1,
                                  .keys = 1};
    struct view view = {.row = &row, .count = 1};
    CLEANUP(str_clear) struct str json = STR_INIT;

    (void)state;
    json_duplicates(&view, &json);
    assert_names(&json, "since until totals deliveries first redelivered reobserved returned"
                        " list_copy gateway_copy replayed conflict new_cases appended reports"
                        " evidence adopted held decided new_case append dismissed waiting"
                        " cases_prevented acknowledgements_withheld doubles found_at_destination"
                        " boundaries delivery concurrent_run retry replay other_deployment"
                        " by_day day duplicates classes redelivered by_mailbox mailbox duplicates"
                        " by_sender_domain domain duplicates"
                        " keys key case deliveries classes first_seen last_seen"
                        " late_decisions key case decision by decided_at");
    assert_has(&json, "\"case\": null");
    assert_has(&json, "\"redelivered\"\n");
}

/* ---- texts of anybody's ------------------------------------------------------------------------------- */

static void of_items(const char *said, struct str *out)
{
    const struct view_effect failed = {
        .kind = "case", .target = said, .status = "refused", .external_id = said, .error = said};
    struct view_item row = item();

    row.message_id = slice_z(said);
    row.effect = &failed;
    row.effects = 1;
    json_items(&(struct view){.row = &row, .count = 1}, true, out);
}

static void of_deliveries(const char *said, struct str *out)
{
    struct view_delivery row = delivery;

    row.folder = said;
    json_deliveries(&(struct view){.row = &row, .count = 1}, out);
}

static void of_cases(const char *said, struct str *out)
{
    const struct view_message message = {.key = "abc",
                                         .from = said,
                                         .reply_to = said,
                                         .subject = said,
                                         .text = said,
                                         .direction = "in"};
    const struct view_attachment attachment = {.name = said, .path = said, .status = "done"};
    struct view_case row = one_case();

    row.from = row.subject = said;
    row.message = &message;
    row.attachment = &attachment;
    json_cases(&(struct view){.row = &row, .count = 1}, true, out);
}

static void of_status(const char *said, struct str *out)
{
    static const struct circuit closed[CIRCUIT_OF_COUNT];
    struct view_mailbox row = mailbox(closed);

    row.last_error = row.claim_owner = said;
    json_status(&(struct view){.row = &row, .count = 1}, NOT_DUE, NOON, out);
}

static void of_webhooks(const char *said, struct str *out)
{
    struct view_webhook row = {.name = said, .why = said};
    struct view_dead_letter dead = {said, said, said, said, said, said, said, 1, 1, 1, 1};

    json_webhooks(&(struct view){.row = &row, .count = 1}, &(struct view){.row = &dead, .count = 1},
                  out);
}

static void of_the_report(const char *said, struct str *out)
{
    const struct view_count from = {said, 1};
    const struct view_decision late = {
        .key = "abc", .reference = "HD-1", .decision = "conflict-dismiss", .by = said};
    const struct view_key key = {.key = "abc", .reference = said, .classes = said};
    struct view_duplicates row = {
        .late = &late, .late_count = 1, .domain = &from, .domains = 1, .key = &key, .keys = 1};

    json_duplicates(&(struct view){.row = &row, .count = 1}, out);
}

static void of_a_replay(const char *said, struct str *out)
{
    struct replay_shown row = {.key = "abc"};

    text_copy(row.reference, sizeof row.reference, said);
    text_copy(row.state, sizeof row.state, said);
    json_replay(&row, 1, said, out);
}

static void of_replays(const char *said, struct str *out)
{
    struct view_bulk row = {.selection = said, .by = said, .second = said, .why = said};

    json_bulks(&(struct view){.row = &row, .count = 1}, out);
}

static void of_an_export(const char *said, struct str *out)
{
    json_exported(&(struct exported){.file = said, .folder = said, .missing = said}, out);
}

static void of_a_list(const char *said, struct str *out)
{
    static const size_t fate[LISTED_FATE_COUNT];
    struct listed list = {.count = 1};

    str_addz(&list.unused, said);
    json_listed(fate, &list, true, out);
    str_clear(&list.unused);
}

static void of_a_backup(const char *said, struct str *out)
{
    struct backup_made made = {.missing = STR_INIT};

    text_copy(made.facts.version, sizeof made.facts.version, said);
    str_addz(&made.missing, said);
    json_backup(&made, out);
    str_clear(&made.missing);
}

static void of_moved_files(const char *said, struct str *out)
{
    struct files_moved moved = {.missing = STR_INIT};

    text_copy(moved.from, sizeof moved.from, said);
    str_addz(&moved.missing, said);
    json_files_moved(&moved, out);
    str_clear(&moved.missing);
}

static void of_a_letter(const char *said, struct str *out)
{
    struct letter_shown letter = {.completion = COMPLETION_ACCEPTED};

    text_copy(letter.recipient, sizeof letter.recipient, said);
    str_addz(&letter.subject, said);
    str_addz(&letter.text, said);
    json_letter(&letter, out);
    str_clear(&letter.subject);
    str_clear(&letter.text);
}

static void of_checks(const char *said, struct str *out)
{
    json_checks(&(struct check_result){FINDING_BAD, said, said}, 1, out);
}

static void of_a_table(const char *said, struct str *out)
{
    static const struct sheet_column column = {"subject", "SUBJECT", NULL, SHEET_TEXT};
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Cases", &column, 1);
    char room[256] = "";
    FILE *f = fmemopen(room, sizeof room, "w");

    sheet_row(sheet, &said);
    sheet_print(sheet, SHEET_JSON, NOON, 80, f);
    fclose(f);
    str_addz(out, room);
}

static const struct {
    const char *name;
    void (*say)(const char *said, struct str *out);
} outputs[] = {
    {"items", of_items},         {"deliveries", of_deliveries},
    {"cases", of_cases},         {"status", of_status},
    {"webhooks", of_webhooks},   {"the duplicate report", of_the_report},
    {"a replay", of_a_replay},   {"replays", of_replays},
    {"an export", of_an_export}, {"a list that was taken in", of_a_list},
    {"a backup", of_a_backup},   {"files that were moved", of_moved_files},
    {"a letter", of_a_letter},   {"checks", of_checks},
    {"errors", json_error},      {"any table", of_a_table},
};

/* The library has no value for such a text, and a field without a value is left out. */
static void a_text_that_is_no_utf_8_costs_no_field_anywhere(void **state)
{
    (void)state;
    FOR_EACH(row, outputs) {
        CLEANUP(str_clear) struct str good = STR_INIT;
        CLEANUP(str_clear) struct str bad = STR_INIT;
        CLEANUP(str_clear) struct str mended = STR_INIT;

        row->say("f?r", &good);
        row->say("f\xFCr", &bad);
        assert_true(utf8_valid(str_slice(&bad)));
        assert_has(&bad, "f\xEF\xBF\xBDr");
        for (const char *at = str_z(&bad); *at; at++) /* U+FFFD has three octets */
            if (strncmp(at, "\xEF\xBF\xBD", 3) == 0)
                str_addc(&mended, '?'), at += 2;
            else
                str_addc(&mended, *at);
        assert_string_equal(str_z(&mended), str_z(&good));
    }
}

/* ---- what the contract leaves open ------------------------------------------------------------------ */

static void findings_and_decisions_are_objects_too(void **state)
{
    static const struct check_result results[] = {{FINDING_GOOD, "the inbox", ""},
                                                  {FINDING_BAD, "the disk", "make room"}};
    static const struct decision_result decided = {.state = ITEM_IN_PROGRESS, .reference = "HD-1"};
    CLEANUP(str_clear) struct str checks = STR_INIT;
    CLEANUP(str_clear) struct str decision = STR_INIT;
    CLEANUP(str_clear) struct str chosen = STR_INIT;

    (void)state;
    json_checks(results, LENGTH(results), &checks);
    assert_names(&checks, "finding what mend finding what mend");
    assert_has(&checks, "\"mend\": null");
    assert_has(&checks, "\"finding\": \"bad\"");
    json_decided(DECIDE_SENT, &decided, &decision);
    assert_names(&decision, "decision state case");
    assert_has(&decision, "\"decision\": \"acknowledgement-sent\"");
    json_chosen("help", IMPORT_ADOPT, &chosen);
    assert_names(&chosen, "mailbox choice");
    assert_has(&chosen, "\"choice\": \"adopt\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_the_contracts_fields),
        cmocka_unit_test(one_item_has_its_lists_too),
        cmocka_unit_test(no_rows_are_an_empty_list),
        cmocka_unit_test(octets_that_are_no_utf_8_are_replaced_and_nul_is_kept),
        cmocka_unit_test(a_name_that_is_no_utf_8_costs_no_field),
        cmocka_unit_test(a_text_that_is_no_utf_8_costs_no_field_anywhere),
        cmocka_unit_test(deliveries_have_the_contracts_fields),
        cmocka_unit_test(cases_have_the_contracts_fields),
        cmocka_unit_test(status_has_the_contracts_fields),
        cmocka_unit_test(status_names_the_server_that_fails_and_the_other_owner),
        cmocka_unit_test(the_summary_of_a_run_has_the_contracts_fields),
        cmocka_unit_test(the_report_has_the_contracts_fields),
        cmocka_unit_test(findings_and_decisions_are_objects_too),
    };

    return RUN_TESTS(tests);
}
