/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_cost ROUNDS FOLDER - what it costs that mails are read in a process of their own.
 *
 * Reads every *.eml of FOLDER so often: here, and in the reader's child, the decoded parts in files
 * either way. Prints the time of each a message, and what the child adds, as JSON.
 */
#define _XOPEN_SOURCE 700 /* NOLINT(readability-identifier-naming): for clock_gettime */
#include "message_reader_p.h"
#include "parse.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 10000

static char *files[FILES_MAX];
static size_t count;
static const char *folder;

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void find_files(void)
{
    DIR *dir = opendir(folder);

    if (dir == NULL)
        exit(66);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL && count < FILES_MAX;) {
        size_t len = strlen(entry->d_name);

        if (len > 4 && strcmp(entry->d_name + len - 4, ".eml") == 0)
            files[count++] = strdup(entry->d_name);
    }
    closedir(dir);
}

/* A spool in this process that does what the child's does. */
struct here {
    int file;
    unsigned long next;
};

static enum rc begin(void *self, enum part_role role, struct str *file, struct err *err)
{
    struct here *h = self;
    char path[4096];

    h->file = -1;
    if (role != PART_ATTACHMENT)
        return RC_OK;
    str_addf(file, "tmp/part-here-%lu", h->next++);
    snprintf(path, sizeof path, "%s/%s", folder, str_z(file));
    h->file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return h->file >= 0 ? RC_OK : FAIL(err, RC_BROKEN, "%s", path);
}

static enum rc add(void *self, struct slice octets, struct err *err)
{
    struct here *h = self;

    return h->file < 0 || write(h->file, octets.at, octets.len) == (ssize_t)octets.len
               ? RC_OK
               : FAIL(err, RC_BROKEN, "writing");
}

static enum rc end(void *self, struct err *err)
{
    struct here *h = self;

    return h->file < 0 || close(h->file) == 0 ? RC_OK : FAIL(err, RC_BROKEN, "closing");
}

static void remove_parts(const struct message *m)
{
    for (size_t i = 0; i < m->part_count; i++) {
        CLEANUP(str_clear) struct str path = STR_INIT;

        str_addf(&path, "%s/", folder);
        str_add(&path, message_slice(m, m->parts[i].file));
        unlink(str_z(&path));
    }
}

static void read_here(const char *name)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct here h = {0};
    const struct spool spool = {&h, begin, add, end};
    struct err err = ERR_INIT;
    struct stat facts;
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);

    int file = open(path, O_RDONLY);

    fstat(file, &facts);

    struct octets octets = octets_of_file(file, facts.st_size);

    (void)(parse_message(&octets, &reader_limits_default, &spool, &m, &err) == RC_OK);
    close(file);
    remove_parts(&m);
}

static void read_there(const struct reader *reader, const char *name)
{
    CLEANUP(message_clear) struct message m = MESSAGE_INIT;
    struct err err = ERR_INIT;

    (void)(reader->read(reader->self, name, &m, &err) == RC_OK);
    remove_parts(&m);
}

int main(int argc, char **argv)
{
    message_reader_main(argc, argv);

    CLEANUP(message_reader_free) struct message_reader *r = NULL;
    struct err err = ERR_INIT;
    double here = 0;
    double there = 0;
    long rounds = argc == 3 ? strtol(argv[1], NULL, 10) : 0;

    if (rounds <= 0)
        return 64;
    folder = argv[2];
    find_files();
    parse_prepare();
    if (message_reader_new(folder, &reader_limits_default, &r, &err) != RC_OK ||
        message_reader_warm(r, &err) != RC_OK)
        return 74;

    struct reader port = message_reader_port(r);

    for (long round = 0; round < rounds; round++) {
        double began = now_us();

        for (size_t i = 0; i < count; i++)
            read_here(files[i]);
        here += now_us() - began;
        began = now_us();
        for (size_t i = 0; i < count; i++)
            read_there(&port, files[i]);
        there += now_us() - began;
    }

    double reads = (double)rounds * (double)count;

    printf("{\"messages\": %zu, \"rounds\": %ld, \"here_us\": %.1f, \"child_us\": %.1f, "
           "\"added_us\": %.1f}\n",
           count, rounds, here / reads, there / reads, (there - here) / reads);
    for (size_t i = 0; i < count; i++)
        free(files[i]);
    return 0;
}
