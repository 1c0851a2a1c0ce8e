/* SPDX-License-Identifier: Apache-2.0
 *
 * offers - what a server's EHLO reply or CAPABILITY line offers, kept line by line as it was said.
 */
#pragma once

#include <onecase/connection.h>

/* The lines of the server while libcurl connects, one after another. Keeps those of the last EHLO or
 * CAPABILITY, so that what was said before TLS is forgotten. `fresh` is the collector's memory. */
void offers_hear(enum protocol protocol, struct slice line, struct str *offers, bool *fresh);

bool offers_mechanism(enum protocol protocol, struct slice offers, const char *mechanism);

/* The mechanisms, a blank between two. */
void offers_mechanisms(enum protocol protocol, struct slice offers, struct str *out);

/* Whether that word stands alone anywhere, without case. */
bool offers_word(struct slice offers, const char *word);
