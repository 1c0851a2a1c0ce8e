/* SPDX-License-Identifier: Apache-2.0 */
/* links: core ports store */
#include "store_fixture.h"

#include <onecase/accounts.h>

static const struct session_limits limits = {.idle_ms = MINUTES(30), .whole_ms = HOURS(12)};

static struct digest digest_of(const char *text)
{
    return sha256_of(slice_z(text));
}

static void add_user(struct desk *d, const char *name, enum role role)
{
    struct accounts a = store_accounts(d->store);

    must(d, a.add(a.self, name, role, "$scrypt$kept", d->now, &d->err));
}

static void sign_in(struct desk *d, const char *session, const char *name)
{
    struct sessions s = store_sessions(d->store);
    const struct digest id = digest_of(session);

    must(d, s.begin(s.self, &id, name, d->now, &d->err));
}

static enum rc whose(struct desk *d, const char *session, struct account *out)
{
    struct sessions s = store_sessions(d->store);
    const struct digest id = digest_of(session);

    return s.find(s.self, &id, &limits, d->now, out, &d->err);
}

/* ---- users -------------------------------------------------------------------------------------- */

static void a_name_is_one_users(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);
    struct account found;

    add_user(d, "ann", ROLE_OPERATOR);
    assert_int_equal(a.add(a.self, "ann", ROLE_ADMIN, "other", d->now, &d->err), RC_CONFLICT);
    must(d, a.find(a.self, "ann", &found, &d->err));
    assert_int_equal(found.role, ROLE_OPERATOR);
    assert_string_equal(found.secret, "$scrypt$kept");
    assert_int_equal(a.find(a.self, "Ann", &found, &d->err), RC_NOT_FOUND);
    assert_int_equal(a.find(a.self, "ann' OR 1=1 --", &found, &d->err), RC_NOT_FOUND);
}

static void who_is_removed_is_nobody_and_may_come_back(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);
    struct account found;

    add_user(d, "ann", ROLE_ADMIN);
    must(d, a.remove(a.self, "ann", d->now, &d->err));
    assert_int_equal(a.find(a.self, "ann", &found, &d->err), RC_NOT_FOUND);
    assert_int_equal(a.change(a.self, "ann", ROLE_ADMIN, NULL, d->now, &d->err), RC_NOT_FOUND);
    assert_int_equal(a.remove(a.self, "ann", d->now, &d->err), RC_NOT_FOUND);
    assert_string_equal(LOOK(d, "secret || '.' AS v FROM \"user\" WHERE name = $1", "ann"), ".");
    add_user(d, "ann", ROLE_VIEWER);
    must(d, a.find(a.self, "ann", &found, &d->err));
    assert_int_equal(found.role, ROLE_VIEWER);
}

static void what_is_not_said_stays_as_it_is(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);
    struct account found;

    add_user(d, "ann", ROLE_OPERATOR);
    must(d, a.change(a.self, "ann", ROLE_COUNT, "new secret", d->now, &d->err));
    must(d, a.change(a.self, "ann", ROLE_OWNER, NULL, d->now, &d->err));
    must(d, a.find(a.self, "ann", &found, &d->err));
    assert_int_equal(found.role, ROLE_OWNER);
    assert_string_equal(found.secret, "new secret");
}

/* Names are personal: the chain, which nothing erases, has numbers. */
static void the_chain_names_no_user(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);

    add_user(d, "ann", ROLE_OPERATOR);
    must(d, a.remove(a.self, "ann", d->now, &d->err));
    assert_int_equal(COUNT(d, "event WHERE what = $1", "user-add"), 1);
    assert_int_equal(COUNT(d, "event WHERE what = $1", "user-remove"), 1);
    assert_int_equal(COUNT(d, "event WHERE subject || actor LIKE '%' || $1 || '%'", "ann"), 0);
}

/* ---- sessions ----------------------------------------------------------------------------------- */

static void a_session_is_its_users_with_the_role_of_today(void **state)
{
    struct desk *d = *state;
    struct account found;

    add_user(d, "ann", ROLE_OPERATOR);
    sign_in(d, "s1", "ann");
    must(d, whose(d, "s1", &found));
    assert_string_equal(found.name, "ann");
    assert_int_equal(whose(d, "s2", &found), RC_NOT_FOUND);
    assert_int_equal(COUNT(d, "session WHERE id = $1", "s1"), 0);
}

