/* SPDX-License-Identifier: Apache-2.0
 *
 * commit - what a run did to its items, in one transaction.
 *
 * A change is guarded by the item's lease: fence and run, whether the lease has ended or not, since
 * nobody has taken it over then. Without a fence only the state guards: what evidence shows, what
 * turned out to be the server's answer to everybody, and the item's step that goes with it.
 *
 * What follows from a step is written with it: a move that is done took its delivery out of its
 * folder, an attachment that is done is stored, an acknowledgement that is in doubt is settled by
 * evidence that came before. A move is armed only where every condition of acceptance is stored as
 * held.
 */
#pragma once

#include "chain.h"

#include <onecase/ledger.h>

struct changes {
    const struct change *at;
    size_t count;
};

/* `failed` is the place of the change that failed. */
enum rc changes_apply(struct writing *w, const struct changes *c, size_t *failed, struct err *err)
    MUST_CHECK;

/* Puts "***" in place of the local part of whatever looks like an address; anything that is not
 * printable ASCII becomes "?". */
void addresses_mask(struct slice text, struct str *out);
