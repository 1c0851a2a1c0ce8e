/* SPDX-License-Identifier: Apache-2.0
 *
 * source - what the original octets of a mail say about its identity (contract section 2).
 *
 * Our own code over raw octets, streamed, so that a key never changes with a library's version.
 * Nothing is decoded. Memory is bounded by the header fields it keeps, whatever the body's size.
 * However the octets are cut into pieces, the result is the same.
 *
 * Lines end with LF, any CRs before it included, or with a CR that no LF follows. A header field is
 * a line of a name in printable ASCII, white space or none, and a colon; lines that begin with SP or
 * HT go on with it, even empty otherwise. The header ends with the first empty line. Empty lines, a
 * UTF-8 BOM and mbox lines ("From ", ">From ") before it are skipped. Another line in it that is no
 * field (broken folding, a stray line) is skipped, and the header goes on after it.
 */
#pragma once

#include <onecase/digest.h>
#include <onecase/err.h>
#include <onecase/str.h>

struct source {
    int64_t size;                /* octets read */
    struct digest octets;        /* SHA-256 of them all */
    struct str message_id;       /* normalised, with brackets; empty where nothing is left */
    struct digest source_digest; /* From, Date, Subject and body; or octets, see below */
    bool has_date;               /* a valid Date stands in the header */
    int64_t date_ms;
    struct str from, date, subject; /* first fields, unfolded and trimmed, undecoded */
};

#define SOURCE_INIT                                                                                \
    {                                                                                              \
        .message_id = STR_INIT, .from = STR_INIT, .date = STR_INIT, .subject = STR_INIT            \
    }

void source_clear(struct source *s); /* for CLEANUP */

/* A running reading; feed the octets in pieces of any size, in order. */
struct source_reading;
struct source_reading *source_reading_new(void) MUST_CHECK;
void source_reading_add(struct source_reading *r, struct slice octets);
/* Ends the reading: frees and nulls it. `out` is SOURCE_INIT or a former result. The source digest is
 * SHA-256 over the first From, Date and Subject fields (each unfolded, trimmed; absent is empty) and
 * the body with LF line ends and no trailing ones, joined by LF; over all octets where there is no
 * valid Date. Where lines of the header were no fields, the hexadecimal SHA-256 of those lines with
 * LF ends is joined as a fifth: mails that differ in them are not the same. */
void source_reading_done(struct source_reading **r, struct source *out);
void source_reading_drop(struct source_reading **r); /* for CLEANUP */

void source_of(struct slice octets, struct source *out); /* the same, for what is at hand */

/* Finds the first field of exactly `name` (any case; white space before the colon allowed) in the
 * top header block of `octets`, a BOM or an mbox "From " line before it skipped. `out` is the raw
 * value after the colon, folds included; false where there is none. Borrowed. */
bool header_first(struct slice octets, const char *name, struct slice *out);
/* Removes folds (a line end before SP or HT) and trims: what is compared and hashed. */
void header_unfold(struct slice raw, struct str *out);

/* Normalises a raw Message-ID value as contract section 2 says: unfolded, comments outside the
 * brackets skipped (an unclosed one is none), what stands between the first "<" and the next ">"
 * (to the end where there is none), white space inside removed, brackets kept; without brackets
 * the first run without white space, brackets added. `out` is empty where nothing is left. White
 * space is SP, HT, CR and LF. Comments nest; a parenthesis after a backslash is none; where there
 * are no brackets a comment parts runs as white space does. */
void message_id_normalise(struct slice raw, struct str *out);

/* RFC 5322 date-time with its obsolete forms (two-digit years, zone names, comments and white
 * space between tokens, no day name), years 1990-9999; false for anything else, such as no zone, a
 * day that its month lacks, or names in another language. A day name that is not that of the date
 * is let pass. Zone letters but J, and unknown names of 3 to 5 letters, are +0000 as the RFC says. */
bool date_parse(struct slice text, int64_t *out_ms);
