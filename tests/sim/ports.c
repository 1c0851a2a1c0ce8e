/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include "world.h"

#include <onecase/blob_store.h>

void ports_wire(struct run *run, struct ports *out)
{
    *out = (struct ports){
        .ledger = port_ledger(run),
        .mailbox = port_mailbox(run),
        .courier = port_courier(run),
        .destination = port_destination(run),
        .files = port_files(run),
        .reader = port_reader(run),
        .composer = port_composer(run),
        .clock = port_clock(run),
        .processes = port_processes(run),
    };
    run->blob_store = blob_store_new(&out->files);
    out->blobs = blob_store_port(run->blob_store);
    out->service = (struct service_ports){
        .ledger = &out->ledger,
        .mailbox = &out->mailbox,
        .courier = &out->courier,
        .destination = run->world->scenario.desk ? &out->destination : NULL,
        .blobs = &out->blobs,
        .files = &out->files,
        .reader = &out->reader,
        .composer = &out->composer,
        .clock = &out->clock,
        .processes = &out->processes,
    };
}
