/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

/* clang-format off */
const struct command commands[] = {
/*    what is typed                                                                  needs          runs                   in one line */
    { "run [--once] [--dry-run] [--mailbox M] [--take-over NAME] [--json]",          NEEDS_CONFIG,  cmd_run,               "The service; --once handles what is there now and ends." },
    { "status [--json]",                                                             NEEDS_LEDGER,  cmd_status,            "Each mailbox: counts by state, what waits and why." },
    { "items [--state S] [--mailbox M] [--older-than D] [--not-told] [--limit N] [--json]",
                                                                                     NEEDS_LEDGER,  cmd_items,             "Mails, newest first." },
    { "item KEY [--json]",                                                           NEEDS_LEDGER,  cmd_item,              "One mail whole: arrivals, steps, tries, findings, decisions." },
    { "deliveries [--state S] [--mailbox M] [--limit N] [--json]",                   NEEDS_LEDGER,  cmd_deliveries,        "Every arrival, newest first." },
    { "cases [--state S] [--mailbox M] [--limit N] [--json]",                        NEEDS_LEDGER,  cmd_cases,             "Cases, newest first." },
    { "case REFERENCE [--close] [--reopen] [--merge-into R] [--unmerge] [--by NAME] [--reason TEXT] [--json]",
                                                                                     NEEDS_LEDGER,  cmd_one_case,          "One case with its messages and attachments; closes, opens, merges it." },
    { "suspects [REFERENCE] [--authoritative] [--different] [--by NAME] [--reason TEXT] [--json]",
                                                                                     NEEDS_LEDGER,  cmd_suspects,          "Cases of the same words under other identifiers." },
    { "first-import MAILBOX cases|full|adopt [--by NAME] [--json]",                  NEEDS_LEDGER,  cmd_first_import,      "The choice about mail from before the first start." },
    { "replay [KEY] [--state S] [--where CONDITION] [--resend-acknowledgement] [--plan HASH] [--approve] [--by NAME] [--reason TEXT] [--json]",
                                                                                     NEEDS_LEDGER,  cmd_replay,            "Shows what would run again, of one mail or of many; --approve does it." },
    { "resolve KEY [--acknowledgement A] [--conflict A] [--unprocessable A] [--case A] [--flood A] [--id ID] [--undo] [--run-gone] [--resend-acknowledgement] [--all-like] [--approve] [--by NAME] [--reason TEXT] [--json]",
                                                                                     NEEDS_LEDGER,  cmd_resolve,           "A person's decision about a mail that needs one." },
    { "pause [--mailbox M] [--effect KIND] [--by NAME] [--reason TEXT]",             NEEDS_LEDGER,  cmd_pause,             "Intake goes on being recorded, no step runs." },
    { "resume [--mailbox M] [--by NAME] [--reason TEXT]",                            NEEDS_LEDGER,  cmd_resume,            "Ends a pause." },
    { "report duplicates [--since D] [--until D] [--format F] [--json]",             NEEDS_LEDGER,  cmd_report_duplicates, "How often mail came again, and what that did not cause." },
    { "report replays [--since D] [--until D] [--format F] [--json]",                NEEDS_LEDGER,  cmd_report_replays,    "Every replay: of what, by whom, and why." },
    { "report decisions [--since D] [--until D] [--format F] [--json]",              NEEDS_LEDGER,  cmd_report_decisions,  "Every decision: about what, by whom, and why." },
    { "deployments [--take-over NAME] [--limit N] [--json]",                         NEEDS_LEDGER,  cmd_deployments,       "Every run that used this ledger; takes a mailbox over from another." },
    { "check [--json]",                                                              NEEDS_LEDGER,  cmd_check,             "One line for monitoring: exit 0 good, 1 warning, 2 critical, 3 unknown." },
    { "verify [--explain REASON] [--by NAME] [--json]",                              NEEDS_LEDGER,  cmd_verify,            "Holds the ledger against itself, the files and the mailboxes; changes nothing." },
    { "export [KEY] [--since D] [--to FOLDER]",                                      NEEDS_LEDGER,  cmd_export,            "A folder of evidence: originals, attachments, records, events, checksums." },
    { "identify FILE [--mailbox M] [--json]",                                        NEEDS_CONFIG,  cmd_identify,          "Who a message file would be; touches nothing." },
    { "doctor [--send-to ADDRESS] [--json]",                                         NEEDS_CONFIG,  cmd_doctor,            "Tries everything and says how to mend what is wrong." },
    { "config [--reference]",                                                        NEEDS_NOTHING, cmd_config,            "Prints every setting with its default, as an example file." },
    { "spec",                                                                        NEEDS_NOTHING, cmd_spec,              "The rules it works by, as tables." },
    { "version",                                                                     NEEDS_NOTHING, cmd_version,           "The version." },
    { "help [COMMAND]",                                                              NEEDS_NOTHING, cmd_help,              "This list, or one command." },
    { "completion bash|zsh|fish",                                                    NEEDS_NOTHING, cmd_completion,        "A completion script for a shell." },
};
/* clang-format on */
const size_t command_count = LENGTH(commands);
