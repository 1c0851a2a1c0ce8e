/* SPDX-License-Identifier: Apache-2.0 */
#include "tree_p.h"

#define WINDOW       16384 /* how much of a body is looked at */
#define BOUNDARY_MAX 255

/* Takes a line off the front, without its end. */
static bool take_line(struct slice *rest, struct slice *line)
{
    if (!slice_next(rest, '\n', line))
        return false;
    while (line->len > 0 && line->at[line->len - 1] == '\r')
        line->len--;
    return true;
}

static bool is_delimiter(struct slice line)
{
    return line.len >= 2 && line.at[0] == '-' && line.at[1] == '-';
}

/* Is the line at the front of `window`, which is no field, the first of the body? It is where no
 * field follows before an empty line or a delimiter. `covered` is how far was looked. */
static bool is_body(struct slice window, size_t *covered)
{
    struct slice rest = window;
    struct slice line;
    bool body = true;

    for (size_t lines = 0; body && take_line(&rest, &line); lines++) {
        if (slice_trim(line).len == 0 || is_delimiter(line))
            break;
        body = lines == 0 || !line_is_field(line);
    }
    *covered = window.len - rest.len;
    return body;
}

bool view_mend(struct octet_view *view, const int64_t *bad, size_t bads)
{
    CLEANUP(mem_free) char *window = mem_new(WINDOW, 1);
    CLEANUP(mem_free) int64_t *at = mem_new(bads, sizeof *at);
    size_t found = 0;
    int64_t covered_to = 0;
    bool mended = false;

    for (size_t i = 0; i < bads; i++) {
        size_t covered = 0;

        if (bad[i] < covered_to)
            continue;

        size_t got = octet_view_read(view, bad[i], window, WINDOW);

        if (!is_body((struct slice){window, got}, &covered))
            continue;
        covered_to = bad[i] + (int64_t)covered;
        at[found++] = bad[i];
    }
    while (found-- > 0) /* from the end, since each one moves what stands after it */
        mended |= octet_view_put(view, at[found]);
    return mended;
}

bool boundary_guess(const struct octet_view *view, struct str *out)
{
    CLEANUP(mem_free) char *window = mem_new(WINDOW, 1);
    size_t got = octet_view_read(view, (int64_t)view->head.len, window, WINDOW);
    struct slice rest = {window, got};
    struct slice line;
    struct slice above = SLICE_EMPTY;

    while (take_line(&rest, &line)) {
        if (is_delimiter(above) && above.len > 2 && above.len < BOUNDARY_MAX &&
            line_is_field(line) && slice_starts_nocase(line, SLICE("Content-")) &&
            slice_find(above, '\0', 0) == above.len) {
            str_empty(out);
            str_add(out, slice_trim(slice_cut(above, 2, above.len)));
            return out->len > 0;
        }
        above = line;
    }
    return false;
}
