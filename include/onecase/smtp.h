/* SPDX-License-Identifier: Apache-2.0
 *
 * smtp - the courier port over real connections, in one thread and one poll loop.
 *
 * At most `connections` letters are under way, each on a connection of its own that is kept for the
 * next. Connecting, TLS and sign-in go on beside the others. Where the server offers PIPELINING
 * (RFC 2920) MAIL, RCPT and DATA are said at once, and each reply still has its stage: the verdict on
 * a letter is the first refusal. The end-of-data line may begin such a group (RFC 2920 3.1): where a letter
 * was begun behind the one that is ready, its MAIL, RCPT and DATA leave with the line, and each letter then
 * costs one round trip. Its body comes after the 354, and so after the reply to the line. Where the first
 * letter takes its connection with it, the one behind it is given back. A server that answers 354 to a
 * letter without a recipient gets no body: its connection is closed. A kept connection that turns out
 * to be closed, or answers 421, before MAIL was answered is made anew once; so is one on which MAIL behind a
 * line is refused or not answered, and after two such in a row nothing is said behind a line for an hour.
 * Nothing else is tried again. Replies are told apart by their order alone (RFC 2920): a server that leaves out
 * the one to a line and answers MAIL behind it cannot be found out before RCPT, and is then asked there no more.
 *
 * Where no reply came, an event's `reply` says in our words what went wrong; its `code` is 0. A
 * connection that failed is closed so that nothing of its letter leaves any more.
 *
 * Closing never waits. What the endpoint points to must outlive the courier.
 */
#pragma once

#include <onecase/connection.h>
#include <onecase/courier.h>

struct smtp_settings {
    struct endpoint endpoint;
    size_t connections;       /* 1 where it is 0 */
    int64_t rate;             /* letters begun a minute, evenly; 0 is no limit */
    int64_t final_timeout_ms; /* for the reply to the end-of-data line */
};

struct smtp_courier;

struct smtp_courier *smtp_courier_new(const struct smtp_settings *settings,
                                      const struct clock *clock) MUST_CHECK;
void smtp_courier_free(struct smtp_courier *courier);
struct courier smtp_courier_port(struct smtp_courier *courier);

/* Connects, signs in, says MAIL FROM with `sender`, takes it back and leaves: whether the server
 * would carry mail for us. `said` gets the server's answer to MAIL. Waits; for `doctor`. */
enum rc smtp_try(const struct endpoint *endpoint,
                 const struct clock *clock,
                 const char *sender,
                 struct str *said,
                 struct err *err) MUST_CHECK;
