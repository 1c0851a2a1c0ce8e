/* SPDX-License-Identifier: Apache-2.0 */
#include <onecase/system.h>
#include <time.h>

void system_rest(int64_t ms)
{
    if (ms <= 0)
        return;
    struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}
