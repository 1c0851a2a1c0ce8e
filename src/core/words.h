/* SPDX-License-Identifier: Apache-2.0
 *
 * words - names of enum values from their list macros, and back. Private to core.
 *
 * NAMES(EFFECT_KIND) makes the array of texts; NAME_OF and PARSE_NAME read it. A value outside the
 * enum gives "?", so a caller's mistake shows instead of crashing a log line.
 */
#pragma once

#include <onecase/scope.h>
#include <stdbool.h>
#include <string.h>

#define WORD_ROW(name, text, ...) text,
#define WORDS(array, LIST)        static const char *const array[] = {LIST(WORD_ROW)}

static inline const char *word_at(const char *const *words, size_t count, size_t at)
{
    return at < count ? words[at] : "?";
}

static inline bool word_find(const char *const *words, size_t count, const char *text, size_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Defines `const char *PREFIX_text(enum TYPE)`. */
#define DEFINE_TEXT(function, type, array)                                                         \
    const char *function(enum type value)                                                          \
    {                                                                                              \
        return word_at(array, LENGTH(array), (size_t)value);                                       \
    }

/* Defines `bool PREFIX_parse(const char *, enum TYPE *)`. */
#define DEFINE_PARSE(function, type, array)                                                        \
    bool function(const char *text, enum type *out)                                                \
    {                                                                                              \
        size_t at;                                                                                 \
        if (!word_find(array, LENGTH(array), text, &at))                                           \
            return false;                                                                          \
        *out = (enum type)at;                                                                      \
        return true;                                                                               \
    }
