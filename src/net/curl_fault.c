/* SPDX-License-Identifier: Apache-2.0 */
#include "curl_fault.h"

#include <curl/curl.h>

/* Of gnutls_certificate_status_t; libcurl hands them through. */
enum {
    CERT_REVOKED = 1 << 5,
    CERT_SIGNER_UNKNOWN = 1 << 6,
    CERT_SIGNER_NO_CA = 1 << 7,
    CERT_WEAK = 1 << 8,
    CERT_NOT_YET = 1 << 9,
    CERT_EXPIRED = 1 << 10,
};

#define NO_SECRET "; nothing secret was sent"

/* clang-format off */
const struct curl_fault curl_faults[] = {
/*    code                            verify               rc           why                                        what to try */
    { CURLE_COULDNT_RESOLVE_HOST,     0,                   RC_DEFERRED, "its name cannot be resolved",             "check `host` and this machine's name service" },
    { CURLE_COULDNT_RESOLVE_PROXY,    0,                   RC_DEFERRED, "the proxy's name cannot be resolved",     "check `proxy`" },
    { CURLE_PROXY,                    0,                   RC_DEFERRED, "the proxy does not let it through",       "check `proxy`" },
    { CURLE_COULDNT_CONNECT,          0,                   RC_DEFERRED, "it cannot be connected to",               "check `host`, `port`, firewalls, and whether the server runs" },
    { CURLE_OPERATION_TIMEDOUT,       0,                   RC_DEFERRED, "it did not answer in time",               "check `host`, `port`, firewalls, and whether the server runs" },
    { CURLE_PEER_FAILED_VERIFICATION, CERT_EXPIRED,        RC_REFUSED,  "its certificate has expired" NO_SECRET,   "the server needs a new one" },
    { CURLE_PEER_FAILED_VERIFICATION, CERT_NOT_YET,        RC_REFUSED,  "its certificate is not valid yet" NO_SECRET, "check the clocks of both machines" },
    { CURLE_PEER_FAILED_VERIFICATION, CERT_REVOKED,        RC_REFUSED,  "its certificate was revoked" NO_SECRET,   "the server needs a new one" },
    { CURLE_PEER_FAILED_VERIFICATION, CERT_SIGNER_UNKNOWN, RC_REFUSED,  "its certificate is from an authority that is not known here" NO_SECRET, "name that authority's certificate in `ca_file`, if it is the right server" },
    { CURLE_PEER_FAILED_VERIFICATION, CERT_SIGNER_NO_CA,   RC_REFUSED,  "its certificate is signed by one that may not sign" NO_SECRET, "the server needs a new one" },
    { CURLE_PEER_FAILED_VERIFICATION, CERT_WEAK,           RC_REFUSED,  "its certificate is signed too weakly" NO_SECRET, "the server needs a new one" },
    { CURLE_PEER_FAILED_VERIFICATION, 0,                   RC_REFUSED,  "its certificate is for another name" NO_SECRET, "write the name that is in the certificate as `host`, if it is the right server" },
    { CURLE_SSL_CACERT_BADFILE,       0,                   RC_REFUSED,  "the authorities' certificates cannot be read", "check `ca_file`, and that ca-certificates is installed" },
    { CURLE_SSL_CONNECT_ERROR,        0,                   RC_DEFERRED, "the TLS handshake failed" NO_SECRET,      "check that `security` fits `port`, and that the server speaks TLS 1.2 or later" },
    { CURLE_USE_SSL_FAILED,           0,                   RC_REFUSED,  "it does not offer STARTTLS, or somebody on the way removed it" NO_SECRET, "try `security: tls` and its port, or ask the server's administrator" },
    { CURLE_WEIRD_SERVER_REPLY,       0,                   RC_DEFERRED, "it does not take connections now, or does not speak this protocol", "check `port` and `security`" },
    { CURLE_REMOTE_ACCESS_DENIED,     0,                   RC_DEFERRED, "it refuses the greeting",                 "ask the server's administrator" },
    { CURLE_GOT_NOTHING,              0,                   RC_DEFERRED, "it closed the connection",                "check `port` and `security`, and the server's log" },
    { CURLE_RECV_ERROR,               0,                   RC_DEFERRED, "it closed the connection",                "check `port` and `security`, and the server's log" },
    { CURLE_SEND_ERROR,               0,                   RC_DEFERRED, "it closed the connection",                "check `port` and `security`, and the server's log" },
    { CURLE_URL_MALFORMAT,            0,                   RC_REFUSED,  "that is no host name",                    "check `host`" },
    { CURLE_UNSUPPORTED_PROTOCOL,     0,                   RC_BROKEN,   "this machine's libcurl lacks its protocol", "install libcurl3-gnutls" },
    { CURLE_OUT_OF_MEMORY,            0,                   RC_BROKEN,   "memory ran out",                          "give this machine more" },
};
/* clang-format on */

const size_t curl_fault_count = LENGTH(curl_faults);

const struct curl_fault *curl_fault_of(int code, long verify)
{
    static const struct curl_fault other = {CURLE_OK, 0, RC_DEFERRED,
                                            "the connection could not be made",
                                            "it is tried again; see the server's log"};

    for (size_t i = 0; i < curl_fault_count; i++)
        if (curl_faults[i].code == code &&
            (curl_faults[i].verify == 0 || (curl_faults[i].verify & verify) != 0))
            return &curl_faults[i];
    return &other;
}
