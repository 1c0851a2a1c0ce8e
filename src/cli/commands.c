/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

#define RUNNING  "Running it"
#define LOOKING  "Looking"
#define DECIDING "Deciding"
#define KEEPING  "Keeping"
#define MORE     "More"

/* A new command: its row here, its function in one of the files beside, its options in about.c. */
/* clang-format off */
const struct command commands[] = {
/*    group     what is typed                                                                         needs          runs                   in one line */
    { RUNNING,  "init [--address A] [--imap HOST] [--imap-user U] [--imap-password-file FILE] [--smtp HOST] [--smtp-user U] [--smtp-password-file FILE] [--from NAME] [--owner A] [--sent FOLDER] [--data-dir DIR] [--imap-security tls|starttls|none] [--smtp-security tls|starttls|none] [--ca-file FILE] [--untested]",
                                                                                                      NEEDS_NOTHING, cmd_init,              "Asks for your mailbox, tries it, and writes the first configuration." },
    { RUNNING,  "run [--once] [--dry-run] [--mailbox M] [--take-over NAME] [--json]",                 NEEDS_LETTERS, cmd_run,               "The service; --once handles what is there now and ends." },
    { RUNNING,  "console",                                                                            NEEDS_LEDGER,  cmd_console,           "Only the pages of the console, without the service." },
    { RUNNING,  "status [--json]",                                                                    NEEDS_TO_READ, cmd_status,            "Each mailbox: counts by state, what waits and why." },
    { RUNNING,  "doctor [--send-to ADDRESS] [--since-last] [--json]",                                 NEEDS_CONFIG,  cmd_doctor,            "Tries everything and says how to mend what is wrong." },
    { RUNNING,  "check [--mailbox M] [--warning LIMITS] [--critical LIMITS] [--json]",                NEEDS_TO_READ, cmd_check,             "One line for monitoring: exit 0 good, 1 warning, 2 critical, 3 unknown." },
    { RUNNING,  "metrics [--output FILE]",                                                            NEEDS_TO_READ, cmd_metrics,           "Numbers for Prometheus, as the console serves them." },
    { RUNNING,  "verify [--explain REASON] [--by NAME] [--json]",                                     NEEDS_TO_READ, cmd_verify,            "Holds the ledger against itself, the files and the mailboxes." },
    { LOOKING,  "items [--state S] [--mailbox M] [--older-than D] [--not-told] [--limit N] [--wide] [--columns LIST] [--json]", NEEDS_TO_READ, cmd_items,             "Mails, newest first." },
    { LOOKING,  "item KEY [--wide] [--json]",                                                         NEEDS_TO_READ, cmd_item,              "One mail whole, and what can be decided about it." },
    { LOOKING,  "cases [--state S] [--mailbox M] [--limit N] [--wide] [--columns LIST] [--json]",     NEEDS_TO_READ, cmd_cases,             "Cases, newest first." },
    { LOOKING,  "case REFERENCE [--close|--reopen|--unmerge|--withdraw|--hold|--release] [--merge-into R] [--approve] [--by NAME] [--reason TEXT] [--json]",
                                                                                                      NEEDS_TO_READ, cmd_one_case,          "One case with its messages and attachments; closes, opens, merges, holds it." },
    { LOOKING,  "deliveries [--state S] [--mailbox M] [--limit N] [--wide] [--columns LIST] [--json]", NEEDS_TO_READ, cmd_deliveries,        "Every arrival, newest first." },
    { LOOKING,  "report duplicates [--since D] [--until D] [--rows NUMBER] [--format F] [--limit N] [--wide] [--columns LIST] [--json]", NEEDS_TO_READ, cmd_report_duplicates, "How often mail came again, and what that did not cause." },
    { LOOKING,  "report replays [--since D] [--until D] [--format F] [--wide] [--columns LIST] [--json]", NEEDS_TO_READ, cmd_report_replays,    "Every replay: of what, by whom, and why." },
    { LOOKING,  "report decisions [--since D] [--until D] [--format F] [--wide] [--columns LIST] [--json]", NEEDS_TO_READ, cmd_report_decisions,  "Every decision: about what, by whom, and why." },
    { LOOKING,  "export [KEY] [--since D] [--until D] [--format F] [--to FILE] [--json]",             NEEDS_TO_READ, cmd_export,            "Evidence as one tar file, with originals and checksums; or its story as a page to print." },
    { LOOKING,  "deployments [--take-over NAME] [--limit N] [--wide] [--columns LIST] [--json]",      NEEDS_TO_READ, cmd_deployments,       "Every run that used this ledger; takes a mailbox over from another." },
    { DECIDING, "first-import MAILBOX cases|full|adopt [--by NAME] [--json]",                         NEEDS_LEDGER,  cmd_first_import,      "The choice about mail from before the first start." },
    { DECIDING, "import-cases FILE [--mailbox M] [--dry-run] [--by NAME] [--reason TEXT] [--json]",    NEEDS_LEDGER,  cmd_import_cases,      "Takes in the list of cases that an older system made, doubles and all." },
    { DECIDING, "resolve KEY --by NAME --reason TEXT [--acknowledgement sent|not-sent|none] [--run-gone] [--conflict new-case|append|dismiss] [--always] [--unprocessable retry|dismiss] [--max-size S] [--case made|not-made|none] [ID] [--flood let-through|mute] [--resend-acknowledgement] [--undo] [--all-like] [--approve] [--json]",
                                                                                                      NEEDS_LEDGER,  cmd_resolve,           "A person's decision about a mail." },
    { DECIDING, "decide [--mailbox M] [--by NAME] [--reason TEXT]",                                   NEEDS_LEDGER,  cmd_decide,            "Walks through what needs your decision, one mail at a time, by single keys." },
    { DECIDING, "replay [KEY] [--state S] [--where CONDITION] [--resend-acknowledgement] [--plan HASH] [--approve --by NAME --reason TEXT] [--wide] [--json]",
                                                                                                      NEEDS_LEDGER,  cmd_replay,            "Shows what would run again, of one mail or of many; --approve does it." },
    { DECIDING, "suspects [REFERENCE] [--authoritative|--different] [--approve] [--by NAME] [--reason TEXT] [--wide] [--columns LIST] [--json]",
                                                                                                      NEEDS_TO_READ, cmd_suspects,          "Cases of the same words under other identifiers." },
    { DECIDING, "rules [--remove ID] [--by NAME] [--reason TEXT] [--wide] [--columns LIST] [--json]",  NEEDS_TO_READ, cmd_rules,             "What is always done for a sender, since a person said so." },
    { DECIDING, "proposals [--refuse ID] [--by NAME] [--reason TEXT] [--wide] [--columns LIST] [--json]", NEEDS_TO_READ, cmd_proposals,         "What waits for a second person's approval." },
    { DECIDING, "pause --by NAME --reason TEXT [--mailbox M] [--effect KIND] [--hold FOLDER]",        NEEDS_LEDGER,  cmd_pause,             "Arrivals go on being recorded, no step runs; --hold keeps new mail aside." },
    { DECIDING, "resume --by NAME --reason TEXT [--mailbox M]",                                       NEEDS_LEDGER,  cmd_resume,            "Ends a pause, and brings back what was kept aside." },
    { DECIDING, "webhooks [--replay ID] [--by NAME] [--reason TEXT] [--limit N] [--json]",            NEEDS_LEDGER,  cmd_webhooks,          "What other programs were told, what waits, and what nobody took; sends that again." },
    { KEEPING,  "backup FOLDER [--keep N] [--read-all] [--json]",                                     NEEDS_TO_READ, cmd_backup,            "Saves ledger and files into a folder, beside the service." },
    { KEEPING,  "restore FOLDER [--backup NAME] [--key FILE] [--passphrase-file FILE] [--list] [--json]", NEEDS_CONFIG,  cmd_restore,           "Makes a new data folder of a backup; --list names them." },
    { KEEPING,  "migrate-blobs --to PLACE [--from PLACE] [--json]",                                   NEEDS_TO_READ, cmd_migrate_blobs,     "Copies originals and attachments to another place, such as an object store." },
    { KEEPING,  "migrate-ledger [--to PLACE] [--abandon] [--json]",                                   NEEDS_TO_READ, cmd_migrate_ledger,    "Moves the ledger to PostgreSQL while the service runs, but for its end; or back." },
    { KEEPING,  "retain [--dry-run] [--json]",                                                        NEEDS_TO_READ, cmd_retain,            "Archives and lets go what has been kept long enough, as configured." },
    { KEEPING,  "erase [ADDRESS] [--dry-run] [--by NAME] [--reason TEXT] [--list] [--json]",          NEEDS_TO_READ, cmd_erase,             "Erases what is kept of one sender's mails, and records that it was done." },
    { MORE,     "user add NAME --role R",                                                             NEEDS_LEDGER,  cmd_user_add,          "Lets somebody use the console; the password is asked for." },
    { MORE,     "user role NAME ROLE",                                                                NEEDS_LEDGER,  cmd_user_role,         "Gives a user another role." },
    { MORE,     "user password NAME",                                                                 NEEDS_LEDGER,  cmd_user_password,     "Gives a user another password." },
    { MORE,     "user remove NAME",                                                                   NEEDS_LEDGER,  cmd_user_remove,       "Shuts a user out; what was done under the name stays." },
    { MORE,     "user list [--wide] [--columns LIST] [--json]",                                       NEEDS_LEDGER,  cmd_user_list,         "Who may use the console." },
    { MORE,     "token add NAME --role R",                                                            NEEDS_LEDGER,  cmd_token_add,         "A token for scripts that use the interface of the console." },
    { MORE,     "token remove NAME",                                                                  NEEDS_LEDGER,  cmd_token_remove,      "Ends a token." },
    { MORE,     "token list [--wide] [--columns LIST] [--json]",                                      NEEDS_LEDGER,  cmd_token_list,        "The tokens, by their names." },
    { MORE,     "identify FILE [--mailbox M] [--json]",                                               NEEDS_CONFIG,  cmd_identify,          "Who a message file would be; touches nothing." },
    { MORE,     "destination test NAME [--json]",                                                     NEEDS_CONFIG,  cmd_destination_test,  "Sends a marked test case to a destination and takes it away." },
    { MORE,     "template test FILE [--mailbox M] [--state accepted|accepted_with_exceptions|appended|closed] [--language LANG] [--json]",
                                                                                                      NEEDS_LETTERS, cmd_template_test,     "What the sender of a message file would be told; sends nothing." },
    { MORE,     "config [--reference]",                                                               NEEDS_NOTHING, cmd_config,            "Every setting with its default, as an example file." },
    { MORE,     "spec",                                                                               NEEDS_NOTHING, cmd_spec,              "The rules it works by, as tables." },
    { MORE,     "version",                                                                            NEEDS_NOTHING, cmd_version,           "The version." },
    { MORE,     "help [COMMAND] [SUBCOMMAND]",                                                        NEEDS_NOTHING, cmd_help,              "This list, or one command with its options." },
    { MORE,     "completion bash|zsh|fish",                                                           NEEDS_NOTHING, cmd_completion,        "A completion script for a shell." },
};
/* clang-format on */
const size_t command_count = LENGTH(commands);
