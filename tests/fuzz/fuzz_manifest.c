/* SPDX-License-Identifier: Apache-2.0 */
/* links: blobs core */
#include "fuzzing.h"

#include <onecase/manifest.h>

/* The last line is made right, or nothing but a guess of SHA-256 would get past it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(manifest_clear) struct manifest m = {0};
    CLEANUP(manifest_clear) struct manifest again = {0};
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str written = STR_INIT;
    struct err err = ERR_INIT;
    char hex[DIGEST_HEX_SIZE];

    str_add(&text, input_of(data, size));
    struct digest all = sha256_of(str_slice(&text));

    digest_hex(&all, hex);
    str_addf(&text, "end %s\n", hex);
    if (manifest_read(str_slice(&text), &m, &err) != RC_OK)
        return 0;
    manifest_write(&m, &written);
    assert(manifest_read(str_slice(&written), &again, &err) == RC_OK && again.files == m.files);
    return 0;
}
