/* SPDX-License-Identifier: Apache-2.0
 *
 * mailbox_tool NAME=VALUE... - the real mailbox port, worked by lines on standard input; what it says
 * goes to standard output, one JSON object a line.
 *
 *     open FOLDER                             describe
 *     list FOLDER UIDVALIDITY FIRST           append FOLDER OCTETS
 *     fetch FOLDER UIDVALIDITY UID...         remove FOLDER UIDVALIDITY UID
 *     header FOLDER UIDVALIDITY UID...        search FOLDER HEADER VALUE
 *     move FOLDER UIDVALIDITY TO UID...       wait FOLDER MS
 *
 * A fetch tells digest and length of each message, and its octets where they are few. In a word "~" is
 * a blank, "\r", "\n" and "\xHH" are those octets; ONLY=N in place of the first UID of a fetch makes
 * the sink refuse after N octets.
 */
#include "real_clock.h"
#include "settings.h"

#include <onecase/digest.h>
#include <onecase/imap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS    400
#define FEW      200
#define NO_LIMIT SIZE_MAX

static struct mailbox port;
static char *words[WORDS];
static size_t word_count;

static void unescape(char *word)
{
    char *to = word;

    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '~') {
            *to++ = ' ';
        } else if (*at != '\\') {
            *to++ = *at;
        } else if (*++at == 'x') {
            char hex[3] = {at[1], at[2], '\0'};

            *to++ = (char)strtol(hex, NULL, 16);
            at += 2;
        } else {
            *to++ = *at == 'r' ? '\r' : '\n';
        }
    }
    *to = '\0';
}

static uint32_t number(size_t at)
{
    return at < word_count ? (uint32_t)strtoul(words[at], NULL, 10) : 0;
}

static const char *word(size_t at)
{
    return at < word_count ? words[at] : "";
}

/* Every object ends with what came of the call. */
static void end(enum rc rc, const struct err *err)
{
    printf("\"rc\":\"%s\",\"text\":", rc_text(rc));
    print_text(slice_z(rc == RC_OK ? "" : err->text));
    printf("}\n");
}

static void do_open(void)
{
    struct err err = ERR_INIT;
    struct folder_state state = {0, 0, 0};
    enum rc rc = port.open(port.self, word(1), &state, &err);

    printf("{\"uidvalidity\":%u,\"uidnext\":%u,\"exists\":%u,", state.uidvalidity, state.uidnext,
           state.exists);
    end(rc, &err);
}

static void do_list(void)
{
    struct err err = ERR_INIT;
    CLEANUP(mem_free) struct mail_line *lines = NULL;
    size_t count = 0;
    enum rc rc = port.list(port.self, word(1), number(2), number(3), &lines, &count, &err);

    printf("{\"lines\":[");
    for (size_t i = 0; i < count; i++)
        printf("%s[%u,%lld,%lld]", i > 0 ? "," : "", lines[i].uid, (long long)lines[i].internal_ms,
               (long long)lines[i].size);
    printf("],");
    end(rc, &err);
}

struct taking {
    struct sha256 *hash;
    struct str few;
    size_t len, most, ended;
    uint32_t uid;
};

static enum rc take_begin(void *ctx, const struct mail_line *line, struct err *err)
{
    struct taking *t = ctx;

    (void)err;
    if (t->hash != NULL)
        sha256_drop(&t->hash);
    t->hash = sha256_new();
    t->len = 0;
    t->uid = line->uid;
    str_empty(&t->few);
    return RC_OK;
}

static enum rc take_add(void *ctx, struct slice octets, struct err *err)
{
    struct taking *t = ctx;

    t->len += octets.len;
    if (t->len > t->most)
        return FAIL(err, RC_BROKEN, "sink: enough");
    sha256_add(t->hash, octets);
    str_add(&t->few, slice_cut(octets, 0, FEW));
    return RC_OK;
}

static enum rc take_end(void *ctx, struct err *err)
{
    struct taking *t = ctx;
    struct digest digest = sha256_done(&t->hash);
    char hex[DIGEST_HEX_SIZE];

    (void)err;
    digest_hex(&digest, hex);
    printf("%s{\"uid\":%u,\"len\":%zu,\"sha256\":\"%s\",\"octets\":", t->ended++ > 0 ? "," : "",
           t->uid, t->len, hex);
    print_text(t->len <= FEW ? str_slice(&t->few) : SLICE_EMPTY);
    putchar('}');
    return RC_OK;
}

