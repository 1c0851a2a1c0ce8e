/* SPDX-License-Identifier: Apache-2.0 */
#include "wrap.h"

#include "decorate.h"
#include "point.h"

#include <stdlib.h>

static struct reader real_reader;
static struct composer real_composer;
static struct processes real_processes;

AT_POINT(reader,
         read,
         (void *self, const char *path, struct message *out, struct err *err),
         self,
         path,
         out,
         err)
AT_POINT(reader,
         look,
         (void *self, const char *path, struct message *out, struct err *err),
         self,
         path,
         out,
         err)
AT_POINT(composer,
         compose,
         (void *self, const struct acknowledgement_facts *facts, struct str *out, struct err *err),
         self,
         facts,
         out,
         err)
AT_POINT(processes, enter, (void *self, struct run_facts *out, struct err *err), self, out, err)

static enum proof processes_dead(void *self, const struct run_facts *run)
{
    struct point point = point_at("processes.dead", "");
    enum proof proof = real_processes.dead(self, run);
    point_left(&point);
    return proof;
}

static void processes_leave(void *self, const struct run_facts *run)
{
    struct point point = point_at("processes.leave", "");
    real_processes.leave(self, run);
    point_left(&point);
}

static void decorate(struct service_ports *port)
{
    static struct reader reader;
    static struct composer composer;
    static struct processes processes;
    real_reader = *port->reader;
    real_composer = *port->composer;
    real_processes = *port->processes;
    reader = (struct reader){real_reader.self, reader_read, reader_look};
    composer = (struct composer){real_composer.self, composer_compose};
    processes = real_processes;
    processes.enter = processes_enter;
    processes.dead = processes_dead;
    processes.leave = processes_leave;
    port->ledger = decorated_ledger(port->ledger);
    port->mailbox = decorated_mailbox(port->mailbox);
    port->courier = decorated_courier(port->courier);
    port->destination = decorated_destination(port->destination);
    port->blobs = decorated_blobs(port->blobs);
    port->files = decorated_files(port->files);
    port->reader = &reader;
    port->composer = &composer;
    port->processes = &processes;
}

/* ONECASE_CRASH_VERSION: the program is of another version (K10). */
static const char *other_version(const char *own)
{
    const char *other = getenv("ONECASE_CRASH_VERSION");
    return other ? other : own;
}

enum rc __wrap_service_new(const struct service_ports *ports,
                           const struct service_settings *settings,
                           struct service **out,
                           struct err *err)
{
    static struct service_ports decorated;
    static struct service_settings set;
    decorated = *ports;
    set = *settings;
    set.version = other_version(settings->version);
    decorate(&decorated);
    points_begin();
    return __real_service_new(&decorated, &set, out, err);
}

struct blob_store *__wrap_blob_store_new(const struct files *files)
{
    return __real_blob_store_new(decorated_files(files));
}

void __wrap_net_wait(struct net *net, int64_t until_boot_ms)
{
    if (!points_begun()) {
        __real_net_wait(net, until_boot_ms);
        return;
    }
    struct point point = point_at("net.wait", "");
    __real_net_wait(net, until_boot_ms);
    point_left(&point);
}

/* Each statement that writes, and each end of a transaction: between any two of them. */
int __wrap_sqlite3_step(sqlite3_stmt *statement)
{
    const char *text = sqlite3_sql(statement);
    bool ends = text && sqlite3_strnicmp(text, "COMMIT", 6) == 0;
    if (!points_begun() || (sqlite3_stmt_readonly(statement) && !ends))
        return __real_sqlite3_step(statement);
    struct point point = point_at(ends ? "sqlite.commit" : "sqlite.write", "");
    int status = __real_sqlite3_step(statement);
    point_left(&point);
    return status;
}

enum rc
__wrap_change_delete(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err)
{
    struct point point = point_at("imap.delete", "");
    return point_over(&point, __real_change_delete(m, uid, count, err), err);
}

enum rc
__wrap_change_expunge(struct imap_mailbox *m, const uint32_t *uid, size_t count, struct err *err)
{
    struct point point = point_at("imap.expunge", "");
    return point_over(&point, __real_change_expunge(m, uid, count, err), err);
}
