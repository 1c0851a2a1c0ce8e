/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/ledger.h>

void webhook_post_clear(struct webhook_post *post)
{
    str_clear(&post->sender);
    str_clear(&post->subject);
    *post = (struct webhook_post){.id = 0};
}
