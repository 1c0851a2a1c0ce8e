/* SPDX-License-Identifier: Apache-2.0
 *
 * ids - message ids in fields that hold several: In-Reply-To, References.
 */
#pragma once

#include <onecase/message.h>

/* Adds the ids of a raw value to a list, each as message_id_normalise writes it. Without brackets a
 * word with an at sign counts. Of more than `most` the first and the last ones are added, since the
 * first began the thread and the last are answered; false then. */
bool ids_add(struct slice raw, size_t most, struct message *out, struct span *list);
