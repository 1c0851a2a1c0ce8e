/* SPDX-License-Identifier: Apache-2.0
 *
 * lease - when an item's lease may be taken over.
 *
 * item.lease_boot is boot time on the holder's host, so it is compared only where the holder's boot
 * id is that of the run that asks. A holder whose end is recorded holds nothing; nor does one of an
 * earlier boot of the asking run's host. Of a holder on another host only its last renewal is known,
 * in wall time: it is given the whole lease from there.
 *
 * LEASE_FREE is a condition on `item` with
 *     JOIN run AS me ON me.id = $1  LEFT JOIN run AS holder ON holder.id = item.lease_run
 * and the parameters $2 boot time now, $3 wall time now, $4 length of a lease.
 */
#pragma once

#define LEASE_FREE                                                                                 \
    "(item.lease_run IS NULL OR holder.ended_at IS NOT NULL"                                       \
    " OR (holder.boot_id = me.boot_id AND item.lease_boot <= $2)"                                  \
    " OR (holder.boot_id <> me.boot_id AND holder.host = me.host)"                                 \
    " OR (holder.host <> me.host AND holder.beat_at + $4 <= $3))"
