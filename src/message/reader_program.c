/* SPDX-License-Identifier: Apache-2.0 */
#include "reader_program.h"
#include "sandbox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ITSELF "/proc/self/exe"
#define NAME   "onecase-reader"
#define WORD   "--reader-child"

static bool possible;

void reader_program_start(const struct reader_limits *limits)
{
    CLEANUP(str_clear) struct str said = STR_INIT;

#define SAY(limit, ...) str_addf(&said, "%" PRId64 " ", limits->limit);
    READER_LIMIT_LIST(SAY)
#undef SAY
    execve(ITSELF, (char *[]){(char[]){NAME}, (char[]){WORD}, said.at, NULL}, (char *[]){NULL});
}

static bool take_limits(const char *said, struct reader_limits *out)
{
    int64_t *const limits[] = {
#define PLACE(limit, ...) &out->limit,
        READER_LIMIT_LIST(PLACE)
#undef PLACE
    };

    for (size_t i = 0; i < LENGTH(limits); i++) {
        char *end;

        *limits[i] = strtoll(said, &end, 10);
        if (end == said || *end != ' ')
            return false;
        said = end + 1;
    }
    return *said == '\0';
}

void message_reader_main(int argc, char **argv)
{
    struct reader_limits limits;

    possible = true;
    if (argc == 3 && strcmp(argv[1], WORD) == 0 && take_limits(argv[2], &limits))
        child_main(SANDBOX_SOCKET, &limits);
}

bool reader_program_is_possible(void)
{
    return possible;
}
