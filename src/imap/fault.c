/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include <onecase/str.h>
#include <libetpan/libetpan.h>

/* After any of these the stream may be out of step with the parser. */
/* clang-format off */
const struct imap_fault imap_faults[] = {
/*    result                                rc           drop   why */
    { MAILIMAP_ERROR_BAD_STATE,             RC_DEFERRED, true,  "the session is in another state than it should be" },
    { MAILIMAP_ERROR_STREAM,                RC_DEFERRED, true,  "it ended the session" },
    { MAILIMAP_ERROR_PARSE,                 RC_DEFERRED, true,  "it answers what is no IMAP; is it a mail server?" },
    { MAILIMAP_ERROR_CONNECTION_REFUSED,    RC_DEFERRED, true,  "it refuses the connection" },
    { MAILIMAP_ERROR_MEMORY,                RC_DEFERRED, true,  "its answer was given up" },
    { MAILIMAP_ERROR_FATAL,                 RC_DEFERRED, true,  "its answer could not be read" },
    { MAILIMAP_ERROR_PROTOCOL,              RC_DEFERRED, true,  "it does not understand the command" },
    { MAILIMAP_ERROR_DONT_ACCEPT_CONNECTION, RC_DEFERRED, true, "it does not take connections now" },
};

const struct imap_no imap_nos[] = {
/*    code                     rc            drop   what to do */
    { "",                      RC_DEFERRED,  false, "it is tried again; see the server's log" },
    { "ALERT",                 RC_DEFERRED,  false, "it is tried again; see what the server says" },
    { "TRYCREATE",             RC_NOT_FOUND, false, "the folder is missing; check `folders`" },
    { "NONEXISTENT",           RC_NOT_FOUND, false, "the folder is missing; check `folders`" },
    { "NOPERM",                RC_REFUSED,   false, "the account lacks the right; have the server's administrator give it" },
    { "READ-ONLY",             RC_REFUSED,   false, "the account may only read here; have the server's administrator give it the right" },
    { "CANNOT",                RC_REFUSED,   false, "the server cannot do that; check `folders`" },
    { "ALREADYEXISTS",         RC_CONFLICT,  false, "somebody made it first" },
    { "OVERQUOTA",             RC_DEFERRED,  false, "the mailbox is full; make room in it, or raise its quota" },
    { "THROTTLED",             RC_DEFERRED,  false, "it is asked too much; it is tried again" },
    { "LIMIT",                 RC_DEFERRED,  false, "a limit of the server is reached; it is tried again" },
    { "INUSE",                 RC_DEFERRED,  false, "somebody else uses it; it is tried again" },
    { "UNAVAILABLE",           RC_DEFERRED,  false, "a part of the server is down; it is tried again" },
    { "SERVERBUG",             RC_DEFERRED,  false, "it is tried again; see the server's log" },
    { "CLIENTBUG",             RC_DEFERRED,  false, "it is tried again; see the server's log" },
    { "CORRUPTION",            RC_DEFERRED,  false, "the mailbox is damaged on the server; tell its administrator" },
    { "EXPUNGEISSUED",         RC_DEFERRED,  false, "a message went away meanwhile; it is tried again" },
    { "CONTACTADMIN",          RC_REFUSED,   false, "ask the server's administrator" },
    { "EXPIRED",               RC_DEFERRED,  true,  "the sign-in has expired; it is made anew" },
    { "AUTHENTICATIONFAILED",  RC_REFUSED,   true,  "check user name and secret" },
    { "AUTHORIZATIONFAILED",   RC_REFUSED,   true,  "the account may not do that; check user name and secret" },
    { "PRIVACYREQUIRED",       RC_REFUSED,   true,  "the server wants TLS; check `security`" },
};
/* clang-format on */

const size_t imap_fault_count = LENGTH(imap_faults);
const size_t imap_no_count = LENGTH(imap_nos);

const struct imap_fault *imap_fault_of(int result)
{
    for (size_t i = 0; i < imap_fault_count; i++)
        if (imap_faults[i].result == result)
            return &imap_faults[i];
    return NULL;
}

const struct imap_no *imap_no_of(const char *code)
{
    for (size_t i = 0; i < imap_no_count; i++)
        if (slice_eq_nocase(slice_z(code), slice_z(imap_nos[i].code)))
            return &imap_nos[i];
    return &imap_nos[0];
}
