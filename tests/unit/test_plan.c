/* SPDX-License-Identifier: Apache-2.0 */
/* links: core */
#include "policy_sample.h"

static void assert_effect(const struct plan *plan,
                          size_t at,
                          enum effect_kind kind,
                          enum effect_status status,
                          const char *target)
{
    assert_true(at < plan->effects);
    assert_int_equal(plan->effect[at].kind, kind);
    assert_int_equal(plan->effect[at].status, status);
    assert_string_equal(plan->effect[at].target, target);
}

/* ---- by disposition ------------------------------------------------------------------------ */

static void a_case_plans_everything_in_order(void **state)
{
    CLEANUP(sample_end) struct sample s;
    const struct plan *plan;

    (void)state;
    sample_begin(&s);
    sample_part(&s.message, PART_TEXT, "text/plain", "", 10);
    sample_part(&s.message, PART_ATTACHMENT, "image/png", "a.png", 10);
    sample_part(&s.message, PART_ATTACHMENT, "image/png", "a.png", 10);
    plan = sample_plan(&s);
    assert_int_equal(plan->effects, 5);
    assert_effect(plan, 0, EFFECT_CASE, EFFECT_DONE, "ledger");
    assert_effect(plan, 1, EFFECT_ATTACHMENT, EFFECT_PLANNED, "01-a.png");
    assert_effect(plan, 2, EFFECT_ATTACHMENT, EFFECT_PLANNED, "02-a.png");
    assert_effect(plan, 3, EFFECT_ACKNOWLEDGEMENT, EFFECT_PLANNED, "");
    assert_effect(plan, 4, EFFECT_MOVE, EFFECT_PLANNED, "");
    assert_string_equal(plan->move_to, "Processed");
    assert_int_equal(plan->attachments, 2);
    assert_int_equal(plan->attachment[0].number, 1);
    assert_int_equal(plan->attachment[0].part, 1);
    assert_int_equal(plan->attachment[1].number, 2);
    assert_int_equal(plan->attachment[1].part, 2);
    assert_string_equal(plan->attachment[1].stored_name, "02-a.png");
    for (size_t i = 0; i < plan->effects; i++)
        assert_string_equal(plan->effect[i].reason, "");
}

static void each_disposition_plans_the_kinds_of_its_row(void **state)
{
    static const struct {
        const char *name;
        enum disposition disposition;
    } rows[] = {
        {"case", DISPOSITION_CASE},           {"append", DISPOSITION_APPEND},
        {"report", DISPOSITION_REPORT},       {"evidence", DISPOSITION_EVIDENCE},
        {"adopted", DISPOSITION_ADOPTED},     {"held", DISPOSITION_HELD},
        {"dismissed", DISPOSITION_DISMISSED},
    };

    (void)state;
    assert_int_equal(LENGTH(rows), DISPOSITION_COUNT);
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        unsigned kinds = 0;

        sample_begin(&s);
        sample_part(&s.message, PART_ATTACHMENT, "image/png", "a.png", 10);
        plan_make(&s.policy, &s.arrival, &(struct verdict){.disposition = row->disposition},
                  &s.plan);
        for (size_t i = 0; i < s.plan.effects; i++)
            kinds |= KIND(s.plan.effect[i].kind);
        assert_int_equal(kinds, dispositions[row->disposition].effects);
    }
}

