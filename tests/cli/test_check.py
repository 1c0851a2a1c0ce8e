# SPDX-License-Identifier: Apache-2.0
"""One line for monitoring: what is the matter, an exit code, and numbers that a plug-in's reader understands."""
import re
import sqlite3

import pytest

from conftest import EVENING

# The plug-in guidelines: 'label'=value[unit];[warning];[critical];[least]
NUMBER = re.compile(r"(?:'([^'=]+)'|(\w+))=(\d+)(s?)(?:;(\d*);(\d*);(\d*))?")


def well(desk, *, now=EVENING):
    """As if all were well: everything was looked at, nothing waits, no server fails."""
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.executescript(f"""
            INSERT INTO mailbox (id) VALUES ('orders');
            UPDATE mailbox SET last_success = {now * 1000}, paused = 0, awaiting = 0, claim_owner = '', backlog = 0;
            UPDATE circuit SET state = 'closed';
            UPDATE item SET state = 'complete', reason = '', next_due = NULL;
            UPDATE effect SET status = 'done' WHERE status IN ('refused', 'unknown');
            UPDATE run SET ended_at = NULL, ended_how = NULL;""")


def change(desk, sql):
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.executescript(sql)


def test_all_is_well_is_0(desk):
    well(desk)
    assert desk.run("check").stdout.startswith("onecase OK - all is well | mailboxes=3 needs_reconciliation=0 not_told=0 ")


HOUR = 3600 * 1000
@pytest.mark.parametrize("status, sql, says", [
    (1, "UPDATE mailbox SET paused = 1 WHERE id = 'help'", "help: paused"),
    (2, "UPDATE mailbox SET claim_owner = 'other' WHERE id = 'sales'", "sales: belongs to another deployment: other"),
    (2, "UPDATE circuit SET state = 'open', since = 1772456400000 WHERE mailbox = 'sales'", "sales: the SMTP server fails since 13:00 (MAIL 454)"),
    (2, f"UPDATE mailbox SET last_success = last_success - {HOUR} WHERE id = 'help'", "help: last looked at 60 min ago; is the service running?"),
    (2, "UPDATE mailbox SET last_success = 0 WHERE id = 'help'", "help: never looked at yet"),
    (1, "UPDATE mailbox SET awaiting = 8 WHERE id = 'sales'", "sales: 8 mails from before await the choice"),
    (1, "UPDATE mailbox SET backlog = 1000 WHERE id = 'sales'", "sales: 1000 messages are seen, not yet taken in"),
    (0, "UPDATE mailbox SET backlog = 999 WHERE id = 'sales'", "all is well"),
    (1, f"UPDATE mailbox SET quota_used_octets = 922 * 1024, quota_limit_octets = 1024 * 1024, quota_at = {EVENING * 1000} WHERE id = 'sales'",
     "sales: the mailbox is 90 % full (922 of 1024 KB)"),
    (0, f"UPDATE mailbox SET quota_used_octets = 921 * 1024, quota_limit_octets = 1024 * 1024, quota_at = {EVENING * 1000} WHERE id = 'sales'",
     "all is well"),
    (2, f"UPDATE mailbox SET quota_used_messages = 50, quota_limit_messages = 50, quota_at = {EVENING * 1000} WHERE id = 'sales'",
     "sales: the mailbox is 100 % full (50 of 50 messages): nothing comes in"),
    (1, "UPDATE item SET state = 'needs_reconciliation', reason = 'conflict' WHERE subject = 'Lunch?'", "help: 1 mail needs your decision"),
    (1, "UPDATE effect SET status = 'refused' WHERE id IN (SELECT id FROM effect WHERE kind = 'acknowledgement' LIMIT 2)",
     "help: 2 senders were not told"),
    (1, f"UPDATE run SET ended_at = {EVENING * 1000 - HOUR // 2}, ended_how = 'dead'", "a process died at 18:00"),
    (0, f"UPDATE run SET ended_at = {EVENING * 1000 - 2 * HOUR}, ended_how = 'dead'", "all is well"),
    (0, "INSERT INTO notice_try (channel, tried_at, outcome, subject, why) VALUES ('webhook', 1, 'refused', 'troubles', '550')",
     "all is well"),  # nobody is told by it any more
    (1, f"INSERT INTO notice_try (channel, tried_at, outcome, subject, why) VALUES ('mail', {EVENING * 1000 - HOUR}, 'refused', 'troubles', '550')",
     "notices by mail fail since 17:30 (550)"),
    (1, f"UPDATE item SET state = 'in_progress', next_due = 1, created_at = {EVENING * 1000 - 25 * HOUR} WHERE subject = 'Lunch?'",
     "help: a mail is not complete for 25 h"),
    (2, f"UPDATE item SET state = 'needs_reconciliation', reason = 'conflict', created_at = {EVENING * 1000 - 73 * HOUR} WHERE subject = 'Lunch?'",
     "help: a mail has waited 3 d for your decision"),
])
def test_each_trouble_has_its_words_and_its_exit_code(desk, status, sql, says):
    well(desk)
    desk.config.write_text(desk.config.read_text() + "notify: {to: [oncall@example.com]}\n")
    change(desk, sql)
    said = desk.run("check", status=status).stdout
    assert said.startswith(f"onecase {('OK', 'WARNING', 'CRITICAL')[status]} - ") and says in said, said
    assert said.count("\n") == 1


