/* SPDX-License-Identifier: Apache-2.0
 *
 * lease - when an item's lease may be taken over.
 *
 * item.lease_boot is by the clock that the holder's run names: the database's own, where it has one, which
 * every run reads alike; else boot time on the holder's host, which is compared only where the holder's boot
 * id is that of the run that asks. Now by that clock is writing.lease_now_ms. A holder whose end is recorded holds nothing; nor does one of an
 * earlier boot of the asking run's host. Of a holder on another host, without a clock that is shared, only its last renewal is known,
 * in wall time: it is given the whole lease from there.
 *
 * LEASE_FREE is a condition on `item` with
 *     JOIN run AS me ON me.id = $1  LEFT JOIN run AS holder ON holder.id = item.lease_run
 * and the parameters $2 now by the lease's clock, $3 wall time now, $4 length of a lease.
 */
#pragma once

#include <onecase/clock.h>
#include <onecase/err.h>

#define SAME_LEASE_CLOCK                                                                           \
    "(holder.lease_clock = me.lease_clock"                                                         \
    " AND (me.lease_clock <> '' OR holder.boot_id = me.boot_id))"
#define LEASE_FREE                                                                                 \
    "(item.lease_run IS NULL OR holder.ended_at IS NOT NULL"                                       \
    " OR (" SAME_LEASE_CLOCK " AND item.lease_boot <= $2)"                                         \
    " OR (holder.lease_clock = '' AND holder.boot_id <> me.boot_id AND holder.host = me.host)"     \
    " OR (holder.lease_clock = '' AND holder.host <> me.host AND holder.beat_at + $4 <= $3))"

/* Now by the clock that leases are measured with. */
struct store;
enum rc lease_now(struct store *store, struct instant now, int64_t *out, struct err *err)
    MUST_CHECK;
