/* SPDX-License-Identifier: Apache-2.0
 *
 * reached - what a campaign of schedules came by: port calls and rows of the fault matrix.
 *
 * Counts for the process, over all schedules; written as text to be added up over processes.
 */
#pragma once

#include "calls.h"

#include <stdio.h>

void reached_call(enum call call);
void reached_answer(enum call call, enum answer answer);
/* A row of the fault matrix, such as "S12"; rows that are not in the list of this file are our own mistake. */
void reached_row(const char *row);
void reached_clear(void);
/* For a parent process: writes what was reached, and adds what another wrote. */
void reached_write(FILE *out);
bool reached_add(FILE *in);
void reached_print(void);
/* Prints those that were not. */
bool reached_every_row(void);
