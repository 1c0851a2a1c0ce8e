/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap - what the linker puts in front of the program's own functions (CMakeLists.txt).
 */
#pragma once

#include <onecase/blob_store.h>
#include <onecase/connection.h>
#include <onecase/service.h>
#include <onecase/webhooks.h>
#include <sqlite3.h>

enum rc __real_service_new(const struct service_ports *ports,
                           const struct service_settings *settings,
                           struct service **out,
                           struct err *err);
enum rc __wrap_service_new(const struct service_ports *ports,
                           const struct service_settings *settings,
                           struct service **out,
                           struct err *err);
enum rc __real_webhook_turn(const struct webhook_ports *port,
                            const struct webhook_settings *set,
                            struct webhook_turn *out,
                            struct err *err);
enum rc __wrap_webhook_turn(const struct webhook_ports *port,
                            const struct webhook_settings *set,
                            struct webhook_turn *out,
                            struct err *err);
struct blob_store *__real_blob_store_new(const struct files *files);
struct blob_store *__wrap_blob_store_new(const struct files *files);
void __real_net_wait(struct net *net, int64_t until_boot_ms);
void __wrap_net_wait(struct net *net, int64_t until_boot_ms);
int __real_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_step(sqlite3_stmt *statement);

/* Of src/imap/imap_p.h: the two steps of filing on a server without MOVE, after COPY. */
struct imap_mailbox;
enum rc
__real_change_delete(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err);
enum rc
__wrap_change_delete(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err);
enum rc
__real_change_expunge(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err);
enum rc
__wrap_change_expunge(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err);
