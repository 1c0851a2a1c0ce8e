/* SPDX-License-Identifier: Apache-2.0 */
#include <fakes/memory_files.h>

#include <stdlib.h>
#include <string.h>

#define NOTHING SIZE_MAX /* no inode: no such name */

struct inode {
    bool folder;
    struct str now;
    struct str durable;
};

struct name {
    char *path;
    size_t now;     /* place in inodes, or NOTHING */
    size_t durable; /* the same, after a power cut */
};

/* Names and inodes */

static size_t new_inode(struct memory_files *m, bool folder)
{
    m->inodes = mem_grow(m->inodes, m->inode_count + 1, sizeof *m->inodes);
    m->inodes[m->inode_count] = (struct inode){.folder = folder, STR_INIT, STR_INIT};
    return m->inode_count++;
}

static struct name *name_of(const struct memory_files *m, const char *path)
{
    for (size_t i = 0; i < m->name_count; i++)
        if (strcmp(m->names[i].path, path) == 0)
            return &m->names[i];
    return NULL;
}

static void set_name(struct memory_files *m, const char *path, size_t inode)
{
    struct name *name = name_of(m, path);

    if (name == NULL) {
        m->names = mem_grow(m->names, m->name_count + 1, sizeof *m->names);
        name = &m->names[m->name_count++];
        *name = (struct name){mem_text(path), NOTHING, NOTHING};
    }
    name->now = inode;
}

static struct inode *inode_of(const struct memory_files *m, const char *path)
{
    const struct name *name = name_of(m, path);

    return name != NULL && name->now != NOTHING ? &m->inodes[name->now] : NULL;
}

static struct slice parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? (struct slice){path, (size_t)(slash - path)} : SLICE(FILES_TOP);
}

static bool is_folder(const struct memory_files *m, struct slice path)
{
    if (slice_eqz(path, FILES_TOP))
        return true;
    for (size_t i = 0; i < m->name_count; i++)
        if (slice_eqz(path, m->names[i].path))
            return m->names[i].now != NOTHING && m->inodes[m->names[i].now].folder;
    return false;
}

static bool has_name(const struct memory_files *m, size_t inode)
{
    for (size_t i = 0; i < m->name_count; i++)
        if (m->names[i].now == inode)
            return true;
    return false;
}

static int64_t octets_kept(const struct memory_files *m)
{
    int64_t octets = 0;

    for (size_t i = 0; i < m->inode_count; i++)
        if (has_name(m, i))
            octets += (int64_t)m->inodes[i].now.len;
    return octets;
}

/* What comes before every operation */

static bool is_denied(const struct memory_files *m, const char *path)
{
    return m->denied != NULL && strncmp(path, m->denied, strlen(m->denied)) == 0;
}

static enum rc begin(struct memory_files *m, const char *what, const char *path, struct err *err)
{
    m->operations++;
    if (m->dies_after != 0 && m->operations > m->dies_after)
        return FAIL(err, RC_BROKEN, "files: dead");
    str_addf(&m->log, "%s %s\n", what, path);
    if (m->operations == m->fails_at)
        return FAIL(err, m->failure, "files: it was told to fail");
    if (is_denied(m, path))
        return FAIL(err, RC_BROKEN, "files: permission denied");
    return RC_OK;
}

/* The file must be there: RC_NOT_FOUND, or RC_BROKEN for a folder. */
static enum rc
get_file(struct memory_files *m, const char *path, struct inode **out, struct err *err)
{
    *out = inode_of(m, path);
    if (*out == NULL)
        return FAIL(err, RC_NOT_FOUND, "files: no such file");
    return (*out)->folder ? FAIL(err, RC_BROKEN, "files: a folder") : RC_OK;
}

/* The name must be free, in a folder that is there. */
static enum rc check_free(const struct memory_files *m, const char *path, struct err *err)
{
    if (!is_folder(m, parent_of(path)))
        return FAIL(err, RC_NOT_FOUND, "files: no such folder");
    if (inode_of(m, path) != NULL)
        return FAIL(err, RC_CONFLICT, "files: the name is taken");
    return RC_OK;
}

/* A full disk takes what there is room for, as a real one does. */
static enum rc
write(struct memory_files *m, struct inode *file, struct slice octets, struct err *err)
{
    int64_t free = m->room - octets_kept(m);
    size_t taken = (int64_t)octets.len <= free ? octets.len : (size_t)(free > 0 ? free : 0);

    str_add(&file->now, slice_cut(octets, 0, taken));
    return taken == octets.len ? RC_OK : FAIL(err, RC_DEFERRED, "files: no room");
}

/* The port */

static enum rc memory_create(void *self, const char *path, struct slice octets, struct err *err)
{
    struct memory_files *m = self;

    TRY(begin(m, "create", path, err));
    TRY(check_free(m, path, err));
    if (octets_kept(m) + (int64_t)octets.len > m->room)
        return FAIL(err, RC_DEFERRED, "files: no room");
    size_t inode = new_inode(m, false);

    set_name(m, path, inode);
    return write(m, &m->inodes[inode], octets, err);
}

static enum rc memory_append(void *self, const char *path, struct slice octets, struct err *err)
{
    struct memory_files *m = self;
    struct inode *file;

    TRY(begin(m, "append", path, err));
    TRY(get_file(m, path, &file, err));
    return write(m, file, octets, err);
}

static enum rc sync_file(struct memory_files *m, const char *path, struct err *err)
{
    struct inode *file;

    TRY(begin(m, "sync", path, err));
    TRY(get_file(m, path, &file, err));
    str_empty(&file->durable);
    str_add(&file->durable, str_slice(&file->now));
    return RC_OK;
}

