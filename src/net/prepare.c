/* SPDX-License-Identifier: Apache-2.0 */
#include "prepare.h"

#include "scram.h"

#include <limits.h>
#include <unicode/usprep.h>
#include <unicode/ustring.h>

/* A character may become as many (U+FDFA does). */
#define GROWTH_MOST 18

/* UTF-16, as ICU has it; overwritten before it is freed. */
struct units {
    UChar *at;
    int32_t count, room;
};

static void units_make(struct units *u, size_t room)
{
    *u = (struct units){mem_new(room + 1, sizeof *u->at), 0, (int32_t)room};
}

static void units_clear(struct units *u)
{
    struct str octets = {.at = (char *)u->at, .len = (size_t)u->room * sizeof *u->at};

    secret_clear(&octets);
}

static void profile_close(UStringPrepProfile **profile)
{
    if (*profile)
        usprep_close(*profile);
}

static bool prepare_units(const struct units *from, struct units *to)
{
    UErrorCode code = U_ZERO_ERROR;
    CLEANUP(profile_close)
    UStringPrepProfile *profile = usprep_openByType(USPREP_RFC4013_SASLPREP, &code);

    if (U_FAILURE(code))
        return false;
    to->count = usprep_prepare(profile, from->at, from->count, to->at, to->room, USPREP_DEFAULT,
                               NULL, &code);
    return U_SUCCESS(code) && to->count > 0;
}

/* A unit of UTF-16 is at most three octets of UTF-8, and a pair of them four: the octets go in the place of
 * units that are wide enough. */
static bool add_units(const struct units *u, struct str *out)
{
    CLEANUP(units_clear) struct units text = {NULL, 0, 0};
    UErrorCode code = U_ZERO_ERROR;
    int32_t len = 0;

    units_make(&text, (size_t)u->count * 2);
    u_strToUTF8((char *)text.at, text.room * 2, &len, u->at, u->count, &code);
    if (U_FAILURE(code))
        return false;
    str_add(out, (struct slice){(const char *)text.at, (size_t)len});
    return true;
}

bool prepare_add(struct slice text, struct str *out)
{
    CLEANUP(units_clear) struct units raw = {NULL, 0, 0};
    CLEANUP(units_clear) struct units prepared = {NULL, 0, 0};
    UErrorCode code = U_ZERO_ERROR;

    if (text.len == 0 || text.len > INT_MAX / 4 / GROWTH_MOST)
        return false;
    units_make(&raw, text.len);
    units_make(&prepared, text.len * GROWTH_MOST);
    u_strFromUTF8(raw.at, raw.room, &raw.count, text.at, (int32_t)text.len, &code);
    return U_SUCCESS(code) && prepare_units(&raw, &prepared) && add_units(&prepared, out);
}
