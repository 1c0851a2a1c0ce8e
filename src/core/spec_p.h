/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_p - the tables that spec.c puts in order; each writes its heading and its rows.
 */
#pragma once

#include <onecase/str.h>

void spec_dispositions(struct str *out, const char *title);
void spec_item_transitions(struct str *out, const char *title);
void spec_effect_transitions(struct str *out, const char *title);
void spec_attempt_transitions(struct str *out, const char *title);
void spec_circuit_transitions(struct str *out, const char *title);
void spec_post_transitions(struct str *out, const char *title);
void spec_fault_grid(struct str *out, const char *title);
void spec_fault_rows(struct str *out, const char *title);
void spec_capabilities(struct str *out, const char *title);
void spec_scan_rows(struct str *out, const char *title);
void spec_decisions(struct str *out, const char *title);
