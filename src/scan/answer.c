/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <string.h>

static bool is_shown(char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '@';
}

void answer_words(struct slice octets, char out[SCAN_NAME_SIZE])
{
    octets = slice_cut(slice_trim(octets), 0, SCAN_NAME_SIZE - 1);
    for (size_t i = 0; i < octets.len; i++)
        out[i] = is_shown(octets.at[i]) ? octets.at[i] : '?';
    out[octets.len] = '\0';
}

static bool ends(struct slice line, struct slice with)
{
    return line.len >= with.len && slice_eq(slice_cut(line, line.len - with.len, with.len), with);
}

/* "stream: OK", "stream: NAME FOUND", "INSTREAM size limit exceeded. ERROR", "… ERROR". */
void answer_read(struct slice line, struct scan_verdict *out)
{
    static const struct slice stream = SLICE_INIT("stream: "), found = SLICE_INIT(" FOUND");
    bool of_stream = slice_eq(slice_cut(line, 0, stream.len), stream);
    struct slice said = slice_cut(line, of_stream ? stream.len : 0, line.len);
    out->answer = SCAN_NO_ANSWER;
    if (of_stream && slice_eqz(said, "OK"))
        out->answer = SCAN_CLEAN;
    else if (of_stream && ends(said, found) && said.len > found.len)
        out->answer = SCAN_FOUND;
    else if (slice_eqz(said, "INSTREAM size limit exceeded. ERROR"))
        out->answer = SCAN_TOO_LARGE;
    else if (ends(said, SLICE(" ERROR")))
        out->answer = SCAN_ERROR;
    if (out->answer == SCAN_FOUND)
        said.len -= found.len;
    answer_words(said, out->said);
}