static void a_further_destination_is_a_further_case(void **state)
{
    static const struct {
        const char *name, *destination;
        enum disposition disposition;
        bool further;
    } rows[] = {
        {"the ledger alone", "ledger", DISPOSITION_CASE, false},
        {"none named", "", DISPOSITION_CASE, false},
        {"not set", NULL, DISPOSITION_CASE, false},
        {"a help desk", "desk", DISPOSITION_CASE, true},
        {"an append stays here", "desk", DISPOSITION_APPEND, false},
        {"a report stays here", "desk", DISPOSITION_REPORT, false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.policy.destination = row->destination;
        plan_make(&s.policy, &s.arrival, &(struct verdict){.disposition = row->disposition},
                  &s.plan);
        assert_effect(&s.plan, 0, EFFECT_CASE, EFFECT_DONE, "ledger");
        if (row->further)
            assert_effect(&s.plan, 1, EFFECT_CASE, EFFECT_PLANNED, "desk");
        else
            assert_int_not_equal(s.plan.effect[1].kind, EFFECT_CASE);
    }
}

static void what_a_destination_takes_is_planned_there_too(void **state)
{
    static const struct {
        const char *name;
        enum disposition disposition;
        bool appends, attaches, has_case, has_file;
    } rows[] = {
        {"a case and its file", DISPOSITION_CASE, false, true, true, true},
        {"a case alone", DISPOSITION_CASE, true, false, true, false},
        {"a reply and its file", DISPOSITION_APPEND, true, true, true, true},
        {"a reply alone", DISPOSITION_APPEND, true, false, true, false},
        {"no file without its reply", DISPOSITION_APPEND, false, true, false, false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        bool has_case = false, has_file = false;

        sample_begin(&s);
        sample_part(&s.message, PART_ATTACHMENT, "image/png", "a.png", 10);
        sample_part(&s.message, PART_ATTACHMENT, "image/png", "b.png", 30); /* too large here */
        s.policy.attachment_max = 20;
        s.policy.destination = "desk";
        s.policy.destination_appends = row->appends;
        s.policy.destination_attaches = row->attaches;
        plan_make(&s.policy, &s.arrival, &(struct verdict){.disposition = row->disposition},
                  &s.plan);
        for (size_t i = 0; i < s.plan.effects; i++) {
            has_case |= strcmp(s.plan.effect[i].target, "desk") == 0;
            has_file |= strcmp(s.plan.effect[i].target, "desk/01-a.png") == 0;
            assert_string_not_equal(s.plan.effect[i].target, "desk/02-b.png");
        }
        assert_int_equal(has_case, row->has_case);
        assert_int_equal(has_file, row->has_file);
    }
}

/* ---- attachments --------------------------------------------------------------------------- */

static void attachments_are_refused_by_size_and_type(void **state)
{
    static const char *const refused[] = {"application/x-msdownload", "video/*", "*"};
    static const struct {
        const char *name, *type;
        int64_t size;
        size_t types; /* of the three above */
        const char *reason;
    } rows[] = {
        {"as large as may be", "image/png", 25000000, 0, ""},
        {"larger", "image/png", 25000001, 0, "max-size"},
        {"a refused type", "application/x-msdownload", 1, 2, "type"},
        {"in capitals", "Application/X-MsDownload", 1, 2, "type"},
        {"one that begins alike", "application/x-msdownload2", 1, 2, ""},
        {"a refused class", "video/mp4", 1, 2, "type"},
        {"another class", "videos/mp4", 1, 2, ""},
        {"larger and refused", "video/mp4", 25000001, 2, "max-size"},
        {"a star alone is no class", "image/png", 1, 3, ""},
        {"no type refused", "video/mp4", 1, 0, ""},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        const struct plan *plan;
        bool is_refused = row->reason[0] != '\0';

        sample_begin(&s);
        s.policy.refuse_types = (struct texts){refused, row->types};
        sample_part(&s.message, PART_ATTACHMENT, row->type, "a.bin", row->size);
        sample_part(&s.message, PART_TEXT, "text/html", "", 99000000);
        plan = sample_plan(&s);
        assert_int_equal(plan->attachments, 1);
        assert_int_equal(plan->attachment[0].refused, is_refused);
        assert_string_equal(plan->attachment[0].reason, row->reason);
        assert_effect(plan, 1, EFFECT_ATTACHMENT, is_refused ? EFFECT_REFUSED : EFFECT_PLANNED,
                      "01-a.bin");
        assert_string_equal(plan->effect[1].reason, row->reason);
    }
}

/* What a mail says of a file is its sender's word: the name and the octets count as well. */
static void a_refused_type_is_met_by_word_name_and_content(void **state)
{
    static const struct {
        const char *name, *refuse, *type, *file, *seen;
        bool refused;
    } rows[] = {
        {"by its word", "application/x-msdownload", "application/x-msdownload", "a.bin", "", true},
        {"by another word for it", "application/x-msdownload", "application/x-dosexec", "a", "",
         true},
        {"by its extension", "application/x-msdownload", "image/png", "cat.EXE", "", true},
        {"by another extension of it", "application/x-msdownload", "image/png", "cat.scr", "",
         true},
        {"dots at the end do not help", "application/x-msdownload", "image/png", "cat.exe. .", "",
         true},
        {"nor what is not seen", "application/x-msdownload", "image/png", "cat.e\xe2\x80\x8bxe", "",
         true},
        {"by its first octets", "application/x-msdownload", "image/png", "cat.png",
         "application/x-msdownload", true},
        {"by an extension alone", ".exe", "image/png", "cat.exe", "", true},
        {"an extension is no beginning", ".exe", "image/png", "cat.exeter", "", false},
        {"another kind", "application/x-msdownload", "image/png", "cat.png", "image/png", false},
        {"a class by extension", "video/*", "application/octet-stream", "a.mov", "", true},
        {"a class by octets", "image/*", "application/octet-stream", "a", "image/gif", true},
        {"a class is no other", "image/*", "application/octet-stream", "a.mov", "", false},
    };

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;

        sample_begin(&s);
        s.policy.refuse_types = (struct texts){&row->refuse, 1};
        sample_part(&s.message, PART_ATTACHMENT, row->type, row->file, 10);
        s.message.parts[0].seen = message_keep(&s.message, slice_z(row->seen));
        assert_int_equal(sample_plan(&s)->attachment[0].refused, row->refused);
        assert_string_equal(s.plan.attachment[0].reason, row->refused ? "type" : "");
    }
}

static void attachments_are_refused_by_number_and_length_of_name(void **state)
{
    CLEANUP(sample_end) struct sample s;
    const struct plan *plan;

    (void)state;
    sample_begin(&s);
    s.policy.attachment_count = 2;
    s.policy.attachment_name_max = 8;
    sample_part(&s.message, PART_ATTACHMENT, "image/png", "toolong.png", 10);
    sample_part(&s.message, PART_ATTACHMENT, "image/png", "fits.png", 10);
    sample_part(&s.message, PART_ATTACHMENT, "image/png", "c.png", 10);
    plan = sample_plan(&s);
    assert_int_equal(plan->attachments, 3);
    assert_string_equal(plan->attachment[0].reason, "name-length");
    assert_string_equal(plan->attachment[1].reason, "");
    assert_string_equal(plan->attachment[2].reason, "max-count");
    assert_string_equal(plan->effect[3].reason, "max-count");
}

static void no_limit_refuses_no_size(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.policy.attachment_max = 0;
    sample_part(&s.message, PART_ATTACHMENT, "image/png", "a.png", INT64_MAX);
    assert_false(sample_plan(&s)->attachment[0].refused);
}

/* ---- acknowledgements ---------------------------------------------------------------------- */

static void an_acknowledgement_starts_as_the_verdict_says(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        enum skip skip;
        bool before_rewind, waits;
        enum effect_status status;
        const char *reason;
    } rows[] = {
        {"to be sent",                                  SKIP_NONE,          false, false, EFFECT_PLANNED,  ""},
        {"above the total limit",                       SKIP_NONE,          false, true,  EFFECT_DEFERRED, "total-limit"},
        {"from before the ledger went back",            SKIP_NONE,          true,  false, EFFECT_UNKNOWN,  "ledger-restored"},
        {"from before, above the limit: in doubt",      SKIP_NONE,          true,  true,  EFFECT_UNKNOWN,  "ledger-restored"},
        {"not to be sent",                              SKIP_TOO_OLD,       false, false, EFFECT_SKIPPED,  "too-old"},
        {"from before, not to be sent",                 SKIP_STAFF,         true,  true,  EFFECT_SKIPPED,  "staff"},
        {"not configured for a case",                   SKIP_NOT_CONFIGURED,false, false, EFFECT_SKIPPED,  "not-configured"},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        struct verdict v = {
            .disposition = DISPOSITION_CASE, .skip = row->skip, .ack_waits = row->waits};
        const struct planned_effect *e;

        sample_begin(&s);
        s.arrival.before_rewind = row->before_rewind;
        plan_make(&s.policy, &s.arrival, &v, &s.plan);
        e = sample_effect(&s.plan, EFFECT_ACKNOWLEDGEMENT);
        assert_non_null(e);
        assert_int_equal(e->status, row->status);
        assert_string_equal(e->reason, row->reason);
        assert_string_equal(e->target, ""); /* until it is first armed */
    }
}

