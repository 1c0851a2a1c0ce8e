/* SPDX-License-Identifier: Apache-2.0
 *
 * courier_tool NAME=VALUE... - the real courier, worked by lines on standard input; what it says goes
 * to standard output, one JSON object a line.
 *
 *     begin ID SENDER RECIPIENT COPY_TO BODY   "-" is none or null; BODY is octets, or NxSIZE lines
 *     next MS                                  one event, or nothing after so long
 *     release ID | abandon ID | rest | room | try SENDER
 *
 * In BODY "\r", "\n", "\0" and "\xHH" stand for those octets.
 */
#include "real_clock.h"
#include "settings.h"

#include <onecase/smtp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS 64

static struct smtp_settings settings = {.connections = 1, .final_timeout_ms = 2000};
static struct clock clock_;
static struct courier courier;
static struct str bodies[LETTERS]; /* by id; they are borrowed until settled */

static void set(const char *word)
{
    const char *value;

    if (set_endpoint(&settings.endpoint, word))
        return;
    if ((value = value_of(word, "connections")) != NULL)
        settings.connections = strtoul(value, NULL, 10);
    else if ((value = value_of(word, "rate")) != NULL)
        settings.rate = strtoll(value, NULL, 10);
    else if ((value = value_of(word, "final_timeout")) != NULL)
        settings.final_timeout_ms = strtoll(value, NULL, 10);
    else
        exit(64);
}

static void add_escaped(struct str *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text != '\\') {
            str_addc(out, *text);
        } else if (*++text == 'x') {
            char hex[3] = {text[1], text[2], '\0'};

            str_addc(out, (char)strtol(hex, NULL, 16));
            text += 2;
        } else {
            str_addc(out, *text == 'r' ? '\r' : *text == 'n' ? '\n' : '\0');
        }
    }
}

static void make_body(struct str *out, const char *text)
{
    size_t lines = 0;
    size_t size = 0;

    str_empty(out);
    if (sscanf(text, "%zux%zu", &lines, &size) != 2) {
        add_escaped(out, text);
        return;
    }
    str_addz(out, "Subject: test\r\n\r\n");
    for (size_t i = 0; i < lines; i++)
        str_addf(out, "%0*zu\r\n", (int)size, i);
}

static const char *word_or(const char *word, const char *none)
{
    return word == NULL || strcmp(word, "-") == 0 ? none : word;
}

static void say_rc(const char *what, long long id, enum rc rc, const struct err *err)
{
    printf("{\"event\":\"%s\",\"id\":%lld,\"rc\":\"%s\",\"text\":", what, id, rc_text(rc));
    print_text(slice_z(rc == RC_OK ? "" : err->text));
    printf("}\n");
}

static void begin(char **words)
{
    struct err err = ERR_INIT;
    struct letter letter = {.id = strtoll(words[1], NULL, 10),
                            .sender = word_or(words[2], ""),
                            .recipient = word_or(words[3], ""),
                            .copy_to = word_or(words[4], NULL)};
    struct str *body = &bodies[letter.id % LETTERS];

    make_body(body, words[5]);
    letter.octets = str_slice(body);
    enum rc rc = courier.begin(courier.self, &letter, &err);
    say_rc("begun", letter.id, rc, &err);
}

static void next(int64_t ms)
{
    static const char *const what[] = {"nothing", "ready", "settled", "given back"};
    struct err err = ERR_INIT;
    struct courier_event e;
    int64_t started = real_ms(CLOCK_BOOTTIME);

    if (courier.next(courier.self, started + ms, &e, &err) != RC_OK)
        exit(70);
    printf("{\"event\":\"%s\",\"id\":%lld,\"stage\":\"%s\",\"code\":%d,\"enhanced\":\"%s\","
           "\"meets_item\":%s,\"line_left\":%s,\"closed\":%s,\"took_ms\":%lld,\"reply\":",
           what[e.what], (long long)e.id, stage_text(e.stage), e.code, e.enhanced,
           e.meets_item ? "true" : "false", e.line_left ? "true" : "false",
           e.closed ? "true" : "false", (long long)(real_ms(CLOCK_BOOTTIME) - started));
    print_text(slice_z(e.reply));
    printf("}\n");
}

static void try_it(const char *sender)
{
    CLEANUP(str_clear) struct str said = STR_INIT;
    struct err err = ERR_INIT;
    enum rc rc = smtp_try(&settings.endpoint, &clock_, sender, &said, &err);

    if (rc == RC_OK)
        snprintf(err.text, sizeof err.text, "%s", str_z(&said));
    printf("{\"event\":\"tried\",\"rc\":\"%s\",\"text\":", rc_text(rc));
    print_text(slice_z(err.text));
    printf("}\n");
}

static void obey(char *line)
{
    char *words[6] = {NULL};
    size_t count = 0;
    char *rest = line;

    while (count < 5 && (words[count] = strtok_r(rest, " \n", &rest)) != NULL)
        count++;
    if (count == 0)
        return;
    if (count == 5) /* the rest of the line as it is */
        words[count++] = strtok_r(rest, "\n", &rest);
    if (strcmp(words[0], "begin") == 0 && words[5] != NULL)
        begin(words);
    else if (strcmp(words[0], "next") == 0 && count == 2)
        next(strtoll(words[1], NULL, 10));
    else if (strcmp(words[0], "release") == 0 && count == 2)
        courier.release(courier.self, strtoll(words[1], NULL, 10));
    else if (strcmp(words[0], "abandon") == 0 && count == 2)
        courier.abandon(courier.self, strtoll(words[1], NULL, 10));
    else if (strcmp(words[0], "rest") == 0)
        courier.rest(courier.self);
    else if (strcmp(words[0], "room") == 0)
        printf("{\"event\":\"room\",\"room\":%zu}\n", courier.room(courier.self));
    else if (strcmp(words[0], "try") == 0 && count == 2)
        try_it(word_or(words[1], ""));
    else
        exit(64);
}

int main(int argc, char **argv)
{
    struct smtp_courier *real;
    char line[4096];

    for (int i = 1; i < argc; i++)
        set(argv[i]);
    clock_ = real_clock();
    real = smtp_courier_new(&settings, &clock_);
    courier = smtp_courier_port(real);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL)
        obey(line);
    smtp_courier_free(real);
    for (size_t i = 0; i < LETTERS; i++)
        str_clear(&bodies[i]);
    return 0;
}
