/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_files - the port of files.h in memory, with what a power cut does to a real disk.
 *
 * Octets are durable after sync_files, names after sync_folders of their folder, and only where every
 * folder above is durable as well. What is not durable may or may not survive a power cut: the
 * seed chooses, each name and each file for itself; seed 0 loses all of it.
 *
 * Every call counts as one operation and leaves one line in the log. The members may be set by the
 * test at any time.
 */
#pragma once

#include <onecase/files.h>

struct memory_files {
    struct str log;    /* "create tmp/fetch-0\n" */
    size_t operations; /* called so far */
    size_t dies_after; /* from then on nothing happens, and every call is RC_BROKEN; 0: never */
    size_t fails_at;   /* that one operation fails with `failure` and does nothing; 0: none */
    enum rc failure;
    int64_t room;       /* octets the disk can take in all */
    const char *denied; /* every call about this path or below it is RC_BROKEN; NULL: none */
    struct name *names; /* of files and folders, also those that are gone */
    size_t name_count;
    struct inode *inodes;
    size_t inode_count;
};

struct memory_files *memory_files_new(void) MUST_CHECK;
void memory_files_free(struct memory_files **m); /* for CLEANUP */
struct files memory_files_port(struct memory_files *m);

/* Power goes and comes back: the process that called is dead, another may go on. */
void memory_files_power_cut(struct memory_files *m, uint32_t seed);
/* The octets of a file, or false where there is none. Borrowed. */
bool memory_files_find(const struct memory_files *m, const char *path, struct slice *out);
/* Changes a file behind the program's back, or makes it; durable at once. */
void memory_files_put(struct memory_files *m, const char *path, struct slice octets);
