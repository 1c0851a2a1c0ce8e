/* SPDX-License-Identifier: Apache-2.0
 *
 * user, token: who may use the console and its interface.
 */
#include "cli_p.h"

#include <onecase/accounts.h>
#include <onecase/when.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum rc asked_name(const struct call *call, const char **out, struct err *err)
{
    *out = args_get(&call->args, "NAME");
    if (account_name_valid(*out))
        return RC_OK;
    return FAIL(err, RC_USAGE,
                "a name has up to %d letters, digits, '.', '-', '_' and '@', and begins with a "
                "letter or digit",
                ACCOUNT_NAME_SIZE - 1);
}

static enum rc asked_role(const char *text, enum role *out, struct err *err)
{
    if (role_parse(text, out))
        return RC_OK;
    return FAIL(err, RC_USAGE, "a role is one of viewer, operator, owner and admin");
}

/* ---- a password, from the terminal or as a line of standard input -------------------------------------- */

static enum rc read_password(struct str *out, struct err *err)
{
    CLEANUP(str_wipe) struct str again = STR_INIT;
    bool terminal = isatty(STDIN_FILENO) == 1;
    if (terminal)
        typed_hidden("Password: ", PASSWORD_MOST, out);
    else
        typed_line(PASSWORD_MOST, out);
    if (out->len < PASSWORD_LEAST || out->len > PASSWORD_MOST)
        return FAIL(err, RC_USAGE, "a password has %d to %d octets; nothing was changed",
                    PASSWORD_LEAST, PASSWORD_MOST);
    if (terminal)
        typed_hidden("Once more: ", PASSWORD_MOST, &again);
    if (terminal && !slice_eq(str_slice(out), str_slice(&again)))
        return FAIL(err, RC_USAGE, "the two are not the same; nothing was changed");
    return RC_OK;
}

static enum rc new_secret(char out[SECRET_SIZE], struct err *err)
{
    CLEANUP(str_wipe) struct str password = STR_INIT;
    TRY(read_password(&password, err));
    secret_keep(str_slice(&password), out);
    return RC_OK;
}

/* ---- users --------------------------------------------------------------------------------------------- */

int cmd_user_add(struct call *call)
{
    const struct accounts *a = call->ops->accounts;
    struct instant now = {.wall_ms = call->now_ms};
    char secret[SECRET_SIZE];
    const char *name;
    enum role role;
    struct account there;
    struct err err = ERR_INIT;
    if (asked_name(call, &name, &err) != RC_OK ||
        asked_role(args_get(&call->args, "--role"), &role, &err) != RC_OK)
        return failed(&err);
    if (a->find(a->self, name, &there, &err) == RC_OK)
        return usage(
            "there is a user '%s' already; 'onecase user role' and 'onecase user password' "
            "change one",
            name);
    if (new_secret(secret, &err) != RC_OK ||
        a->add(a->self, name, role, secret, now, &err) != RC_OK)
        return failed(&err);
    printf("%s may use the console now as %s: %s.\n", name, role_text(role), role_meaning(role));
    return EXIT_DONE;
}

int cmd_user_role(struct call *call)
{
    const struct accounts *a = call->ops->accounts;
    struct instant now = {.wall_ms = call->now_ms};
    const char *name;
    enum role role;
    struct err err = ERR_INIT;
    if (asked_name(call, &name, &err) != RC_OK ||
        asked_role(args_get(&call->args, "ROLE"), &role, &err) != RC_OK ||
        a->change(a->self, name, role, NULL, now, &err) != RC_OK)
        return failed(&err);
    printf("%s is %s now: %s. Whoever is signed in by that name signs in anew.\n", name,
           role_text(role), role_meaning(role));
    return EXIT_DONE;
}

int cmd_user_password(struct call *call)
{
    const struct accounts *a = call->ops->accounts;
    struct instant now = {.wall_ms = call->now_ms};
    char secret[SECRET_SIZE];
    const char *name;
    struct account there;
    struct err err = ERR_INIT;
    if (asked_name(call, &name, &err) != RC_OK || a->find(a->self, name, &there, &err) != RC_OK ||
        new_secret(secret, &err) != RC_OK ||
        a->change(a->self, name, ROLE_COUNT, secret, now, &err) != RC_OK)
        return failed(&err);
    printf("The password of %s is changed. Whoever is signed in by that name signs in anew.\n",
           name);
    return EXIT_DONE;
}

