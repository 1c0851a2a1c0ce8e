/* SPDX-License-Identifier: Apache-2.0
 *
 * settings - an endpoint from words "name=value" of a command line, and JSON for what is printed.
 */
#pragma once

#include <onecase/connection.h>

/* Fills the endpoint; true where the word was one of its settings. */
bool set_endpoint(struct endpoint *endpoint, const char *word);

/* The value of "name=value", where the word has that name; else NULL. */
const char *value_of(const char *word, const char *name);

/* Prints a JSON string. */
void print_text(struct slice text);
