/* SPDX-License-Identifier: Apache-2.0
 *
 * composer (port) - writes the octets of an acknowledgement from a template (contract section 5).
 *
 * Values from the message cannot add a header, a recipient or a template directive. The octets have
 * CRLF line ends and no line over 998 octets, and are the same for the same facts.
 */
#pragma once

#include <onecase/err.h>
#include <onecase/policy.h>
#include <onecase/str.h>

/* An attachment that was not taken. */
struct exception_facts {
    const char *name; /* decoded, as its sender wrote it; "" where it had none */
    enum exception why;
};

struct acknowledgement_facts {
    const char *mailbox;
    enum completion completion;
    const char *effect;    /* EFFECT: 32 hex digits */
    const char *proof;     /* X-Onecase-Proof */
    const char *reference; /* case reference */
    const char *recipient;
    struct slice subject;     /* of the original */
    struct slice in_reply_to; /* the original's Message-ID as it was, or empty */
    int64_t received_ms;      /* when the original arrived */
    int64_t date_ms;          /* of this letter; fixed at the first try */
    const char *languages;    /* as language.h has them; "" is the mailbox's own */
    const struct exception_facts *exception;
    size_t exceptions;
};

struct composer {
    void *self;
    enum rc (*compose)(void *self,
                       const struct acknowledgement_facts *facts,
                       struct str *out,
                       struct err *err);
};
