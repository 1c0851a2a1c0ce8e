/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <onecase/seal.h>

#include <openssl/x509.h>

struct recipients {
    X509 *certificate[SEAL_RECIPIENTS]; /* owned */
    size_t count;
    char names[SEAL_NAMES_SIZE];
};
