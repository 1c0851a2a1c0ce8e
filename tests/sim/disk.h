/* SPDX-License-Identifier: Apache-2.0
 *
 * disk - files as the program sees them, and what of them would survive a power loss.
 *
 * Octets are durable after disk_sync of the file, a name after disk_sync_folder of its folder, and
 * so on up. Nothing else ever makes anything durable, so what is forgotten is found. The results
 * are those of the port files.h.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/str.h>

struct inode;

struct disk_name {
    char *path;
    struct inode *seen;    /* NULL: not there */
    struct inode *durable; /* NULL: would not be there */
};

struct disk {
    struct disk_name *name;
    size_t count, room;
    struct inode *inodes; /* all ever made */
    bool full;
};

/* What becomes of that which was not durable. The kernel may have written any of it, in any order. */
enum power_loss {
    POWER_LOSS_ALL,    /* gone */
    POWER_LOSS_OCTETS, /* the names are there, the octets are not */
    POWER_LOSS_COUNT,
};

void disk_end(struct disk *disk);
void disk_lose_power(struct disk *disk, enum power_loss loss);

enum rc disk_create(struct disk *disk, const char *path, struct slice octets, struct err *err)
    MUST_CHECK;
enum rc disk_append(struct disk *disk, const char *path, struct slice octets, struct err *err)
    MUST_CHECK;
enum rc disk_sync(struct disk *disk, const char *path, struct err *err) MUST_CHECK;
enum rc disk_link(struct disk *disk, const char *from, const char *to, struct err *err) MUST_CHECK;
enum rc disk_make_folder(struct disk *disk, const char *path, struct err *err) MUST_CHECK;
enum rc disk_sync_folder(struct disk *disk, const char *path, struct err *err) MUST_CHECK;
enum rc disk_remove(struct disk *disk, const char *path, struct err *err) MUST_CHECK;

/* The octets of a file; false where there is none. Borrowed until it is changed. */
bool disk_look(const struct disk *disk, const char *path, struct slice *out);
/* The same as it would stand after a power loss with POWER_LOSS_ALL. */
bool disk_look_durable(const struct disk *disk, const char *path, struct slice *out);
/* Walks the files (not folders) under a folder: start with *at = 0; NULL at the end. */
const char *disk_under(const struct disk *disk, const char *folder, size_t *at);
