/* SPDX-License-Identifier: Apache-2.0 */
/* links: net */
#include "curl_fault.h"

#include <testing.h>
#include <curl/curl.h>

#include <string.h>

static void every_row_is_found_by_its_own_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < curl_fault_count; i++)
        assert_ptr_equal(curl_fault_of(curl_faults[i].code, curl_faults[i].verify),
                         &curl_faults[i]);
}

static void every_row_says_why_and_what_to_try(void **state)
{
    (void)state;
    for (size_t i = 0; i < curl_fault_count; i++) {
        assert_true(strlen(curl_faults[i].why) > 10);
        assert_true(strlen(curl_faults[i].remedy) > 10);
        assert_int_not_equal(curl_faults[i].rc, RC_OK);
    }
}

/* As libcurl with GnuTLS reports them: the bit INVALID stands beside the reason. */
static void a_certificate_is_refused_for_its_reason(void **state)
{
    static const struct {
        const char *name;
        long verify;
        const char *word;
    } rows[] = {
        {"another host's", 0, "another name"},
        {"an unknown authority", 0x42, "authority"},
        {"expired", 0x402, "expired"},
        {"expired and unknown", 0x442, "expired"},
        {"not yet valid", 0x202, "not valid yet"},
        {"revoked", 0x22, "revoked"},
        {"a weak signature", 0x102, "weakly"},
    };

    (void)state;
    FOR_EACH(row, rows) {
        const struct curl_fault *f = curl_fault_of(CURLE_PEER_FAILED_VERIFICATION, row->verify);

        assert_int_equal(f->rc, RC_REFUSED);
        assert_non_null(strstr(f->why, row->word));
        assert_non_null(strstr(f->why, "nothing secret was sent"));
    }
}

static void what_the_server_may_mend_by_itself_is_deferred(void **state)
{
    static const int codes[] = {CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
                                CURLE_OPERATION_TIMEDOUT,   CURLE_WEIRD_SERVER_REPLY,
                                CURLE_RECV_ERROR,           CURLE_FTP_WEIRD_PASV_REPLY};

    (void)state;
    for (size_t i = 0; i < LENGTH(codes); i++)
        assert_int_equal(curl_fault_of(codes[i], 0)->rc, RC_DEFERRED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found_by_its_own_code),
        cmocka_unit_test(every_row_says_why_and_what_to_try),
        cmocka_unit_test(a_certificate_is_refused_for_its_reason),
        cmocka_unit_test(what_the_server_may_mend_by_itself_is_deferred),
    };

    return RUN_TESTS(tests);
}