static enum rc memory_sync_files(void *self, const char *const *path, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        TRY(sync_file(self, path[i], err));
    return RC_OK;
}

static enum rc memory_link(void *self, const char *from, const char *to, struct err *err)
{
    struct memory_files *m = self;
    struct inode *file;

    TRY(begin(m, "link", to, err));
    TRY(get_file(m, from, &file, err));
    TRY(check_free(m, to, err));
    set_name(m, to, (size_t)(file - m->inodes));
    return RC_OK;
}

static enum rc memory_make_folder(void *self, const char *path, struct err *err)
{
    struct memory_files *m = self;

    TRY(begin(m, "make_folder", path, err));
    if (is_folder(m, slice_z(path)))
        return RC_OK;
    if (inode_of(m, path) != NULL)
        return FAIL(err, RC_BROKEN, "files: not a folder");
    TRY(check_free(m, path, err));
    set_name(m, path, new_inode(m, true));
    return RC_OK;
}

static enum rc sync_folder(struct memory_files *m, const char *path, struct err *err)
{
    TRY(begin(m, "sync_folder", path, err));
    if (!is_folder(m, slice_z(path)))
        return FAIL(err, RC_NOT_FOUND, "files: no such folder");
    for (size_t i = 0; i < m->name_count; i++)
        if (slice_eqz(parent_of(m->names[i].path), path))
            m->names[i].durable = m->names[i].now;
    return RC_OK;
}

static enum rc
memory_sync_folders(void *self, const char *const *path, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        TRY(sync_folder(self, path[i], err));
    return RC_OK;
}

static enum rc memory_read(void *self,
                           const char *path,
                           int64_t offset,
                           char *into,
                           size_t room,
                           size_t *got,
                           struct err *err)
{
    struct memory_files *m = self;
    struct inode *file;

    TRY(begin(m, "read", path, err));
    TRY(get_file(m, path, &file, err));
    struct slice rest = slice_cut(str_slice(&file->now), (size_t)offset, room);

    memcpy(into, rest.at, rest.len);
    *got = rest.len;
    return RC_OK;
}

static enum rc memory_remove(void *self, const char *path, struct err *err)
{
    struct memory_files *m = self;

    TRY(begin(m, "remove", path, err));
    if (is_folder(m, slice_z(path)))
        return FAIL(err, RC_BROKEN, "files: a folder");
    if (inode_of(m, path) != NULL)
        set_name(m, path, NOTHING);
    return RC_OK;
}

static enum rc memory_space(void *self, int64_t *out, struct err *err)
{
    struct memory_files *m = self;

    TRY(begin(m, "space", FILES_TOP, err));
    *out = m->room - octets_kept(m);
    return RC_OK;
}

/* Power */

/* xorshift32: any choice that can be repeated will do. */
static bool survives(uint32_t *seed)
{
    if (*seed == 0)
        return false;
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return (*seed >> 16) % 2 == 0;
}

static void settle_octets(struct inode *inode, uint32_t *seed)
{
    struct str *lost = survives(seed) ? &inode->durable : &inode->now;
    struct str *kept = lost == &inode->now ? &inode->durable : &inode->now;

    str_empty(lost);
    str_add(lost, str_slice(kept));
}

/* The loss of a folder is the loss of what stands below. */
static void drop_orphans(struct memory_files *m)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < m->name_count; i++) {
            struct name *name = &m->names[i];

            if (name->now == NOTHING || is_folder(m, parent_of(name->path)))
                continue;
            name->now = NOTHING;
            again = true;
        }
    }
    for (size_t i = 0; i < m->name_count; i++)
        m->names[i].durable = m->names[i].now;
}

void memory_files_power_cut(struct memory_files *m, uint32_t seed)
{
    for (size_t i = 0; i < m->inode_count; i++)
        settle_octets(&m->inodes[i], &seed);
    for (size_t i = 0; i < m->name_count; i++)
        if (!survives(&seed))
            m->names[i].now = m->names[i].durable;
    drop_orphans(m);
    m->dies_after = 0;
    m->fails_at = 0;
}

/* The test's side */

bool memory_files_find(const struct memory_files *m, const char *path, struct slice *out)
{
    const struct inode *file = inode_of(m, path);

    if (file == NULL || file->folder)
        return false;
    *out = str_slice(&file->now);
    return true;
}

void memory_files_put(struct memory_files *m, const char *path, struct slice octets)
{
    size_t inode = new_inode(m, false);

    str_add(&m->inodes[inode].now, octets);
    str_add(&m->inodes[inode].durable, octets);
    set_name(m, path, inode);
    name_of(m, path)->durable = inode;
}

struct memory_files *memory_files_new(void)
{
    struct memory_files *m = mem_new(1, sizeof *m);

    m->room = INT64_MAX / 2;
    return m;
}

void memory_files_free(struct memory_files **m)
{
    if (*m == NULL)
        return;
    for (size_t i = 0; i < (*m)->name_count; i++)
        free((*m)->names[i].path);
    for (size_t i = 0; i < (*m)->inode_count; i++) {
        str_clear(&(*m)->inodes[i].now);
        str_clear(&(*m)->inodes[i].durable);
    }
    free((*m)->names);
    free((*m)->inodes);
    str_clear(&(*m)->log);
    free(*m);
    *m = NULL;
}

struct files memory_files_port(struct memory_files *m)
{
    return (struct files){
        .self = m,
        .create = memory_create,
        .append = memory_append,
        .sync_files = memory_sync_files,
        .link = memory_link,
        .make_folder = memory_make_folder,
        .sync_folders = memory_sync_folders,
        .read = memory_read,
        .remove = memory_remove,
        .space = memory_space,
    };
}
