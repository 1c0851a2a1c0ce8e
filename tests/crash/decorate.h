/* SPDX-License-Identifier: Apache-2.0
 *
 * decorate - every function of the service's ports with a point before and after it.
 *
 * The linker puts these in front of the real ones (--wrap); src/ knows nothing of it. Not decorated
 * are those that can neither fail nor change anything: clock.now, processes.random, courier.room.
 * There is one service in a process.
 */
#pragma once

#include <onecase/destination.h>
#include <onecase/service.h>

const struct ledger *decorated_ledger(const struct ledger *real);
const struct mailbox *decorated_mailbox(const struct mailbox *real);
const struct courier *decorated_courier(const struct courier *real);             /* NULL for NULL */
const struct destination *decorated_destination(const struct destination *real); /* NULL for NULL */
const struct blobs *decorated_blobs(const struct blobs *real);
const struct files *decorated_files(const struct files *real);