static void do_fetch(bool header_only)
{
    struct err err = ERR_INIT;
    struct taking t = {.most = NO_LIMIT, .few = STR_INIT};
    struct fetch_sink sink = {&t, take_begin, take_add, take_end};
    CLEANUP(mem_free) uint32_t *uid = mem_new(WORDS, sizeof *uid);
    size_t count = 0;
    enum rc rc;

    for (size_t i = 3; i < word_count; i++) {
        const char *only = value_of(words[i], "ONLY");

        if (only != NULL)
            t.most = strtoul(only, NULL, 10);
        else
            uid[count++] = number(i);
    }
    printf("{\"messages\":[");
    rc = port.fetch(port.self, word(1), number(2), uid, count, header_only, &sink, &err);
    printf("],");
    end(rc, &err);
    if (t.hash != NULL)
        sha256_drop(&t.hash);
    str_clear(&t.few);
}

static void do_move(void)
{
    static const char *const moved[] = {"not", "yes", "absent", "unknown"};
    struct err err = ERR_INIT;
    CLEANUP(mem_free) struct move_result *set = mem_new(WORDS, sizeof *set);
    size_t count = 0;
    enum rc rc;

    for (size_t i = 4; i < word_count; i++)
        set[count++].uid = number(i);
    rc = port.move(port.self, word(1), number(2), set, count, word(3), &err);
    printf("{\"moved\":[");
    for (size_t i = 0; i < count; i++)
        printf("%s[%u,\"%s\",%u,%u]", i > 0 ? "," : "", set[i].uid, moved[set[i].moved],
               set[i].new_uidvalidity, set[i].new_uid);
    printf("],");
    end(rc, &err);
}

static void do_search(void)
{
    struct err err = ERR_INIT;
    CLEANUP(mem_free) uint32_t *uid = NULL;
    uint32_t uidvalidity = 0;
    size_t count = 0;
    enum rc rc =
        port.search(port.self, word(1), word(2), word(3), &uidvalidity, &uid, &count, &err);

    printf("{\"uidvalidity\":%u,\"uids\":[", uidvalidity);
    for (size_t i = 0; i < count; i++)
        printf("%s%u", i > 0 ? "," : "", uid[i]);
    printf("],");
    end(rc, &err);
}

static void do_wait(void)
{
    struct err err = ERR_INIT;
    int64_t started = real_ms(CLOCK_BOOTTIME);
    enum rc rc = port.wait(port.self, word(1), number(2), &err);

    printf("{\"took_ms\":%lld,", (long long)(real_ms(CLOCK_BOOTTIME) - started));
    end(rc, &err);
}

static void obey(struct imap_mailbox *mailbox)
{
    struct err err = ERR_INIT;
    CLEANUP(str_clear) struct str said = STR_INIT;
    const char *what = word(0);

    if (strcmp(what, "open") == 0) {
        do_open();
    } else if (strcmp(what, "list") == 0) {
        do_list();
    } else if (strcmp(what, "fetch") == 0 || strcmp(what, "header") == 0) {
        do_fetch(what[0] == 'h');
    } else if (strcmp(what, "move") == 0) {
        do_move();
    } else if (strcmp(what, "search") == 0) {
        do_search();
    } else if (strcmp(what, "wait") == 0) {
        do_wait();
    } else if (strcmp(what, "append") == 0) {
        printf("{");
        enum rc rc = port.append(port.self, word(1), slice_z(word(2)), &err);
        end(rc, &err);
    } else if (strcmp(what, "remove") == 0) {
        printf("{");
        enum rc rc = port.remove(port.self, word(1), number(2), number(3), &err);
        end(rc, &err);
    } else if (strcmp(what, "describe") == 0) {
        enum rc rc = imap_mailbox_describe(mailbox, &said, &err);

        printf("{\"said\":");
        print_text(str_slice(&said));
        printf(",");
        end(rc, &err);
    } else {
        exit(64);
    }
}

int main(int argc, char **argv)
{
    static char line[65536];
    struct endpoint endpoint = {.timeout_ms = 3000};
    struct clock clock_ = real_clock();
    struct imap_mailbox *mailbox;
    int wake_fd = -1;

    for (int i = 1; i < argc; i++) {
        const char *fd = value_of(argv[i], "wake_fd");

        if (fd != NULL)
            wake_fd = (int)strtol(fd, NULL, 10);
        else if (!set_endpoint(&endpoint, argv[i]))
            return 64;
    }
    mailbox = imap_mailbox_new(&endpoint, &clock_, wake_fd);
    port = imap_mailbox_port(mailbox);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *rest = line;

        for (word_count = 0; word_count < WORDS; word_count++) {
            words[word_count] = strtok_r(rest, " \n", &rest);
            if (words[word_count] == NULL)
                break;
            unescape(words[word_count]);
        }
        if (word_count > 0)
            obey(mailbox);
    }
    imap_mailbox_free(mailbox);
    return 0;
}