static void an_appends_acknowledgement_is_planned_only_if_configured(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    sample_case(&s, true, true);
    assert_null(sample_effect(sample_plan(&s), EFFECT_ACKNOWLEDGEMENT));
    s.policy.tells[COMPLETION_APPENDED] = true;
    assert_int_equal(sample_effect(sample_plan(&s), EFFECT_ACKNOWLEDGEMENT)->status,
                     EFFECT_PLANNED);
    s.message.signs = SIGN_BULK;
    assert_int_equal(sample_effect(sample_plan(&s), EFFECT_ACKNOWLEDGEMENT)->status,
                     EFFECT_SKIPPED);
}

/* ---- moves --------------------------------------------------------------------------------- */

static void a_message_goes_where_its_like_go(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        struct verdict verdict;
        const char *unprocessable, *folder;
    } rows[] = {
        {"a case",                        {.disposition = DISPOSITION_CASE},                                                         "Unreadable", "Processed"},
        {"a report",                      {.disposition = DISPOSITION_REPORT},                                                       "Unreadable", "Processed"},
        {"a copy",                        {.disposition = DISPOSITION_CASE, .settled_by = true, .files_copy = true, .class = CLASS_REDELIVERED},  "Unreadable", "Copies"},
        {"a list's copy",                 {.disposition = DISPOSITION_CASE, .settled_by = true, .files_copy = true, .class = CLASS_LIST_COPY},    "Unreadable", "Copies"},
        {"a returned message",            {.disposition = DISPOSITION_CASE, .settled_by = true, .files_copy = true, .class = CLASS_RETURNED},     "Unreadable", "Processed"},
        {"the same message, renumbered",  {.disposition = DISPOSITION_CASE, .settled_by = true, .files_copy = true, .class = CLASS_REOBSERVED},   "Unreadable", "Processed"},
        {"a dismissed conflict",          {.disposition = DISPOSITION_DISMISSED, .class = CLASS_CONFLICT, .reason = REASON_CONFLICT},             "Unreadable", "Copies"},
        {"a gateway copy by rule",        {.disposition = DISPOSITION_DISMISSED, .class = CLASS_GATEWAY_COPY},                                    "Unreadable", "Copies"},
        {"a conflict made a case",        {.disposition = DISPOSITION_CASE, .class = CLASS_CONFLICT, .reason = REASON_CONFLICT},                  "Unreadable", "Processed"},
        {"a dropped unreadable one",      {.disposition = DISPOSITION_DISMISSED, .reason = REASON_UNPROCESSABLE},                                 "Unreadable", "Unreadable"},
        {"a dropped oversize one",        {.disposition = DISPOSITION_DISMISSED, .reason = REASON_OVERSIZE},                                      "Unreadable", "Unreadable"},
        {"no folder for unreadable ones", {.disposition = DISPOSITION_DISMISSED, .reason = REASON_UNPROCESSABLE},                                 "",           "Processed"},
        {"an unreadable one, read later", {.disposition = DISPOSITION_CASE, .reason = REASON_UNPROCESSABLE},                                      "Unreadable", "Processed"},
        {"a muted one",                   {.disposition = DISPOSITION_DISMISSED, .reason = REASON_CASE_FLOOD},                                    "Unreadable", "Processed"},
        {"a copy of an adopted one",      {.disposition = DISPOSITION_ADOPTED, .settled_by = true, .class = CLASS_REDELIVERED},                   "Unreadable", ""},
        {"an adopted one",                {.disposition = DISPOSITION_ADOPTED},                                                                   "Unreadable", ""},
        {"a held one",                    {.disposition = DISPOSITION_HELD, .reason = REASON_UNPROCESSABLE},                                      "Unreadable", ""},
    };
    /* clang-format on */

    (void)state;
    FOR_EACH(row, rows) {
        CLEANUP(sample_end) struct sample s;
        const struct planned_effect *move;

        sample_begin(&s);
        s.policy.folder_unprocessable = row->unprocessable;
        plan_make(&s.policy, &s.arrival, &row->verdict, &s.plan);
        move = sample_effect(&s.plan, EFFECT_MOVE);
        assert_string_equal(s.plan.move_to, row->folder);
        assert_int_equal(move != NULL, row->folder[0] != '\0');
        if (move)
            assert_int_equal(move->status, EFFECT_PLANNED);
        if (row->verdict.settled_by)
            assert_int_equal(s.plan.effects, move != NULL);
    }
}

