/* SPDX-License-Identifier: Apache-2.0 */
#include "cli_p.h"

/* In the order in which help shows them. Every option of every pattern has its row. */
/* clang-format off */
const struct about abouts[] = {
/*    command               what                                text */
    { "run",                "",                                 "Watches every mailbox of the configuration until it is told to end: SIGTERM ends it when what is under way has ended, SIGHUP reads the configuration again. With --once it ends by itself: 0 where all that was there is handled or waits for its time, 69 where an IMAP server or the ledger could not be reached, 74 where the disk failed, 77 where a mailbox belongs to another deployment." },
    { "run",                "--once",                           "handles all that is there or due now, prints a summary and ends" },
    { "run",                "--dry-run",                        "says what would be done with each message now in the inbox; changes nothing" },
    { "run",                "--mailbox M",                      "only this mailbox" },
    { "run",                "--take-over NAME",                 "the mailbox belongs to the deployment NAME, which is gone: it becomes ours" },
    { "run",                "onecase run --once",               "" },

    { "console",            "",                                 "'onecase run' has it already, as a process of its own; this is for a machine that only shows. It answers at console.listen, has no secret of any mailbox, and ends by SIGTERM." },

    { "status",             "",                                 "What waits for a decision is listed by reason; a server that fails is named with the time of the next try; senders who were not told are counted." },

    { "init",               "",                                 "Asks at the terminal for what is not given by an option; an answer that cannot be is asked again, and Enter takes what stands in brackets. Then it tries all of it, as doctor does, as the account that owns the data, and writes the configuration with comments (readable by that account) and the passwords (0600), which are never typed on the command line. What is there already is never overwritten. Without a terminal the address and the password are enough; where the trial fails nothing is written." },
    { "init",               "--address A",                      "of the mailbox" },
    { "init",               "--imap-user U",                    "by default the address" },
    { "init",               "--from NAME",                      "that senders see; by default Service Desk" },
    { "init",               "--owner A",                        "address of who is responsible; by default the mailbox's" },
    { "init",               "--sent FOLDER",                    "with copies of what was sent; by default Sent; - where there is none" },
    { "init",               "--data-dir DIR",                   "made where it is missing; by default /var/lib/onecase" },
    { "init",               "--imap HOST",                      "HOST or HOST:PORT; by default imap. and the domain of the address" },
    { "init",               "--imap-password-file FILE",        "its first line is the password" },
    { "init",               "--smtp HOST",                      "HOST or HOST:PORT; by default smtp. and the domain" },
    { "init",               "--smtp-password-file FILE",        "by default the password of the mailbox" },
    { "init",               "--imap-security S",                "by default what the port says, else TLS" },
    { "init",               "--smtp-security S",                "the same" },
    { "init",               "--smtp-user U",                    "by default that of the mailbox; - where the server asks for no sign-in" },
    { "init",               "--ca-file FILE",                   "certificates to trust, where the servers' are your own" },
    { "init",               "--untested",                       "writes it without trying it" },
    { "init",               "onecase init",                     "" },

    { "doctor",             "",                                 "Tries the configuration, the ledger, the disk, IMAP with its folders, rights, quota and junk, and SMTP up to RSET: nothing is sent. In a mailbox that is active it makes two folders for a trial and deletes them again. Ends with 1 where something is wrong." },
    { "doctor",             "--since-last",                     "tells which rights and capabilities are new or gone since doctor last looked; each look is remembered in data_dir/doctor" },
    { "doctor",             "--send-to ADDRESS",                "sends one test mail to this address and looks for its copy in the evidence folder" },

    { "verify",             "",                                 "Holds the ledger against its own chain, the files against their digests and the mailboxes against what was recorded; prints every disagreement, changes nothing and ends with 1 where one is not explained." },
    { "verify",             "--explain REASON",                 "records that what is shown now is known, and why; it is no longer counted" },

    { "items",              "--state S",                        "only those that are received, in_progress, complete or needs_reconciliation" },
    { "deliveries",         "--state S",                        "only those that are received, in_progress, complete, needs_reconciliation or duplicate" },
    { "cases",              "--state S",                        "only those that are open or closed" },
    { "items",              "--mailbox M",                      "only those of this mailbox" },
    { "deliveries",         "--mailbox M",                      "only those of this mailbox" },
    { "cases",              "--mailbox M",                      "only those of this mailbox" },
    { "items",              "--older-than D",                   "only those that arrived before a date (2026-03-02), or longer ago than a duration (12h, 7d)" },
    { "items",              "--not-told",                       "only those whose sender was not told, as the confirmation was refused or given up" },
    { "",                   "--limit N",                        "so many rows; by default a table has 50 and JSON has all" },
    { "items",              "onecase items --state needs_reconciliation", "" },
    { "items",              "onecase items --not-told --older-than 12h",  "" },

    { "item",               "",                                 "KEY is a case's reference, or a key's first 8 digits or more. What you can decide stands under the question." },

    { "case",               "",                                 "Attachments are shown with the file that holds them. Whoever closes, opens or merges a case says --by and --reason." },
    { "case",               "--close",                          "closes it; its sender is told, once, where a template is configured for that" },
    { "case",               "--reopen",                         "opens it again; nobody is told" },
    { "case",               "--merge-into R",                   "into the case R: replies go there; nobody is told" },
    { "case",               "--withdraw",                       "takes it away at its destination, where `remove` is configured there; the record here stays" },
    { "case",               "--unmerge",                        "takes it out of the other case" },
    { "case",               "--hold",                           "nothing of it is let go, by retention or by erase, until it is released" },
    { "case",               "--release",                        "it is held no longer" },

    { "",                   "--since D",                        "from a date (2026-03-02: from when it began in timezone), or from a duration ago (7d)" },
    { "",                   "--until D",                        "up to a date or a duration ago; by default until now" },
    { "",                   "--format F",                       "table, csv, json or html" },
    { "report duplicates",  "",                                 "Each number is as it stood at the end of the time that is asked for; decisions of after it are listed beside, and change none." },
    { "report duplicates",  "--rows NUMBER",                    "the mails behind one number, such as conflict, decided.waiting, boundaries.retry, day:2026-03-02, domain:example.com or late_decisions" },
    { "report duplicates",  "onecase report duplicates --since 30d --rows conflict", "" },
    { "report duplicates",  "onecase report duplicates --since 30d", "" },
    { "report decisions",   "onecase report decisions --since 2026-03-01 --format csv >decisions.csv", "" },

    { "export",             "",                                 "The letters, files, tries, evidence and decisions of one mail, or of all that were first seen in a period, with checksums: it can be checked without this program. The same records give the same octets." },
    { "export",             "--format F",                       "tar, which it is by default, or html: one page of what happened to each mail, that needs nothing else and prints on A4" },
    { "export",             "--to FILE",                        "the file; by default a new one here, named after the mail or the period" },
    { "export",             "onecase export HD-5W4Z3NY8 --to evidence.tar", "" },
    { "export",             "onecase export --since 7d --format html --to week.html", "" },

    { "deployments",        "",                                 "A mailbox belongs to one deployment. Where another one owns it, nothing is done there until that one gives it up or is taken over from." },
    { "deployments",        "--take-over NAME",                 "removes the claim of the deployment NAME, which is gone for good, and works through what is there" },

    { "check",              "",                                 "For Nagios and its kin: one line with what is wrong, and 0 where all is well, 1 warning, 2 critical, 3 where nothing can be found out. Behind the bar stand the numbers of each mailbox with their limits; times are in seconds." },
    { "check",              "--mailbox M",                      "only this mailbox, and the installation" },
    { "check",              "--warning LIMITS",                 "from where on a number is a warning: any of waiting, waiting-age, not-told, choice, backlog and oldest, joined by commas; 0 is never. By default waiting=1,not-told=1,choice=1,backlog=1000,oldest=1d" },
    { "check",              "--critical LIMITS",                "from where on it is critical; by default waiting-age=3d" },
    { "check",              "onecase check --warning waiting=5,oldest=4h --critical waiting-age=1d", "" },

    { "metrics",            "",                                 "For a node exporter's textfile collector, by a timer, where Prometheus does not ask the console itself. The metrics and the rules that watch them are in deploy/monitoring." },
    { "metrics",            "--output FILE",                    "replaces this file as a whole, so that nobody reads half of it" },
    { "metrics",            "onecase metrics --output /var/lib/prometheus/node-exporter/onecase.prom", "" },

    { "first-import",       "",                                 "Mail that lay in the inbox before the first start waits untouched until this is said: 'cases' makes cases of it and tells nobody, 'full' treats it as if it had just come, 'adopt' remembers it and leaves it where it is. The choice stands in the ledger." },
    { "first-import",       "--by NAME",                        "who chooses; by default the account" },

    { "import-cases",       "",                                 "FILE is CSV (RFC 4180: commas, UTF-8), its first line names the columns: reference, which is needed, and message_id (up to 50, white space between them), from, subject, date, state (open or closed), mailbox; others are not used. A late copy of such a mail joins its case, and nobody is told; it is known by its Message-ID, or where the list has none by sender, subject and date to the second. Cases that have one mail, or one sender and subject within a day, are suspects of each other. Lines that are wrong are all named, and then nothing is taken in; a list taken in twice changes nothing, and one that was interrupted goes on when the same is typed again. A list has up to 20,000 cases." },
    { "import-cases",       "--mailbox M",                      "whose cases they are, where the list does not say it" },
    { "import-cases",       "--dry-run",                        "says what would become of them; changes nothing" },
    { "import-cases",       "onecase import-cases cases.csv --dry-run", "" },
    { "import-cases",       "onecase import-cases cases.csv --by ann --reason 'taken over from the old desk'", "" },

    { "resolve",            "",                                 "KEY is as for item, which shows what can be decided and what follows. The decision is recorded with the name, the account and the reason. A decision that does not fit the mail's state changes nothing and ends with 1; one that is too early ends with 75 and the time from which it is possible." },
    { "resolve",            "--acknowledgement sent|not-sent|none", "was the confirmation sent? not-sent sends it once more with the same Message-ID, none sends none" },
    { "resolve",            "--run-gone",                       "with not-sent: the run that may have sent it is gone for good" },
    { "resolve",            "--conflict new-case|append|dismiss", "another mail with the same identifier: a case of its own, part of the first, or the same mail" },
    { "resolve",            "--always",                         "with --conflict new-case: later mail of this sender is told apart by what it says" },
    { "resolve",            "--unprocessable retry|dismiss",    "a mail that could not be read: read it once more, or file it" },
    { "resolve",            "--max-size S",                     "with retry: the mail was too large, and is fetched up to this size (100MB)" },
    { "resolve",            "--case made|not-made|none",        "was it made at its destination? With made, the ID of case or reply there follows; with none it shall have none there" },
    { "resolve",            "--flood let-through|mute",         "one sender sends too many: a case all the same, or none" },
    { "resolve",            "--resend-acknowledgement",         "sends a confirmation that was refused, left out or given up" },
    { "resolve",            "--all-like",                       "the same for all that wait for the same reason and broke in the same minute or run, or are of the same flood or, where it is gone, help desk" },
    { "resolve",            "--undo",                           "takes the last decision back, while nothing has left because of it" },
    { "resolve",            "onecase resolve HD-7K3M9QWX --acknowledgement sent --by ann --reason 'found in Sent'", "" },

    { "decide",             "",                                 "Shows each mail with what happened, what was looked for and what each key does; nothing is changed before a key is pressed. Name and reason are asked for once, and recorded with each decision. The answers may come from a pipe: a name, a reason, then keys." },
    { "decide",             "--mailbox M",                      "only what waits in this mailbox" },
    { "decide",             "onecase decide --by ann --reason 'asked the senders'", "" },

    { "replay",             "",                                 "Takes a KEY as item does, or all mails of a state. Never sends a confirmation that was sent or of which that is not known; one that was refused, left out or given up only where --resend-acknowledgement says so. A complete mail runs nothing again: it is read back. A replay of many that was interrupted goes on where it ended when the same is typed again." },
    { "replay",             "--state S",                        "all that are received, in_progress, complete or needs_reconciliation" },
    { "replay",             "--where CONDITION",                "of these only from=ADDRESS, domain=NAME, mailbox=ID, reason=WORD or case=REFERENCE" },
    { "replay",             "--resend-acknowledgement",         "the confirmation too, where it was refused, left out or given up" },
    { "replay",             "--approve",                        "does it; without, it is only shown. Where two persons are asked for, the first who says it proposes, and the second does it" },
    { "replay",             "--plan HASH",                      "only if the plan is still the one that was shown" },
    { "replay",             "onecase replay --state needs_reconciliation --where reason=gave-up", "" },

    { "rules",              "",                                 "Mail of these senders is told apart by what it says, as they use one Message-ID again and again; the configuration's key_rules come first." },
    { "rules",              "--remove ID",                      "later mail of that sender is asked about again" },
    { "proposals",          "",                                 "Where approval: two-person is configured. A proposal is approved by the same command with --approve, under another account." },
    { "proposals",          "--refuse ID",                      "nothing comes of it" },
    { "suspects",           "",                                 "Without a choice, lists them, or those like one case." },
    { "suspects",           "--authoritative",                  "this case stands: the others of the same words are copies of it, linked and closed; nobody is told" },
    { "suspects",           "--different",                      "they are different cases, and not listed again" },

    { "webhooks",           "",                                 "Of each webhook: whether it works, how many posts wait, and how many nobody took. A post that its receiver did not take within give_up_after, or answered with 400, 410, 413, 415 or 422, is a dead letter, and stays one until a person acts." },
    { "webhooks",           "--replay ID",                      "has a dead letter sent again under its id; all those of a webhook, by its name; or all" },
    { "webhooks",           "onecase webhooks --replay chat --by ann --reason 'the receiver is mended'", "" },

    { "pause",              "",                                 "Arrivals go on being recorded, and no step runs, until resume." },
    { "pause",              "--mailbox M",                      "only this mailbox" },
    { "resume",             "--mailbox M",                      "only this mailbox" },
    { "pause",              "--effect KIND",                    "only steps of this kind: case, attachment, acknowledgement, move or webhook" },
    { "pause",              "--hold FOLDER",                    "moves new mail to this folder of the account; resume brings it back" },
    { "pause",              "onecase pause --effect acknowledgement --by ann --reason 'wrong template'", "" },

    { "",                   "--approve",                        "where two persons are asked for: approves what another has proposed by the same command" },
    { "",                   "--by NAME",                        "who decides; recorded with the account" },
    { "",                   "--reason TEXT",                    "why; recorded" },

    { "backup",             "",                                 "Saves the ledger as it is at one instant, and every file that it counts on, into FOLDER; the service goes on meanwhile. Files that earlier backups have are not copied again. The ledger is checked as 'onecase verify' does, and each file is read back, before the backup gets its name. Ends with 1 where a file cannot be had, and with 75 where another backup, retention or restore is under way. With backup.recipient in the configuration what is written is sealed to the certificates there: nothing of it can be read without a key of theirs, and what was sealed before is not sealed again." },
    { "backup",             "--keep N",                         "afterwards only the N newest backups stay in FOLDER; files that none of them has are removed" },
    { "backup",             "--read-all",                       "reads the files of earlier backups, too, and copies those anew that are damaged" },
    { "backup",             "onecase backup /var/backups/onecase --keep 14", "" },

    { "restore",            "",                                 "Makes data_dir, which must be empty, of the newest backup in FOLDER. At its next start the service takes the ledger for one that went back in time: what may have been sent since is not sent again, and mail that was filed since gets its case. It says what stays uncertain, and where that shows. One that was interrupted goes on when it is called again." },
    { "restore",            "--backup NAME",                    "this backup, not the newest" },
    { "restore",            "--key FILE",                       "the private key (PEM) of one that backup.recipient named, for a backup that is sealed" },
    { "restore",            "--passphrase-file FILE",           "its first line is the passphrase of the key, if it has any; by default it is asked for at the terminal" },
    { "restore",            "--list",                           "names the backups in FOLDER; changes nothing" },
    { "restore",            "onecase restore /var/backups/onecase", "" },

    { "migrate-blobs",      "",                                 "Copies each file that the ledger counts on from where `blobs` has it to PLACE, which is file or s3://BUCKET/PREFIX (by the block s3 of the configuration), reads it back there and compares it by its SHA-256. What stands there already is compared alone, and what an earlier call has compared is only looked for, by its size in a listing: so one that was interrupted goes on when it is called again, and the last call, which is made with the service stopped, reads what is new and nothing else. The service may go on before that. It says whether it does, and what to do next. Nothing is removed. The same command leads back. Ends with 1 where a file cannot be had, and with 75 where the store cannot be reached, or a backup, retention or restore is under way." },
    { "migrate-blobs",      "--to PLACE",                       "where the files shall be: file, or s3://BUCKET/PREFIX" },
    { "migrate-blobs",      "--from PLACE",                     "where they are; by default where `blobs` says, or data_dir where that says PLACE already" },
    { "migrate-blobs",      "onecase migrate-blobs --to s3://onecase-mail/help-desk", "" },

    { "migrate-ledger",     "",                                 "Copies the ledger row by row into the database that PLACE names, which is empty, then compares each row and walks the event chain there. To PostgreSQL the service may go on meanwhile: what it changes is noted in the old ledger, brought over and compared, too. Once all is there it says so; stop the service and call it once more, which brings over the last changes alone, however large the ledger is, and closes the old one: it can be read, and no version writes into it any more. Keys, references and states stay what they are, so a late copy of a mail from before is still a duplicate. Until it is done the new one cannot be used, and one that was interrupted goes on when it is called again. The way back is --to sqlite, with the service stopped for all of it. Ends with 1 where there is a ledger already, or where what was begun cannot be gone on with, and with 75 where a server cannot be reached, or a backup, retention or another move is under way." },
    { "migrate-ledger",     "--to PLACE",                       "postgresql://USER@HOST/DATABASE?passfile=FILE, or sqlite: ledger.db in data_dir, where there must be none" },
    { "migrate-ledger",     "--abandon",                        "gives up a move that is not done: changes are noted no more; the database that is half moved can be dropped" },
    { "migrate-ledger",     "onecase migrate-ledger --to postgresql://onecase@db.example.org/onecase", "" },

    { "retain",             "",                                 "Lets go what `retention:` of the configuration no longer keeps: originals, attachments, texts, personal fields, each by its age since the mail was complete. First all of it goes into one archive, where a folder for that is configured; then the ledger forgets it, mail by mail, and last the files are removed. With the personal fields go the posts that webhooks have taken; one that waits goes once it is taken, and a dead letter stays. Keys, digests, references, states and the event chain stay, so a late copy is still known. A mail is left alone while it, another mail of its case, or a conflict about it is not complete, and while somebody holds its case. One that was interrupted goes on at the next call." },
    { "retain",             "--dry-run",                        "says what would be let go; changes nothing" },
    { "retain",             "onecase retain --dry-run",         "" },

    { "erase",              "",                                 "For mails that ADDRESS sent, or whose confirmation went there: original, attachments, text, personal fields and Message-ID go at once, without an archive. What stays names nobody: keys, digests, references, states, events, and a line that it was done, by whom and why. Mails that are not complete, and cases that are held, are left and said; then it ends with 1. Backups and archives made before still have it, and so have other people's mails that quote it." },
    { "erase",              "--dry-run",                        "says which mails that would be; changes nothing" },
    { "erase",              "--list",                           "what was erased, when, by whom and why; of an ADDRESS, whether it was" },
    { "erase",              "onecase erase ann@example.com --dry-run", "" },

    { "user add",           "",                                 "The password is asked for twice at a terminal, else it is the first line of standard input; it has 10 octets at least, and only its scrypt is kept. Who decides at the console is recorded by this name." },
    { "user add",           "--role R",                         "viewer sees numbers and states, no addresses, subjects or texts; operator sees mails and decides; owner approves what another has proposed; admin sees who looked at what. Each may what those before may" },
    { "user add",           "onecase user add ann --role operator", "" },
    { "user role",          "",                                 "Ends the user's sessions." },
    { "user password",      "",                                 "As user add; ends the user's sessions." },

    { "token add",          "",                                 "Prints it once; of it only a digest is kept. A script sends it as 'Authorization: Bearer TOKEN'." },
    { "token add",          "--role R",                         "as for users: viewer, operator, owner or admin" },
    { "token add",          "onecase token add dashboard --role viewer", "" },

    { "identify",           "",                                 "Reads a message file as if it had just come, in a folder of its own: its key, its digests, and whether it would be answered." },
    { "destination test",   "",                                 "Makes a marked case at the destination, finds it, sends it once more where its guarantee says that this makes no second one, adds a reply and a file, closes it, and takes it away, each where there is a request for it. What is not as configured is told with the request's line and with what the answer is made of: names and kinds, no values. Ends with 1 where something is wrong." },
    { "template test",      "",                                 "Reads a message file as if it had just come, and shows the letter as it would leave: whom it goes to or why nobody, its headers, its text and its HTML. Nothing is sent and nothing is touched." },
    { "template test",      "--mailbox M",                      "as if it came to this mailbox; by default the first" },
    { "template test",      "--state STATE",                    "accepted, accepted_with_exceptions, appended or closed; by default what it would be" },
    { "template test",      "--language LANG",                  "as if a rule said so; by default as it would be chosen" },
    { "template test",      "onecase template test mail.eml --state closed --language fr", "" },
    { "identify",           "--mailbox M",                      "as if it came to this mailbox; by default the first" },

    { "config",             "",                                 "config/onecase.example.yaml is a shorter start." },
    { "config",             "--reference",                      "the same" },

    { "completion",         "onecase completion bash >/etc/bash_completion.d/onecase", "" },

    { "",                   "--wide",                           "does not cut the table to the terminal's width" },
    { "",                   "--columns LIST",                   "only the columns of these headings, such as case,from" },

    { "",                   "--json",                           "for scripts: JSON, with the program's own words and times in UTC" },
};
/* clang-format on */
const size_t about_count = LENGTH(abouts);
