/* SPDX-License-Identifier: Apache-2.0
 *
 * bounces - what mail systems say in free text about a mail that they could not, or not yet, deliver.
 *
 * Two tables of words, in the languages and of the programs that are met: qmail, Exim, sendmail,
 * Postfix, Exchange, Notes and the large providers. They are asked only where the sender is a mail
 * system; a person may write any of them.
 */
#pragma once

#include <onecase/str.h>

/* "failed", "delayed", or NULL where it says neither. Subject and beginning of the text. */
const char *bounce_action(struct slice subject, struct slice text);