static void without_a_folder_the_message_stays(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    s.policy.folder_processed = "";
    assert_null(sample_effect(sample_plan(&s), EFFECT_MOVE));
    assert_string_equal(s.plan.move_to, "");
}

static void what_was_found_filed_is_not_moved_again(void **state)
{
    CLEANUP(sample_end) struct sample s;
    const struct planned_effect *move;

    (void)state;
    sample_begin(&s);
    s.arrival.filed = true;
    move = sample_effect(sample_plan(&s), EFFECT_MOVE);
    assert_int_equal(move->status, EFFECT_DONE);
    assert_string_equal(move->reason, "found-filed");
}

static void a_cleared_plan_is_empty(void **state)
{
    CLEANUP(sample_end) struct sample s;

    (void)state;
    sample_begin(&s);
    sample_plan(&s);
    plan_clear(&s.plan);
    assert_int_equal(s.plan.effects + s.plan.attachments, 0);
    assert_string_equal(s.plan.move_to, "");
    plan_clear(&s.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_plans_everything_in_order),
        cmocka_unit_test(each_disposition_plans_the_kinds_of_its_row),
        cmocka_unit_test(a_further_destination_is_a_further_case),
        cmocka_unit_test(what_a_destination_takes_is_planned_there_too),
        cmocka_unit_test(attachments_are_refused_by_size_and_type),
        cmocka_unit_test(a_refused_type_is_met_by_word_name_and_content),
        cmocka_unit_test(attachments_are_refused_by_number_and_length_of_name),
        cmocka_unit_test(no_limit_refuses_no_size),
        cmocka_unit_test(an_acknowledgement_starts_as_the_verdict_says),
        cmocka_unit_test(an_appends_acknowledgement_is_planned_only_if_configured),
        cmocka_unit_test(a_message_goes_where_its_like_go),
        cmocka_unit_test(without_a_folder_the_message_stays),
        cmocka_unit_test(what_was_found_filed_is_not_moved_again),
        cmocka_unit_test(a_cleared_plan_is_empty),
    };

    return RUN_TESTS(tests);
}
