/* SPDX-License-Identifier: Apache-2.0
 *
 * token_tool NAME=VALUE... - the real token source, worked by lines on standard input: `get` and
 * `refused`; what it says goes to standard output, one JSON object a line.
 */
#include "real_clock.h"
#include "settings.h"

#include <onecase/token.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set(struct token_settings *s, const char *word)
{
    const struct {
        const char *name;
        const char **into;
    } texts[] = {
        {"file", &s->file},
        {"command", &s->command},
        {"url", &s->url},
        {"client_id", &s->client_id},
        {"client_secret", &s->client_secret},
        {"scope", &s->scope},
        {"refresh_token_file", &s->refresh_token_file},
        {"key_file", &s->key_file},
        {"subject", &s->subject},
        {"ca_file", &s->ca_file},
        {"proxy", &s->proxy},
    };
    const char *value;

    for (size_t i = 0; i < LENGTH(texts); i++)
        if ((value = value_of(word, texts[i].name)) != NULL) {
            *texts[i].into = value;
            return true;
        }
    if ((value = value_of(word, "timeout")) != NULL)
        s->timeout_ms = strtoll(value, NULL, 10);
    return value != NULL;
}

static void do_get(struct token_source *source)
{
    CLEANUP(str_clear) struct str token = STR_INIT;
    struct err err = ERR_INIT;
    int fd = -1;
    int waits = 0;
    enum rc rc = token_source_get(source, &token, &fd, &err);

    for (; rc == RC_OK && fd >= 0; waits++) {
        (void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 30000);
        rc = token_source_get(source, &token, &fd, &err);
    }
    printf("{\"token\":");
    print_text(str_slice(&token));
    printf(",\"waits\":%d,\"rc\":\"%s\",\"text\":", waits, rc_text(rc));
    print_text(slice_z(rc == RC_OK ? "" : err.text));
    printf("}\n");
}

int main(int argc, char **argv)
{
    struct clock clock = {.self = NULL, .now = real_now};
    struct token_settings settings = {.timeout_ms = 2000};
    CLEANUP(token_source_free) struct token_source *source = NULL;
    char line[80];

    for (int i = 1; i < argc; i++)
        if (!set(&settings, argv[i])) {
            fprintf(stderr, "token_tool: %s?\n", argv[i]);
            return 64;
        }
    source = token_source_new(&settings, &clock);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "get", 3) == 0)
            do_get(source);
        else
            printf("{\"fresh\":%s}\n", token_source_refused(source) ? "true" : "false");
        fflush(stdout);
    }
    return 0;
}
