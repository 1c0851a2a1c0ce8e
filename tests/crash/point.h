/* SPDX-License-Identifier: Apache-2.0
 *
 * point - a place where the program may be killed, or a call that may be answered otherwise.
 *
 * ONECASE_CRASH="HOW CALL NTH" names one, such as "before work.commit 3". HOW is
 *
 *   before, after    SIGKILL to the worker there, so that nothing is cleaned up
 *   stop-before, stop-after
 *                    SIGSTOP to the worker there
 *   deferred, refused, broken, unknown
 *                    the call is not made, and answered so
 *   lost             the call is made, and answered unknown
 *
 * ONECASE_CRASH_TRACE=FILE gets a line when a point is reached ("> CALL NTH") and when it is left
 * ("< CALL NTH RC"). Points count from service_new on; what comes before it changes nothing outside.
 */
#pragma once

#include <onecase/err.h>
#include <stdbool.h>

struct point {
    const char *call;
    unsigned nth;
    bool answers; /* the call is not made; point_answer says what it gives */
};

/* `note` stands behind the line of the trace; "" is none. */
struct point point_at(const char *call, const char *note);
/* Of a system call: the error that it fails with, or 0; see disk.h. */
int point_errno(const char *call);
enum rc point_answer(const struct point *point, struct err *err);
/* The call is over. Gives its answer, or that of the environment. */
enum rc point_over(const struct point *point, enum rc rc, struct err *err);
/* The same for a call that has no answer. */
void point_left(const struct point *point);

/* Points are counted from here on. */
void points_begin(void);
bool points_begun(void);

/* A function of a port that may be killed at, and answered for. `real` is the port behind it. */
#define AT_POINT(port, member, parameters, ...)                                                    \
    static enum rc port##_##member parameters                                                      \
    {                                                                                              \
        struct point point = point_at(#port "." #member, "");                                      \
        if (point.answers)                                                                         \
            return point_answer(&point, err);                                                      \
        return point_over(&point, real_##port.member(__VA_ARGS__), err);                           \
    }
