/* SPDX-License-Identifier: Apache-2.0 */
#include "json_p.h"

void json_exported(const struct exported *exported, struct str *out)
{
    char hex[DIGEST_HEX_SIZE];
    json_t *o = json_object();
    digest_hex(&exported->digest, hex);
    put(o, "file", text(exported->file));
    put(o, "folder", exported->folder ? text(exported->folder) : json_null());
    put(o, "sha256", text(hex));
    put_int(o, "size", exported->size);
    put_int(o, "items", exported->items);
    put_int(o, "files", exported->files);
    put(o, "missing", parts(slice_z(exported->missing), '\n'));
    finish(o, out);
}
