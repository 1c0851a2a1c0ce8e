/* SPDX-License-Identifier: Apache-2.0
 *
 * reports - what a report is about (RFC 3464 delivery, RFC 8098 disposition, RFC 5965 feedback).
 *
 * The ids it names: of the message that came back, whole or its header; Original-Message-ID of a
 * disposition notification; of an acknowledgement of ours also its mark. What happened: the worst of the
 * actions of a delivery report. The free texts of servers that know no reports (bounces.h) say by their
 * words what happened, and are searched for the header they quote.
 */
#pragma once

#include "body.h"

void reports_read(const struct body *body, struct message *out);
