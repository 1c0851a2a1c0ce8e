/* SPDX-License-Identifier: Apache-2.0
 *
 * ask - the few questions asked before libetpan is given the session.
 *
 * libetpan dies of a CAPABILITY or NAMESPACE that is answered by OK and nothing before it; so these
 * answers, plain as they are, are read here.
 */
#pragma once

#include "imap_p.h"

enum rc ask_capabilities(struct imap_mailbox *m, struct err *err) MUST_CHECK;
/* By NAMESPACE where the server has it, else by LIST. */
enum rc ask_names(struct imap_mailbox *m, struct err *err) MUST_CHECK;

/* Reads the line after "* NAMESPACE ". What is not understood is left out. */
void read_namespace(struct slice line, struct name_space *out);
