/* SPDX-License-Identifier: Apache-2.0
 *
 * replay - one item's replay: what each of its effects would get, and the doing of it.
 *
 * The plan's digest covers all that it rests on: what was shown to a person is what is done, or it is
 * not done at all.
 */
#pragma once

#include "store_p.h"

enum treatment {
    LEFT_DONE,
    LEFT_IN_DOUBT,
    LEFT_TO_A_PERSON,
    LEFT_TO_ITS_COURSE,
    DUE_NOW,
    PLANNED_AGAIN,
};

struct replayed {
    int64_t effect, attempts;
    enum effect_kind kind;
    enum effect_status status;
    bool of_program; /* skipped, as it answers a list or a program */
    enum treatment how;
};

struct replaying {
    struct db *db;
    struct writing *w; /* NULL: a plan only */
    const char *key;   /* borrowed */
    bool resend, many;
    struct replay_result *out;
    char mailbox[NAME_SIZE];
    enum item_state state;
    enum reason reason;
    bool held, addressed;
    struct replayed *effect; /* owned */
    size_t effects;
};

/* Reads the item and says what each effect gets. */
enum rc replaying_plan(struct replaying *r, struct err *err) MUST_CHECK;
void replaying_clear(struct replaying *r); /* for CLEANUP */
/* All of it, inside a transaction. */
enum rc replay_item(struct writing *w,
                    const struct replay_request *request,
                    struct replay_result *out,
                    struct err *err) MUST_CHECK;

/* ---- the port's functions */
enum rc people_replay(void *self,
                      const char *key,
                      const char *by,
                      const char *why,
                      struct instant now,
                      struct replay_result *out,
                      struct err *err) MUST_CHECK;
enum rc operators_replay_plan(
    void *self, const char *key, bool resend, bool many, struct replay_result *out, struct err *err)
    MUST_CHECK;
enum rc operators_replay(void *self,
                         const struct replay_request *request,
                         struct instant now,
                         struct replay_result *out,
                         struct err *err) MUST_CHECK;
enum rc operators_bulk_begin(void *self,
                             const struct bulk_request *request,
                             struct instant now,
                             struct bulk *out,
                             struct err *err) MUST_CHECK;
enum rc operators_bulk_find(void *self, const char *selection, struct bulk *out, struct err *err)
    MUST_CHECK;
enum rc operators_bulk_next(void *self,
                            struct bulk *bulk,
                            struct instant now,
                            struct replay_result *out,
                            struct err *err) MUST_CHECK;
enum rc operators_original_had(void *self,
                               const char *key,
                               const struct large_original *original,
                               struct instant now,
                               struct err *err) MUST_CHECK;
enum rc operators_explained(void *self, const char *digest, bool *out, struct err *err) MUST_CHECK;
enum rc operators_explain(void *self,
                          const char *digest,
                          const char *by,
                          const char *why,
                          struct instant now,
                          struct err *err) MUST_CHECK;
enum rc operators_note(void *self,
                       const char *key,
                       const char *by,
                       const char *text,
                       struct instant now,
                       struct err *err) MUST_CHECK;
enum rc operators_refuse(void *self,
                         int64_t proposal,
                         const char *by,
                         const char *why,
                         struct instant now,
                         struct err *err) MUST_CHECK;
enum rc operators_propose(void *self,
                          const struct proposal_request *request,
                          struct instant now,
                          struct proposal *out,
                          struct err *err) MUST_CHECK;
