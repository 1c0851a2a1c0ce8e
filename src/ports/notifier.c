/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/notifier.h>

const char *notice_state_text(enum notice_state state)
{
    static const char *const texts[] = {
        [NOTICE_NEW] = "new", [NOTICE_STILL] = "still", [NOTICE_OVER] = "over"};
    return texts[state];
}