static void a_session_ends_by_silence_by_age_and_by_its_end(void **state)
{
    struct desk *d = *state;
    struct sessions s = store_sessions(d->store);
    const struct digest id = digest_of("s3");
    struct account found;

    add_user(d, "ann", ROLE_OPERATOR);
    sign_in(d, "s1", "ann");
    pass(d, limits.idle_ms + 1);
    assert_int_equal(whose(d, "s1", &found), RC_NOT_FOUND);
    sign_in(d, "s2", "ann");
    for (int64_t spent = 0; spent < limits.whole_ms; spent += MINUTES(20)) {
        must(d, whose(d, "s2", &found));
        pass(d, MINUTES(20));
    }
    pass(d, 1);
    assert_int_equal(whose(d, "s2", &found), RC_NOT_FOUND);
    sign_in(d, "s3", "ann");
    must(d, s.end(s.self, &id, d->now, &d->err));
    assert_int_equal(whose(d, "s3", &found), RC_NOT_FOUND);
}

static void whatever_changes_a_user_ends_their_sessions_and_nobody_elses(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);
    struct account found;

    add_user(d, "ann", ROLE_OPERATOR);
    add_user(d, "bob", ROLE_OPERATOR);
    sign_in(d, "bobs", "bob");
    sign_in(d, "s1", "ann");
    must(d, a.change(a.self, "ann", ROLE_VIEWER, NULL, d->now, &d->err));
    assert_int_equal(whose(d, "s1", &found), RC_NOT_FOUND);
    sign_in(d, "s2", "ann");
    must(d, a.change(a.self, "ann", ROLE_COUNT, "new", d->now, &d->err));
    assert_int_equal(whose(d, "s2", &found), RC_NOT_FOUND);
    sign_in(d, "s3", "ann");
    must(d, a.remove(a.self, "ann", d->now, &d->err));
    assert_int_equal(whose(d, "s3", &found), RC_NOT_FOUND);
    must(d, whose(d, "bobs", &found));
}

static void failures_are_counted_by_subject_and_forgotten(void **state)
{
    struct desk *d = *state;
    struct sessions s = store_sessions(d->store);
    const struct digest subject[] = {digest_of("an address"), digest_of("an account")};
    int64_t n;

    must(d, s.failed(s.self, subject, 2, d->now, &d->err));
    must(d, s.failed(s.self, subject, 1, d->now, &d->err));
    must(d, s.failures(s.self, &subject[0], d->now.wall_ms - MINUTES(15), &n, &d->err));
    assert_int_equal(n, 2);
    must(d, s.failures(s.self, &subject[1], d->now.wall_ms - MINUTES(15), &n, &d->err));
    assert_int_equal(n, 1);
    must(d, s.failures(s.self, &subject[0], d->now.wall_ms + 1, &n, &d->err));
    assert_int_equal(n, 0);
}

/* ---- tokens ------------------------------------------------------------------------------------- */

static void a_token_is_known_by_its_digest_until_it_ends(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);
    const struct digest token = digest_of("secret"), other = digest_of("Secret");
    struct account found;

    must(d, a.add_token(a.self, "script", ROLE_VIEWER, &token, d->now, &d->err));
    assert_int_equal(a.add_token(a.self, "script", ROLE_ADMIN, &other, d->now, &d->err),
                     RC_CONFLICT);
    must(d, a.find_token(a.self, &token, &found, &d->err));
    assert_string_equal(found.name, "script");
    assert_int_equal(found.role, ROLE_VIEWER);
    assert_int_equal(a.find_token(a.self, &other, &found, &d->err), RC_NOT_FOUND);
    must(d, a.end_token(a.self, "script", d->now, &d->err));
    assert_int_equal(a.find_token(a.self, &token, &found, &d->err), RC_NOT_FOUND);
    assert_int_equal(a.end_token(a.self, "script", d->now, &d->err), RC_NOT_FOUND);
}

/* A user's name is no token's, and a token's no user's. */
static void a_token_is_no_user(void **state)
{
    struct desk *d = *state;
    struct accounts a = store_accounts(d->store);
    const struct digest token = digest_of("secret");
    struct account found;

    must(d, a.add_token(a.self, "script", ROLE_ADMIN, &token, d->now, &d->err));
    assert_int_equal(a.find(a.self, "script", &found, &d->err), RC_NOT_FOUND);
    add_user(d, "script", ROLE_VIEWER);
    must(d, a.find(a.self, "script", &found, &d->err));
    assert_int_equal(found.role, ROLE_VIEWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AT_DESK(a_name_is_one_users),
        AT_DESK(who_is_removed_is_nobody_and_may_come_back),
        AT_DESK(what_is_not_said_stays_as_it_is),
        AT_DESK(the_chain_names_no_user),
        AT_DESK(a_session_is_its_users_with_the_role_of_today),
        AT_DESK(a_session_ends_by_silence_by_age_and_by_its_end),
        AT_DESK(whatever_changes_a_user_ends_their_sessions_and_nobody_elses),
        AT_DESK(failures_are_counted_by_subject_and_forgotten),
        AT_DESK(a_token_is_known_by_its_digest_until_it_ends),
        AT_DESK(a_token_is_no_user),
    };

    return RUN_TESTS(tests);
}
