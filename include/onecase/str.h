/* SPDX-License-Identifier: Apache-2.0
 *
 * str - owned octets that grow (struct str), borrowed octets (struct slice), and allocation.
 *
 * Mail holds NUL octets, so lengths are always carried; a struct str is also NUL-terminated for
 * the convenience of printf. Out of memory aborts the process: the ledger makes dying safe, and
 * every size taken from a message is bounded before it reaches these functions.
 *
 * A struct slice never owns; it is valid as long as what it points into is neither freed nor grown.
 */
#pragma once

#include <onecase/scope.h>
#include <stdbool.h>
#include <stdint.h>

struct slice {
    const char *at;
    size_t len;
};

struct str {
    char *at; /* NULL until something was added; otherwise at[len] is NUL */
    size_t len;
    size_t room;
};

/* clang-format off */
#define STR_INIT {NULL, 0, 0}
#define SLICE_INIT(text) {(text), sizeof(text) - 1} /* SLICE, for static tables */
/* clang-format on */

#define SLICE_EMPTY ((struct slice){"", 0})
#define SLICE(text) ((struct slice){(text), sizeof(text) - 1}) /* of a string literal */

/* Allocation that never returns NULL (aborts); size 0 gives a unique pointer. Free with free(). */
void *mem_new(size_t count, size_t size) MUST_CHECK;            /* zeroed */
void *mem_grow(void *at, size_t count, size_t size) MUST_CHECK; /* realloc, overflow-checked */
char *mem_text(const char *text) MUST_CHECK;                    /* copy; NULL stays NULL */
void mem_free(void *pointer_to_pointer);                        /* for CLEANUP(mem_free) */

/* Copies into a fixed array: always terminated, cut between characters where it does not fit. */
void text_copy(char *out, size_t room, const char *text);

void str_clear(struct str *s); /* frees; the str is empty and usable again; for CLEANUP */
void str_wipe(struct str *s);  /* the same for a secret: its octets are overwritten first */
void str_empty(struct str *s); /* length 0, memory kept */
void str_add(struct str *s, struct slice what);
void str_addz(struct str *s, const char *text);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *format, ...) PRINTF(2, 3);
const char *str_z(const struct str *s); /* never NULL; borrowed */
struct slice str_slice(const struct str *s);

struct slice slice_z(const char *text);                          /* NULL gives an empty slice */
struct slice slice_cut(struct slice s, size_t from, size_t len); /* clamped to s */
struct slice slice_trim(struct slice s);                         /* SP HT CR LF at both ends */
bool slice_eq(struct slice a, struct slice b);
bool slice_eqz(struct slice a, const char *text);
bool slice_eq_nocase(struct slice a, struct slice b); /* ASCII letters only */
bool slice_starts_nocase(struct slice s, struct slice with);
bool slice_has(struct slice s, struct slice needle); /* an empty needle is found */
bool slice_has_nocase(struct slice s, struct slice needle);
int slice_compare(struct slice a, struct slice b);      /* as memcmp, shorter first */
size_t slice_find(struct slice s, char c, size_t from); /* position, or s.len */

/* Takes the octets up to the next `by` (or the end) off the front of `rest` into `out`;
 * false once nothing is left. "a,,b" gives "a", "", "b". */
bool slice_next(struct slice *rest, char by, struct slice *out);