int cmd_user_remove(struct call *call)
{
    const struct accounts *a = call->ops->accounts;
    struct instant now = {.wall_ms = call->now_ms};
    const char *name;
    struct err err = ERR_INIT;
    if (asked_name(call, &name, &err) != RC_OK || a->remove(a->self, name, now, &err) != RC_OK)
        return failed(&err);
    printf("%s may not use the console any more.\n", name);
    return EXIT_DONE;
}

/* clang-format off */
static const struct sheet_column columns[] = {
    { "name",       "NAME",      NULL, SHEET_TEXT },
    { "role",       "ROLE",      NULL, SHEET_TEXT },
    { "created_at", "MADE",      NULL, SHEET_WHEN },
    { "seen_at",    "LAST SEEN", NULL, SHEET_WHEN },
};
/* clang-format on */

static int show(const struct call *call, const struct view *view, size_t shown, const char *none)
{
    CLEANUP(sheet_free) struct sheet *sheet = sheet_new("Users", columns, shown);
    const struct view_account *a = view->row;
    for (size_t i = 0; i < view->count; i++) {
        char made[WHEN_TEXT_SIZE], seen[WHEN_TEXT_SIZE];
        when_text(a[i].created_ms, made);
        when_text(a[i].seen_ms, seen);
        const char *cell[] = {a[i].name, a[i].role, made, a[i].seen_ms == NOT_DUE ? NULL : seen};
        sheet_row(sheet, cell);
    }
    if (view->count > 0 || call->json)
        return show_sheet(call, sheet, call->json ? SHEET_JSON : SHEET_TABLE);
    printf("%s\n", none);
    return EXIT_DONE;
}

int cmd_user_list(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct accounts *a = call->ops->accounts;
    struct err err = ERR_INIT;
    if (a->list(a->self, &view, &err) != RC_OK)
        return failed(&err);
    return show(call, &view, LENGTH(columns),
                "There are none: 'onecase user add NAME --role admin' makes one.");
}

/* ---- tokens -------------------------------------------------------------------------------------------- */

int cmd_token_add(struct call *call)
{
    const struct accounts *a = call->ops->accounts;
    struct instant now = {.wall_ms = call->now_ms};
    char token[TOKEN_SIZE];
    const char *name;
    enum role role;
    struct err err = ERR_INIT;
    token_new(token);
    struct digest digest = token_digest(slice_z(token));
    if (asked_name(call, &name, &err) != RC_OK ||
        asked_role(args_get(&call->args, "--role"), &role, &err) != RC_OK ||
        a->add_token(a->self, name, role, &digest, now, &err) != RC_OK)
        return failed(&err);
    fprintf(stderr, "This is the token, and it is shown this once:\n");
    printf("%s\n", token);
    return EXIT_DONE;
}

int cmd_token_remove(struct call *call)
{
    const struct accounts *a = call->ops->accounts;
    struct instant now = {.wall_ms = call->now_ms};
    const char *name;
    struct err err = ERR_INIT;
    if (asked_name(call, &name, &err) != RC_OK || a->end_token(a->self, name, now, &err) != RC_OK)
        return failed(&err);
    printf("The token %s opens nothing any more.\n", name);
    return EXIT_DONE;
}

int cmd_token_list(struct call *call)
{
    CLEANUP(view_clear) struct view view = {0};
    const struct accounts *a = call->ops->accounts;
    struct err err = ERR_INIT;
    if (a->tokens(a->self, &view, &err) != RC_OK)
        return failed(&err);
    return show(call, &view, LENGTH(columns) - 1, "There are none.");
}

int cmd_console(struct call *call)
{
    struct err err = ERR_INIT;
    if (!call->ops->config->listen[0])
        return usage("the configuration says that there is no console (console.listen is \"\")");
    return call->ops->console(call->ops->self, &err) == RC_OK ? EXIT_DONE : failed(&err);
}
