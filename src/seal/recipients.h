/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <onecase/seal.h>

#include <openssl/x509.h>

struct recipients {
    X509 *certificate[SEAL_RECIPIENTS]; /* owned */
    size_t count;
    int64_t end_ms; /* of the first that expires */
    char names[SEAL_NAMES_SIZE];
};