@pytest.mark.parametrize("days, status, says", [
    (31, 0, "all is well"), (29, 1, "help: the secret for its IMAP server expires on 2026-03-31"),
    (-1, 2, "help: the secret for its IMAP server has expired on 2026-03-01")])
def test_a_secret_that_expires_is_told_in_time(desk, days, status, says):
    well(desk)
    (desk.folder / "token").write_text("x")
    day = {31: "2026-04-02", 29: "2026-03-31", -1: "2026-03-01"}[days]
    desk.config.write_text(desk.config.read_text().replace(
        "username: help, password: secret", f"username: help, auth: {{method: xoauth2, token_file: token, expires: {day}}}"))
    assert says in desk.run("check", status=status).stdout


def test_the_worst_comes_first(desk):
    said = desk.run("check", status=2).stdout
    assert said.index("SMTP server fails") < said.index("need your decision")


@pytest.mark.parametrize("words, status", [
    ("", 1), ("--warning waiting=2", 0), ("--critical waiting=1", 2), ("--warning waiting=0,backlog=5", 0), ("--warning backlog=4", 1),
    ("--warning waiting=2,waiting-age=1h --critical waiting-age=7h", 1), ("--warning waiting=2 --critical waiting-age=5h", 2),
    ("--mailbox sales", 0)])
def test_limits_are_the_callers(desk, words, status):
    well(desk)
    change(desk, f"""UPDATE item SET state = 'needs_reconciliation', reason = 'conflict', created_at = {EVENING * 1000 - 6 * HOUR}
                     WHERE subject = 'Lunch?'; UPDATE mailbox SET backlog = 4 WHERE id = 'help'""")
    desk.run("check", *words.split(), status=status)


@pytest.mark.parametrize("words", ["--warning waiting", "--warning waiting=x", "--critical oldest=3", "--warning other=1",
                                   "--warning waiting=-1", "--mailbox none"])
def test_what_cannot_be_found_out_is_3(desk, words):
    assert desk.run("check", *words.split(), status=3).stdout.startswith("onecase UNKNOWN - ")


def test_the_numbers_are_as_plug_ins_write_them(desk):
    text = desk.run("check", "--warning", "waiting=5,oldest=4h", status=2).stdout.rstrip("\n").split(" | ")[1]
    numbers = {m[1] or m[2]: m.groups()[2:] for m in NUMBER.finditer(text)}
    assert NUMBER.sub("", text).strip() == ""
    assert numbers["help waiting"] == ("3", "", "5", "", "0") and numbers["help oldest"][1:4] == ("s", "14400", "")
    assert numbers["help waiting-age"][3] == "259200" and numbers["mailboxes"][0] == "3"
    assert len(numbers) == 3 + 3 * 6


def test_a_bar_in_a_name_does_not_begin_the_numbers(desk):
    well(desk)
    change(desk, "UPDATE mailbox SET claim_owner = 'a|b' WHERE id = 'sales'")
    assert desk.run("check", status=2).stdout.count("|") == 1


def test_the_last_backup_is_told_with_its_age_and_warned_of_when_it_is_old(desk):
    """48 hours by default; where none was ever made nobody is warned, as the ledger may be saved by other means."""
    assert "backup" not in desk.run("check", status=None).stdout + desk.run("status").stdout
    assert "onecase_last_backup_timestamp_seconds 0\n" in desk.run("metrics").stdout
    desk.run("backup", str(desk.folder / "backups"), status=None)
    assert f"onecase_last_backup_timestamp_seconds {EVENING}\n" in desk.run("metrics").stdout
    for hours, warned in ((47, False), (49, True)):
        later = {"STILL_CLOCK": str(EVENING + hours * 3600)}
        said = desk.run("check", status=None, **later).stdout
        assert ("the last backup is 2 d old" in said) == warned, said
        status = desk.run("status", **later).stdout
        assert ("!       last backup: 2 d ago" in status) == warned and "last backup: " in status
    desk.config.write_text(desk.config.read_text() + "backup: {warn_after: 0s}\n")
    assert "backup" not in desk.run("check", status=None, STILL_CLOCK=str(EVENING + 90 * 3600)).stdout
