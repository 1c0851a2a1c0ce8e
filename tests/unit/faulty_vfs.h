/* SPDX-License-Identifier: Apache-2.0
 *
 * faulty_vfs - SQLite's own file access with a failure: the n-th write or sync from now.
 *
 * Used by path: "file:/tmp/x/ledger.db?vfs=faulty". As many calls fail from there on as are asked
 * for. A sync that fails has written nothing less than one that does not.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum faulty_call { FAULTY_NONE, FAULTY_WRITE, FAULTY_SYNC };

static struct {
    enum faulty_call call;
    int in;     /* the how-manieth such call fails, from 1 */
    int code;   /* what it fails with */
    int times;  /* so many fail from there on */
    int failed; /* so many have */
} faulty;

struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real;
};

static inline sqlite3_file *real_file(sqlite3_file *file)
{
    return ((struct faulty_file *)(void *)file)->real;
}

static inline bool fails(enum faulty_call call)
{
    if (faulty.call != call || (--faulty.in > 0))
        return false;
    if (faulty.failed >= faulty.times)
        return false;
    faulty.failed++;
    return true;
}

static inline int faulty_close(sqlite3_file *f)
{
    return real_file(f)->pMethods->xClose(real_file(f));
}

static inline int faulty_read(sqlite3_file *f, void *to, int size, sqlite3_int64 at)
{
    return real_file(f)->pMethods->xRead(real_file(f), to, size, at);
}

static inline int faulty_write(sqlite3_file *f, const void *from, int size, sqlite3_int64 at)
{
    return fails(FAULTY_WRITE) ? faulty.code
                               : real_file(f)->pMethods->xWrite(real_file(f), from, size, at);
}

static inline int faulty_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return real_file(f)->pMethods->xTruncate(real_file(f), size);
}

static inline int faulty_sync(sqlite3_file *f, int flags)
{
    return fails(FAULTY_SYNC) ? faulty.code : real_file(f)->pMethods->xSync(real_file(f), flags);
}

static inline int faulty_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real_file(f)->pMethods->xFileSize(real_file(f), size);
}

static inline int faulty_lock(sqlite3_file *f, int level)
{
    return real_file(f)->pMethods->xLock(real_file(f), level);
}

static inline int faulty_unlock(sqlite3_file *f, int level)
{
    return real_file(f)->pMethods->xUnlock(real_file(f), level);
}

static inline int faulty_reserved(sqlite3_file *f, int *out)
{
    return real_file(f)->pMethods->xCheckReservedLock(real_file(f), out);
}

static inline int faulty_control(sqlite3_file *f, int what, void *with)
{
    return real_file(f)->pMethods->xFileControl(real_file(f), what, with);
}

static inline int faulty_sector(sqlite3_file *f)
{
    return real_file(f)->pMethods->xSectorSize(real_file(f));
}

static inline int faulty_kind(sqlite3_file *f)
{
    return real_file(f)->pMethods->xDeviceCharacteristics(real_file(f));
}

static inline int
faulty_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return real_file(f)->pMethods->xShmMap(real_file(f), page, size, extend, out);
}

static inline int faulty_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
    return real_file(f)->pMethods->xShmLock(real_file(f), at, n, flags);
}

static inline void faulty_shm_barrier(sqlite3_file *f)
{
    real_file(f)->pMethods->xShmBarrier(real_file(f));
}

static inline int faulty_shm_unmap(sqlite3_file *f, int remove)
{
    return real_file(f)->pMethods->xShmUnmap(real_file(f), remove);
}

static const sqlite3_io_methods faulty_methods = {
    2,
    faulty_close,
    faulty_read,
    faulty_write,
    faulty_truncate,
    faulty_sync,
    faulty_size,
    faulty_lock,
    faulty_unlock,
    faulty_reserved,
    faulty_control,
    faulty_sector,
    faulty_kind,
    faulty_shm_map,
    faulty_shm_lock,
    faulty_shm_barrier,
    faulty_shm_unmap,
    NULL,
    NULL,
};

static inline int
faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    sqlite3_vfs *real = vfs->pAppData;
    struct faulty_file *f = (struct faulty_file *)(void *)file;

    f->real = (sqlite3_file *)(void *)(f + 1);
    f->base.pMethods = NULL;
    int code = real->xOpen(real, name, f->real, flags, out);

    if (f->real->pMethods != NULL)
        f->base.pMethods = &faulty_methods;
    return code;
}

static inline void faulty_register(void)
{
    static sqlite3_vfs vfs;
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);

    vfs = *real;
    vfs.zName = "faulty";
    vfs.pAppData = real;
    vfs.szOsFile = (int)sizeof(struct faulty_file) + real->szOsFile;
    vfs.xOpen = faulty_open;
    sqlite3_vfs_register(&vfs, 0);
}

static inline void faulty_set(enum faulty_call call, int in, int code, int times)
{
    faulty.call = call;
    faulty.in = in;
    faulty.code = code;
    faulty.times = times;
    faulty.failed = 0;
}

static inline void faulty_clear(void)
{
    faulty_set(FAULTY_NONE, 0, 0, 0);
}
