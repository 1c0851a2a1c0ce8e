/* SPDX-License-Identifier: Apache-2.0
 *
 * acceptance - may the message leave the inbox?
 *
 * The conditions are the disposition's (item.h, FILED_*), judged over what was just read back, and
 * stored with their values. A move is armed only in the transaction that stores them all as held.
 */
#pragma once

#include <onecase/item.h>

#define ACCEPTANCE_MAX 8

struct acceptance_facts {
    enum disposition disposition;
    bool case_read_back;      /* found at its destination by its key, and its key is ours */
    unsigned files_planned;   /* attachments that shall be stored */
    unsigned files_hashed;    /* of those, read back with their SHA-256 */
    unsigned exceptions;      /* attachments refused or quarantined, recorded */
    bool has_acknowledgement; /* one is in the plan */
    enum effect_status acknowledgement;
    bool recorded; /* report or evidence stands with its case */
    bool decided;  /* a person's decision is recorded, or it was dismissed by the rule of copies */
};

struct acceptance_condition {
    const char *name; /* stored; static text */
    bool holds;
    char value[48]; /* what was seen, for a person: "3 of 3 hashed" */
};

struct acceptance {
    struct acceptance_condition condition[ACCEPTANCE_MAX];
    size_t count;
    bool holds; /* every one, and there is at least one */
};

void acceptance_judge(const struct acceptance_facts *facts, struct acceptance *out);
