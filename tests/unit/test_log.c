/* SPDX-License-Identifier: Apache-2.0 */
/* links: base */
#include <onecase/log.h>
#include <onecase/when.h>
#include <testing.h>

#include <string.h>
#include <unistd.h>

struct heard {
    int lines;
    enum log_level level;
    char line[4096];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
    struct heard *heard = ctx;

    heard->lines++;
    heard->level = level;
    snprintf(heard->line, sizeof heard->line, "%s", line);
}

static struct heard heard;

static int listen_anew(void **state)
{
    (void)state;
    heard = (struct heard){.lines = 0};
    log_to(hear, &heard);
    log_threshold(LOG_TRACE);
    return 0;
}

static int stop_listening(void **state)
{
    (void)state;
    log_to(NULL, NULL);
    return 0;
}

static void a_line_is_the_event_then_the_facts(void **state)
{
    (void)state;
    log_event(LOG_WARN, "item.deferred", "key=%s attempts=%d", "ab12", 3);
    assert_int_equal(heard.lines, 1);
    assert_int_equal(heard.level, LOG_WARN);
    assert_string_equal(heard.line, "item.deferred key=ab12 attempts=3");
}

static void without_facts_there_is_no_trailing_blank(void **state)
{
    (void)state;
    log_event(LOG_NOTE, "service.stopped", "%s", "");
    assert_string_equal(heard.line, "service.stopped");
}

static void what_is_less_urgent_than_the_threshold_is_not_written(void **state)
{
    (void)state;
    for (int least = LOG_ERROR; least <= LOG_TRACE; least++) {
        log_threshold((enum log_level)least);
        heard.lines = 0;
        for (int level = LOG_ERROR; level <= LOG_TRACE; level++)
            log_event((enum log_level)level, "test.written", "n=%d", level);
        assert_int_equal(heard.lines, least - LOG_ERROR + 1);
        assert_int_equal(heard.level, least);
    }
}

static void controls_never_break_the_line_or_the_terminal(void **state)
{
    static const struct {
        const char *name;
        const char *line;
    } rows[] = {
        {"a\nb", "e a?b"},
        {"a\r\n<3>forged", "e a?"
                           "?<3>forged"},
        {"\x1B[2J\x7F\t", "e ?[2J??"},
        {"\xC2\x9B"
         "31m",
         "e ??31m"},
        {"gr\xC3\xBC\xC3\x9F\xC2\xA0", "e gr\xC3\xBC\xC3\x9F\xC2\xA0"},
        {"cut \xC2", "e cut \xC2"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        log_event(LOG_NOTE, "e", "%s", row->name);
        assert_string_equal(heard.line, row->line);
    }
}

static void a_line_too_long_is_cut(void **state)
{
    char facts[4096];

    (void)state;
    memset(facts, 'x', sizeof facts);
    facts[sizeof facts - 1] = '\0';
    log_event(LOG_NOTE, "item.seen", "%s", facts);
    assert_memory_equal(heard.line, "item.seen xxx", 13);
    assert_int_equal(strlen(heard.line), 2047);
    log_event(LOG_NOTE, facts, "key=%s", "ab12");
    assert_true(strlen(heard.line) < 2048);
}

/* Runs one log_event with standard error in a file and returns what was written there. */
static void written_to_stderr(char *out, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);

    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    log_event(LOG_WARN, "item.deferred", "key=ab12");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    rewind(file);

    size_t len = fread(out, 1, size - 1, file);

    out[len] = '\0';
    fclose(file);
}

static void assert_time_and_event(const char *at)
{
    int64_t at_ms = 0;
    const char *end = strchr(at, ' ');

    assert_non_null(end);
    assert_true(when_parse((struct slice){at, (size_t)(end - at)}, &at_ms));
    assert_true(at_ms > DAYS(365 * 50));
    assert_string_equal(end, " item.deferred key=ab12\n");
}

static void standard_error_gets_time_and_a_newline_and_the_journal_the_priority_too(void **state)
{
    char line[256];

    (void)state;
    log_to(NULL, NULL);
    written_to_stderr(line, sizeof line);
    assert_time_and_event(line);
    log_for_journal(true);
    written_to_stderr(line, sizeof line);
    log_for_journal(false);
    assert_memory_equal(line, "<4>", 3);
    assert_time_and_event(line + 3);
}

#define HEARD_TEST(test) cmocka_unit_test_setup_teardown(test, listen_anew, stop_listening)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        HEARD_TEST(a_line_is_the_event_then_the_facts),
        HEARD_TEST(without_facts_there_is_no_trailing_blank),
        HEARD_TEST(what_is_less_urgent_than_the_threshold_is_not_written),
        HEARD_TEST(controls_never_break_the_line_or_the_terminal),
        HEARD_TEST(a_line_too_long_is_cut),
        HEARD_TEST(standard_error_gets_time_and_a_newline_and_the_journal_the_priority_too),
    };

    return RUN_TESTS(tests);
}
