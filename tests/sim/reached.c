/* SPDX-License-Identifier: Apache-2.0 */
#include "reached.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Every row of the fault matrix that the simulator can come by. Some are named by their class. */
static const char *const rows[] = {
    "C",   "C01", "C02", "C04", "C05", "C06", "C07", "C08", "C09", "C10", "C11a", "C11b",
    "C12", "C13", "C14", "C15", "C16", "C17", "S01", "S02", "S03", "S06", "S07",  "S08",
    "S09", "S10", "S11", "S12", "S13", "S14", "S15", "S17", "S19", "S20", "S21",  "S23",
    "S24", "S25", "I01", "I05", "I10", "I20", "I22", "L07", "L09", "B01", "K01",  "K02",
    "K03", "K04", "K05", "K06", "L08", "L10", "B05", "K10", "K07", "D02", "D03",  "D04",
    "D05", "D09", "O01", "O03", "O04", "E01", "E03", "S22",
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static uint64_t row_count[ROW_COUNT];
static uint64_t call_count[CALL_COUNT];
static uint64_t answer_count[CALL_COUNT][ANSWER_COUNT];

void reached_call(enum call call)
{
    call_count[call]++;
}

void reached_answer(enum call call, enum answer answer)
{
    answer_count[call][answer]++;
}

void reached_row(const char *row)
{
    if (row[0] == '\0')
        return;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i], row) == 0) {
            row_count[i]++;
            return;
        }
    }
    fprintf(stderr, "sim: row %s is not in the list of reached.c\n", row);
    abort();
}

void reached_clear(void)
{
    memset(row_count, 0, sizeof row_count);
    memset(call_count, 0, sizeof call_count);
    memset(answer_count, 0, sizeof answer_count);
}

static void write_numbers(FILE *out, const uint64_t *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%" PRIu64 " ", number[i]);
}

static bool add_numbers(FILE *in, uint64_t *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t more;

        if (fscanf(in, "%" SCNu64, &more) != 1)
            return false;
        number[i] += more;
    }
    return true;
}

void reached_write(FILE *out)
{
    write_numbers(out, row_count, ROW_COUNT);
    write_numbers(out, call_count, CALL_COUNT);
    write_numbers(out, &answer_count[0][0], CALL_COUNT * ANSWER_COUNT);
}

bool reached_add(FILE *in)
{
    return add_numbers(in, row_count, ROW_COUNT) && add_numbers(in, call_count, CALL_COUNT) &&
           add_numbers(in, &answer_count[0][0], CALL_COUNT * ANSWER_COUNT);
}

bool reached_every_row(void)
{
    bool every = true;

    for (size_t i = 0; i < ROW_COUNT; i++)
        if (row_count[i] == 0) {
            printf("row %s of the fault matrix was never come by\n", rows[i]);
            every = false;
        }
    return every;
}

void reached_print(void)
{
    size_t reached_rows = 0;
    size_t calls = 0;
    size_t answers = 0;
    size_t possible = 0;

    for (size_t i = 0; i < ROW_COUNT; i++)
        reached_rows += row_count[i] > 0;
    for (unsigned call = 0; call < CALL_COUNT; call++) {
        calls += call_count[call] > 0;
        for (unsigned answer = ANSWER_DEFERRED; answer < ANSWER_COUNT; answer++) {
            possible += call_may((enum call)call, (enum answer)answer);
            answers += answer_count[call][answer] > 0;
        }
    }
    printf("rows of the fault matrix: %zu of %zu; port calls: %zu of %d; failing answers of port "
           "calls: %zu of %zu\n",
           reached_rows, ROW_COUNT, calls, CALL_COUNT, answers, possible);
    for (size_t i = 0; i < ROW_COUNT; i++)
        printf("%s %" PRIu64 "%s", rows[i], row_count[i],
               i + 1 == ROW_COUNT ? "\n"
               : i % 10 == 9      ? "\n"
                                  : ", ");
    for (unsigned call = 0; call < CALL_COUNT; call++)
        if (call_count[call] == 0)
            printf("never called: %s\n", call_rows[call].what);
}
