/* SPDX-License-Identifier: Apache-2.0 */
#include "original.h"

/* As when it came: a decision about it rests on the same signs. */
static enum rc mark(const struct config *config,
                    const struct wired_data *data,
                    const char *path,
                    struct message *out,
                    struct err *err)
{
    CLEANUP(str_clear) struct str header = STR_INIT;
    const struct authentication trusted = config_authentication(config);
    TRY(blob_header(&data->blobs, path, &header, err));
    authentication_mark(&trusted, str_slice(&header), out);
    return RC_OK;
}

enum rc original_read(const struct config *config,
                      const struct wired_data *data,
                      const char *key,
                      struct message *out,
                      struct err *err)
{
    CLEANUP(message_reader_free) struct message_reader *reader = NULL;
    char path[BLOB_PATH_SIZE];
    blob_path_original(key, path);
    struct reader_limits limits = wire_limits(config, config->mailboxes.at);
    TRY(message_reader_new(config->data_dir, &limits, &reader, err));
    struct stored_reader there = {message_reader_port(reader), &data->stored, 0};
    struct reader port = stored_reader_port(&there);
    TRY(port.look(port.self, path, out, err));
    return mark(config, data, path, out, err);
}
