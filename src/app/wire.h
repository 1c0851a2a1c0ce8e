/* SPDX-License-Identifier: Apache-2.0
 *
 * wire - the one place where ports meet adapters: a mailbox of the configuration becomes a service.
 *
 * Everything that wire_open makes belongs to the struct and is given back by wire_close. A process
 * wires after it was forked: ledger, locks and connections do not survive a fork.
 */
#pragma once

#include "desk.h"
#include "stored.h"

#include <onecase/clamd.h>
#include <onecase/config.h>
#include <onecase/imap.h>
#include <onecase/letter_writer.h>
#include <onecase/message_reader.h>
#include <onecase/operations.h>
#include <onecase/service.h>
#include <onecase/smtp.h>
#include <onecase/store.h>
#include <onecase/system.h>

#define ONECASE_VERSION "0.1"
#define TEMPLATES_DIR   "/usr/share/onecase/templates"

/* What a data folder needs: the ledger, and where mail is kept. */
struct wired_data {
    struct store *store;
    struct stored stored;
    struct files files; /* its ports */
    struct blobs blobs;
    struct ledger ledger;
    struct views views;
};

struct wired {
    const struct config *config;          /* borrowed */
    const struct config_mailbox *mailbox; /* borrowed */
    struct wired_data data;
    struct clock clock;
    struct system_processes *system;
    struct processes processes;
    struct endpoint imap_endpoint;
    struct imap_mailbox *imap;
    struct mailbox imap_port;
    struct smtp_courier *smtp;
    struct courier smtp_port;
    struct message_reader *reader;
    struct stored_reader stored_reader;
    struct reader reader_port;
    struct desk desk; /* where `destination` is used */
    struct destination destination;
    struct letter_writer *writer;
    struct composer composer;
    struct clamd *clamd;
    struct scanner scanner;
    struct service_ports ports;
    struct service_settings settings;
    struct key_rule *key_rule;
    char *domain; /* of `from` */
};

/* Is there a ledger, or something else in its place that says why it cannot be read? */
bool wire_has_ledger(const struct config *config);
/* RC_BROKEN: the file was moved to another database. Whatever else it has is said by whoever opens it to write; so is
 * that a database was moved, as nobody waits here for one that does not answer. */
enum rc wire_check_not_moved(const struct config *config, struct err *err) MUST_CHECK;
/* A ledger in memory, with nothing in it, and no files. */
enum rc wire_nothing(const struct config *config, struct wired_data *out, struct err *err)
    MUST_CHECK;
/* Opens the ledger and the data folder, making both where `create`. */
enum rc wire_data(const struct config *config, bool create, struct wired_data *out, struct err *err)
    MUST_CHECK;
void wire_data_close(struct wired_data *data); /* for CLEANUP */

/* Of this machine, for metrics and `check`. */
void wire_look(const struct wired_data *data, struct installation *out);

/* RC_BROKEN, RC_DEFERRED of the ledger or disk; RC_REFUSED of a template. Connects to nothing. */
enum rc wire_open(const struct config *config,
                  const struct config_mailbox *mailbox,
                  struct wired *out,
                  struct err *err) MUST_CHECK;
/* Lets runs and the reader work in another folder, for a trial. */
enum rc wire_move_in(struct wired *wired, const char *folder, struct err *err) MUST_CHECK;
void wire_close(struct wired *wired); /* for CLEANUP */

/* The largest message that `resolve --max-size` lets through. */
#define RAISED_MAX (INT64_C(1) << 30)
/* What a mail of this mailbox may be. */
struct reader_limits wire_limits(const struct config *config, const struct config_mailbox *mailbox);

/* The endpoints alone, for doctor. */
struct endpoint wire_endpoint(const struct config_server *server);
struct smtp_settings wire_smtp(const struct config_acknowledgement *acknowledgement);

struct clamd_settings wire_clamd(const struct config *config);

/* What letters are made with; borrows from `config`. */
struct letter_settings wire_letters(const struct config *config,
                                    const struct config_acknowledgement *acknowledgement);
/* Reads and checks the templates of every mailbox. RC_USAGE: `problems` got a line for each that is
 * wrong. */
enum rc wire_check_letters(const struct config *config, struct str *problems) MUST_CHECK;

/* The key rules of the configuration as the core takes them; free() them. */
struct key_rule *wire_key_rules(const struct config *config) MUST_CHECK;
