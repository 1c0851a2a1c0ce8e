/* SPDX-License-Identifier: Apache-2.0
 *
 * ports - the simulated ports of one run, wired as the program gets them. `self` of each is the
 * run, so that every call passes its gate.
 */
#pragma once

#include "run.h"

#include <onecase/service.h>

struct ports {
    struct ledger ledger;
    struct mailbox mailbox;
    struct courier courier;
    struct destination destination;
    struct blobs blobs;
    struct files files;
    struct reader reader;
    struct composer composer;
    struct clock clock;
    struct processes processes;
    struct service_ports service; /* of the above */
};

void ports_wire(struct run *run, struct ports *out);

struct ledger port_ledger(struct run *run); /* port_ledger.c, port_work.c: around run->real */
extern const struct ledger_intake port_intake;
extern const struct ledger_work port_work;
struct mailbox port_mailbox(struct run *run);         /* port_mailbox.c */
struct courier port_courier(struct run *run);         /* port_courier.c */
struct destination port_destination(struct run *run); /* port_destination.c */
struct files port_files(struct run *run);             /* port_files.c */
struct reader port_reader(struct run *run);           /* port_reader.c */
struct composer port_composer(struct run *run);       /* port_composer.c */
struct clock port_clock(struct run *run);             /* port_processes.c */
struct processes port_processes(struct run *run);

/* port_objects.c: the disk that a path is on, and what is in an object store. */
struct disk *disk_of(struct run *run, const char *path);
bool is_object(const struct run *run, const char *path);
enum rc object_put(struct run *run, const char *from, const char *to, struct err *err);
enum rc object_get(struct run *run,
                   const char *path,
                   int64_t offset,
                   char *into,
                   size_t room,
                   size_t *got,
                   struct err *err);
enum rc object_remove(struct run *run, const char *path, struct err *err);

/* Reads a mail as the reader does, for people's tools: no gate. */
enum rc reader_read(struct run *run, struct slice octets, struct message *out, struct err *err);
/* The run's connections close; letters that had not left are gone. */
void courier_dies(struct run *run);
