/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *value_of(const char *word, const char *name)
{
    size_t len = strlen(name);

    return strncmp(word, name, len) == 0 && word[len] == '=' ? word + len + 1 : NULL;
}

static int choice(const char *value, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    fprintf(stderr, "%s?\n", value);
    exit(64);
}

static bool set_choice(struct endpoint *e, const char *word)
{
    static const char *const securities[] = {"tls", "starttls", "none"};
    static const char *const sign_ins[] = {"none",        "password", "scram-sha-256",
                                           "scram-sha-1", "cram-md5", "plain",
                                           "login",       "xoauth2",  "oauthbearer"};
    const char *value;

    if ((value = value_of(word, "security")) != NULL)
        e->security = (enum security)choice(value, securities, 3);
    else if ((value = value_of(word, "sign_in")) != NULL)
        e->sign_in = (enum sign_in)choice(value, sign_ins, LENGTH(sign_ins));
    else if ((value = value_of(word, "allow_plaintext")) != NULL)
        e->allow_plaintext = strcmp(value, "yes") == 0;
    return value != NULL;
}

bool set_endpoint(struct endpoint *e, const char *word)
{
    const struct {
        const char *name;
        const char **into;
    } texts[] = {
        {"host", &e->host},       {"username", &e->username}, {"secret", &e->secret},
        {"ca_file", &e->ca_file}, {"proxy", &e->proxy},
    };
    const char *value;

    for (size_t i = 0; i < LENGTH(texts); i++) {
        value = value_of(word, texts[i].name);
        if (value != NULL)
            *texts[i].into = value;
        if (value != NULL)
            return true;
    }
    if ((value = value_of(word, "port")) != NULL)
        e->port = (uint16_t)strtoul(value, NULL, 10);
    else if ((value = value_of(word, "timeout")) != NULL)
        e->timeout_ms = strtoll(value, NULL, 10);
    return value != NULL || set_choice(e, word);
}

void print_text(struct slice text)
{
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ' || c >= 0x7F)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}
