/* SPDX-License-Identifier: Apache-2.0
 *
 * notice_mail - the notifier by mail: a text, perhaps with an HTML page, through a courier.
 *
 * Its own identity and never a loop: Auto-Submitted is auto-generated, so that no answer comes, and no
 * acknowledgement is sent for it should it ever arrive in a watched mailbox. Taken is what at least one
 * recipient's server took.
 */
#pragma once

#include <onecase/courier.h>
#include <onecase/notifier.h>
#include <onecase/policy.h>

struct notice_mail {
    const struct courier *courier; /* all borrowed */
    const struct clock *clock;
    const char *from_name, *from_address;
    const char *sender; /* reverse path; "" is null */
    struct texts to;
};

struct notifier notice_mail_port(struct notice_mail *mail);
