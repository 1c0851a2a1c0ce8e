/* SPDX-License-Identifier: Apache-2.0
 *
 * ask - the few questions that are asked without libetpan: before it is given the session, and by
 * doctor between two of its commands.
 *
 * libetpan dies of a CAPABILITY or NAMESPACE that is answered by OK and nothing before it; so these
 * answers, plain as they are, are read here.
 */
#pragma once

#include "imap_p.h"

/* What is asked: the command, how its answer begins, and who reads the rest of such a line. */
struct question {
    struct slice command, sign;
    void (*read)(struct slice line, void *ctx);
    void *ctx;
    bool told;
};

/* Goes on until the tagged answer. Anything but OK ends the session. */
enum rc ask(struct imap_mailbox *m, struct question *q, struct err *err) MUST_CHECK;

enum rc ask_capabilities(struct imap_mailbox *m, struct err *err) MUST_CHECK;
/* Where it takes names in UTF-8 alone: from then on they go so. */
enum rc ask_for_utf8(struct imap_mailbox *m, struct err *err) MUST_CHECK;
/* By NAMESPACE where the server has it, else by LIST. */
enum rc ask_names(struct imap_mailbox *m, struct err *err) MUST_CHECK;

/* Reads the line after "* NAMESPACE ". What is not understood is left out. */
void read_namespace(struct slice line, struct name_space *out);
