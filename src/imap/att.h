/* SPDX-License-Identifier: Apache-2.0
 *
 * att - one FETCH command, and what stands in its answers.
 */
#pragma once

#include "imap_p.h"

struct att {
    uint32_t uid; /* 0: not said */
    int64_t internal_ms;
    int64_t size;
    bool has_date, has_size, has_body;
    bool deleted;
    const char *body; /* where it came as no stream: borrowed, or NULL */
    size_t body_len;
};

void att_read(const struct mailimap_msg_att *from, struct att *out);

enum wanted {
    WANT_LINE,   /* UID FLAGS INTERNALDATE RFC822.SIZE */
    WANT_HEADER, /* UID BODY.PEEK[HEADER] */
    WANT_WHOLE,  /* UID BODY.PEEK[] */
};

struct fetch_to {
    mailimap_msg_att_handler *att;
    mailimap_msg_body_handler *body; /* NULL for WANT_LINE */
    void *ctx;
};

/* A result that is no failure says little: a server may answer NO after some. See what was seen. */
enum rc att_fetch(struct imap_mailbox *m,
                  const uint32_t *uid,
                  size_t count,
                  enum wanted wanted,
                  const struct fetch_to *to,
                  struct err *err) MUST_CHECK;
