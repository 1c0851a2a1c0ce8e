/* SPDX-License-Identifier: Apache-2.0
 *
 * message_reader - the port of reader.h: mails are read in a child process that may do nothing else.
 *
 * The child is made when the first mail is read and kept for the next ones: this program anew, without
 * our memory, environment and arguments (message_reader_main). It holds one socket to us and, for the
 * mail at hand, a descriptor of the original (read only) and of one spool file at a time (write only),
 * which we make under data_dir/tmp and whose name the child never chooses. It has limits of memory,
 * processor time, file size and descriptors, and a filter of system calls: no network, no paths, no
 * other process, no other program.
 *
 * A child that dies, is too slow or answers what is no message costs the one mail: RC_REFUSED, and
 * the next mail gets a new child. Not for use by two threads, or across a fork of ours.
 *
 * What is kept already (items/…) is read however large it is, since somebody let it in: beyond
 * message_octets by a child of its own, whose limits of octets are the mail's.
 *
 * RC_REFUSED: a limit below, or the child. RC_DEFERRED: no room for a spool file. RC_NOT_FOUND: no
 * original. RC_BROKEN: the disk fails, or no child can be made.
 */
#pragma once

#include <onecase/reader.h>

/* clang-format off */
/* What a mail may be. Beyond `refuses` it is not read at all, beyond `cuts` less of it is taken and
 * SIGN_INCOMPLETE is set; the original is kept in either case. The text is completed by the limit. */
#define READER_LIMIT_LIST(X) \
/*    limit            default           beyond it   what is said */                                  \
    X(message_octets,  50 << 20,         refuses,   "the message is longer than %lld octets")         \
    X(header_octets,   1 << 20,          refuses,   "a header is longer than %lld octets")            \
    X(header_lines,    20000,            refuses,   "its headers have more than %lld lines")          \
    X(field_octets,    256 << 10,        refuses,   "a header field is longer than %lld octets")      \
    X(parameters,      1000,             refuses,   "a header field has more than %lld parameters")   \
    X(boundaries,      1000,             refuses,   "it has more than %lld multiparts")               \
    X(comparisons,     200000000,        refuses,   "telling its parts apart took more than %lld comparisons") \
    X(starts,          2000,             refuses,   "it has more than %lld parts")                    \
    X(leaves,          1000,             refuses,   "it has more than %lld texts and attachments")    \
    X(decoded_octets,  100 << 20,        refuses,   "its parts are longer than %lld octets decoded")  \
    X(repairs,         16,               cuts,      "more than %lld passes to mend its headers")      \
    X(text_octets,     1 << 20,          cuts,      "a text longer than %lld octets")                 \
    X(html_octets,     4 << 20,          cuts,      "an HTML text longer than %lld octets")           \
    X(name_octets,     1000,             cuts,      "a file name longer than %lld octets")            \
    X(addresses,       1000,             cuts,      "a field with more than %lld addresses")          \
    X(references,      200,              cuts,      "a field with more than %lld message ids")        \
    X(seconds,         60,               refuses,   "reading it took longer than %lld s")             \
    X(cpu_seconds,     30,               refuses,   "reading it took more than %lld s of processor time") \
    X(memory_octets,   READER_MEMORY,    refuses,   "reading it took more than %lld octets of memory")
/* clang-format on */

/* The sanitizer's shadow takes more addresses than any limit could leave; 0 is none. */
#ifdef __SANITIZE_ADDRESS__
#define READER_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define READER_MEMORY 0
#endif
#endif
#ifndef READER_MEMORY
#define READER_MEMORY (1 << 30)
#endif

#define READER_LIMIT_MEMBER(limit, ...) int64_t limit;
struct reader_limits {
    READER_LIMIT_LIST(READER_LIMIT_MEMBER)
};
#undef READER_LIMIT_MEMBER

extern const struct reader_limits reader_limits_default;

struct message_reader;

/* To be called by main before anything else: where the program was started as a reader's child it is
 * one, and does not return. Without the call children are forks, which have what memory we have. */
void message_reader_main(int argc, char **argv);

/* Opens data_dir (a folder that exists) and makes its tmp/ if need be. `limits` is copied. */
enum rc message_reader_new(const char *data_dir,
                           const struct reader_limits *limits,
                           struct message_reader **out,
                           struct err *err) MUST_CHECK;
/* Makes the child now, not at the first mail. */
enum rc message_reader_warm(struct message_reader *reader, struct err *err) MUST_CHECK;
struct reader message_reader_port(struct message_reader *reader); /* valid until free */
void message_reader_free(struct message_reader **reader);         /* ends the child; for CLEANUP */
