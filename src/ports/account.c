/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/accounts.h>

#include <string.h>

#define ROLE_TEXT(name, text, meaning) text,
#define ROLE_SAYS(name, text, meaning) meaning,
static const char *const texts[] = {ROLE_LIST(ROLE_TEXT)};
static const char *const meanings[] = {ROLE_LIST(ROLE_SAYS)};

const char *role_text(enum role role)
{
    return role < ROLE_COUNT ? texts[role] : "?";
}

const char *role_meaning(enum role role)
{
    return role < ROLE_COUNT ? meanings[role] : "?";
}

bool role_parse(const char *text, enum role *out)
{
    for (size_t i = 0; text && i < ROLE_COUNT; i++)
        if (strcmp(texts[i], text) == 0) {
            *out = (enum role)i;
            return true;
        }
    return false;
}

bool account_name_valid(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-";
    size_t n = name ? strlen(name) : 0;
    return n > 0 && n < ACCOUNT_NAME_SIZE && strspn(name, first) > 0 && strspn(name, more) == n;
}
