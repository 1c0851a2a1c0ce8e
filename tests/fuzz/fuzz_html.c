/* SPDX-License-Identifier: Apache-2.0 */
/* links: message */
#include "charset.h"
#include "fuzzing.h"
#include "html.h"

/* Any octets are HTML. Their text is UTF-8 within its bounds, and cut only where it had to be. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(str_clear) struct str html = STR_INIT;
    CLEANUP(str_clear) struct str text = STR_INIT;
    CLEANUP(str_clear) struct str start = STR_INIT;

    charset_decode(html_charset(input_of(data, size)), input_of(data, size), CHARSET_TEXT, &html);
    assert(html_to_text(str_slice(&html), 1 << 20, &text));
    assert(utf8_fits(str_slice(&text)));
    html_to_text(str_slice(&html), 16, &start);
    assert(start.len <= 16 && utf8_fits(str_slice(&start)));
    assert(slice_eq(str_slice(&start), slice_cut(str_slice(&text), 0, start.len)));
    return 0;
}
