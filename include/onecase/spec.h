/* SPDX-License-Identifier: Apache-2.0
 *
 * spec - the law of the core, printed from its tables.
 *
 * spec_print writes every table as Markdown, under headings that name the contract's section;
 * src/README.md carries it between two markers, and a test compares. spec_print_promela writes the
 * transitions as Promela for tests/model, so the model cannot follow another law than the program.
 * Pure: appends to `out`, the same text on every machine.
 */
#pragma once

#include <onecase/str.h>

void spec_print(struct str *out);
void spec_print_promela(struct str *out);
