/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <onecase/retention.h>

WORDS(content_words, CONTENT_LIST);
DEFINE_TEXT(content_text, content, content_words)

void contents_text(unsigned contents, struct str *out)
{
    for (unsigned c = 0; c < CONTENT_COUNT; c++)
        if (contents & CONTENT(c))
            str_addf(out, "%s%s", out->len > 0 ? " " : "", content_words[c]);
}
