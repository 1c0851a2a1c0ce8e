/* SPDX-License-Identifier: Apache-2.0
 *
 * address_entry - an address field taken apart into the entries of its list, and those into tokens.
 *
 * A field is walked once, by tokens: quoted strings, comments, encoded words and single octets. What
 * opens and never closes is an octet like any other; that nothing closes it is found once and holds
 * for all that follows (`open`), which keeps the walk linear.
 */
#pragma once

#include <onecase/str.h>

struct address_walk {
    struct slice text;
    size_t at;
    bool quote_open, comment_open;
};

/* One entry of the list, still raw: what stands before its bracket, in it, and in its comment. */
struct address_entry {
    struct str before, within, comment;
    bool bracket;
};

/* Takes the next token; its kind is its first octet. */
struct slice address_token(struct address_walk *w);
bool token_is_quoted(struct slice token);
bool token_is_comment(struct slice token);
bool token_is(struct slice token, char c); /* that octet, alone */
bool has_at_sign(struct slice s);

/* Takes what stands up to the next separator. False where nothing is left. `e` is zeroed or a former
 * result. */
bool address_entry_take(struct address_walk *w, struct address_entry *e);
void address_entry_clear(struct address_entry *e); /* for CLEANUP */
