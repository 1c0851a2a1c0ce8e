# SPDX-License-Identifier: Apache-2.0
"""What scripts and people rely on: fields, exit codes, error texts, and what is never said."""
import hashlib
import json
import os
import re
import subprocess

import pytest

from mails import MARKER, PDF, part, plain, with_parts
from rig import PASSWORD, PROGRAM, TOP, assert_invariants, await_, effects
from smtp_peer import SmtpPeer

EFFECT = {"kind", "target", "status", "external_id", "attempts", "reason", "error"}
NOT_SENT = {"not_sent_from", "not_sent_needs"}  # from when a person may say so
ITEM = {"key", "key_source", "mailbox", "message_id", "digest", "state", "disposition", "reason", "case",
        "completion_state", "first_seen", "completed_at", "attempts", "deliveries", "duplicates", "effects"} | NOT_SENT
LISTS = {"delivery_list", "attempt_list", "evidence_list", "report_list", "approval_list", "note_list", "acceptance"}
DELIVERY = {"id", "key", "mailbox", "folder", "uidvalidity", "uid", "class", "state", "case", "seen_at", "run"}
CASE = {"reference", "key", "mailbox", "from", "subject", "created_at", "state", "messages", "attachments"}
ATTACHMENT = {"name", "path", "type", "size", "sha256", "status", "reason"}
MESSAGE = {"key", "from", "reply_to", "subject", "date", "text", "direction", "marks"}
SUMMARY = {"deliveries", "new", "duplicates", "conflicts", "completed", "deferred", "needs_reconciliation",
           "awaiting_choice"}
MAILBOX = {"id", "mode", "states", "waiting", "not_told", "backlog", "oldest_incomplete_seconds", "awaiting_choice",
           "circuit", "paused", "claim", "last_success", "last_error", "secrets"}
TOTALS = {"deliveries", "first", "redelivered", "reobserved", "returned", "list_copy", "gateway_copy", "replayed",
          "conflict", "new_cases", "appended", "reports", "evidence", "adopted", "held", "decided", "cases_prevented",
          "acknowledgements_withheld", "doubles", "found_at_destination"}
BOUNDARIES = {"delivery", "concurrent_run", "retry", "replay", "other_deployment"}

WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
BY = ("--by", "Ann", "--reason", "r")


@pytest.fixture
def filled(rig):
    """A case with a file, a duplicate, a conflict and a mail whose sender could not be told."""
    with SmtpPeer("on RCPT reply 250 ok\non RCPT reply 550 5.1.1 unknown") as peer:
        rig.send_to(peer.port)
        rig.letters["connections"] = 1
        mail = with_parts("filled", part('attachment; filename="a.pdf"', PDF))
        rig.deliver(mail, mail, plain("other", "Other words.", "<x@senders.example>"))
        rig.once()
        rig.deliver(plain("third", "Yet other words.", "<x@senders.example>"))
        rig.once()
    return rig


# ---- JSON --------------------------------------------------------------------------------------------------


def test_items_have_the_contracts_fields(filled):
    items = filled.items()
    assert len(items) == 3
    for item in items:
        assert set(item) == ITEM
        assert all(set(effect) == EFFECT for effect in item["effects"])
        assert re.fullmatch("[0-9a-f]{64}", item["key"]) and WHEN.fullmatch(item["first_seen"])
        assert item["completed_at"] is None or WHEN.fullmatch(item["completed_at"])
        assert item["key_source"] in ("reference", "message-id", "digest", "conflict", "delivery")
        assert all(e["status"] in ("planned", "attempting", "done", "skipped", "deferred", "refused", "unknown")
                   for e in item["effects"])
    assert items == sorted(items, key=lambda item: item["first_seen"], reverse=True)
    one = next(item for item in items if effects(item, "attachment"))
    assert {(e["kind"], e["target"]) for e in one["effects"]} >= {
        ("case", "ledger"), ("attachment", "01-a.pdf"), ("acknowledgement", "accepted"), ("move", "1")}


def test_one_item_is_the_same_object_with_its_lists(filled):
    for item in filled.items():
        whole = filled.json("item", item["key"][:10])
        assert set(whole) == ITEM | LISTS
        assert {key: whole[key] for key in ITEM} == item
        assert whole["delivery_list"] and all(set(d) == DELIVERY for d in whole["delivery_list"])
        if item["case"]:
            assert filled.json("item", item["case"]) == whole


def test_deliveries_and_cases_have_the_contracts_fields(filled):
    assert all(set(d) == DELIVERY for d in filled.json("deliveries"))
    assert {d["class"] for d in filled.json("deliveries")} == {"first", "redelivered", "conflict"}
    assert [d["class"] for d in filled.json("deliveries", "--state", "duplicate")] == ["redelivered"]
    cases = filled.json("cases")
    assert len(cases) == 2
    for case in cases:
        assert set(case) == CASE and isinstance(case["messages"], int)
        assert all(set(a) == ATTACHMENT for a in case["attachments"])
        whole = filled.json("case", case["reference"])
        assert set(whole) == CASE | {"reports"} and all(set(m) == MESSAGE for m in whole["messages"])
        assert {m["direction"] for m in whole["messages"]} <= {"in", "out"}
    file, = next(case["attachments"] for case in cases if case["attachments"])
    assert file["sha256"] == hashlib.sha256((filled.data / file["path"]).read_bytes()).hexdigest()
    assert (file["name"], file["type"], file["status"]) == ("a.pdf", "application/pdf", "stored")


def test_status_summary_and_report_have_the_contracts_fields(filled):
    assert set(filled.once()) == SUMMARY
    status = filled.json("status")
    assert set(status) == {"mailboxes", "last_backup", "last_backup_age_seconds"}
    mailbox, = status["mailboxes"]
    assert set(mailbox) == MAILBOX and set(mailbox["claim"]) == {"owner", "ours"} and mailbox["claim"]["ours"] is True
    assert set(mailbox["states"]) >= {"received", "in_progress", "complete", "needs_reconciliation", "duplicate"}
    assert mailbox["not_told"] == 1 and mailbox["waiting"] == {"conflict": 1}
    report = filled.json("report", "duplicates")
    assert set(report) == {"since", "until", "totals", "boundaries", "by_day", "by_mailbox", "by_sender_domain", "keys",
                           "late_decisions"}
    assert set(report["totals"]) == TOTALS and set(report["boundaries"]) == BOUNDARIES
    assert set(report["totals"]["decided"]) == {"new_case", "append", "dismissed", "waiting"}
    assert all(set(key) == {"key", "case", "deliveries", "classes", "first_seen", "last_seen"} for key in report["keys"])


def test_tables_speak_plainly(filled):
    """No internal word reaches a person, and no line is wider than the terminal."""
    for words in (["items"], ["cases"], ["deliveries"], ["status"], ["report", "duplicates"],
                  ["item", filled.json("cases")[0]["reference"]]):
        done = subprocess.run([PROGRAM, *words], env={**filled.environment(), "COLUMNS": "80"}, capture_output=True,
                              text=True, check=True)
        shown = re.sub(r"  [a-z_.]+$", "", done.stdout, flags=re.M) if words[0] == "report" else done.stdout  # but what --rows takes
        for word in ("needs_reconciliation", "in_progress", "redelivered", "acknowledgement_", "message-id"):
            assert word not in shown, f"{words}: {word}"
        if words[0] in ("items", "cases", "deliveries"):
            assert max(map(len, done.stdout.splitlines())) <= 80


def test_control_characters_of_a_sender_do_not_reach_the_terminal(rig):
    rig.deliver(plain("evil", Subject="=?utf-8?B?G1sybWhpZGRlbhtbMG0=?= =?utf-8?B?4oCu?=red", From='"\x1b[31m" <evil@senders.example>'))
    rig.once()
    for words in (["items"], ["cases"], ["case", rig.items()[0]["case"]], ["item", rig.items()[0]["case"]]):
        said = rig.run(*words).stdout
        assert "\x1b" not in said and "\u202e" not in said


# ---- exit codes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words, status, text", [
    (["frobnicate"], 64, "no command"),
    (["items", "--state", "odd"], 64, "--state takes one of"),
    (["items", "--mailbox", "nobody"], 64, "nobody"),
    (["items", "--older-than", "soon"], 64, "soon"),
    (["items", "--colour"], 64, "usage"),
    (["item"], 64, "usage"),
    (["item", "0123456789abcdef"], 66, "no mail"),
    (["case", "HD-ZZZZZZZZ"], 66, "no case"),
    (["resolve", "0123456789abcdef", "--conflict", "dismiss", *BY], 66, "no mail"),
    (["resolve", "KEY", "--conflict", "dismiss", "--by", "Ann"], 64, "--reason"),
    (["resolve", "KEY", "--conflict", "dismiss", "--reason", "r"], 64, "--by"),
    (["resolve", "KEY", "--conflict", "odd", *BY], 64, "--conflict takes new-case|append|dismiss"),
    (["resolve", "KEY", *BY], 64, "takes one decision of"),
    (["first-import", "help", "odd"], 64, ""),
    (["identify", "/nowhere/a.eml"], 66, "/nowhere/a.eml"),
    (["version"], 0, ""), (["help"], 0, ""), (["spec"], 0, ""), (["help", "odd"], 64, "odd"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_exit_codes(rig, words, status, text):
    done = rig.run(*words, status=status)
    assert text in done.stderr
    assert status == 0 or done.stderr.startswith("onecase: ")


def test_the_answer_no_is_1_and_a_decision_about_what_is_settled_changes_nothing(rig):
    rig.deliver(plain("settled"))
    rig.once()
    key = rig.items()[0]["key"]
    before = rig.items()
    rig.run("resolve", key, "--conflict", "dismiss", *BY, status=1)
    rig.run("resolve", key, "--acknowledgement", "not-sent", *BY, status=1)
    assert rig.items() == before


def test_a_second_deployment_on_the_mailbox_stops_before_any_effect(make_rig):
    one, two = make_rig(), make_rig()
    two.mailbox["imap"]["username"] = one.user
    one.deliver(plain("claimed"))
    one.once()
    one.deliver(plain("later"))
    said = two.run("run", "--once", status=77).stderr
    assert one.user in said and len(one.uids()) == 1
    assert two.json("cases") == [] and len(one.acknowledgements()) == 1
    one.once()
    assert_invariants(one)


def test_a_full_disk_is_74_and_nothing_is_lost(rig):
    rig.settings["disk"] = {"reserve": "60TB"}
    rig.deliver(plain("full"))
    rig.run("run", "--once", status=74)
    assert len(rig.uids()) == 1 and rig.json("cases") == []
    rig.settings["disk"] = {"reserve": "0B"}
    rig.once()
    assert_invariants(rig)


# ---- configuration -----------------------------------------------------------------------------------------


def test_all_errors_of_a_configuration_are_told_at_once_with_their_place(rig, tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("name: desk\n"
                    "data_dir: /tmp/x\n"
                    "colour: blue\n"
                    "lease: soon\n"
                    "mailboxes:\n"
                    "  - id: Help Desk\n"
                    "    imap: {host: imap.example.org, username: help, password_file: nowhere}\n"
                    "    max_message_size: 5\n"
                    "acknowledgement:\n"
                    "  smtp: {host: smtp.example.org, password: \"${NOT_SET_ANYWHERE}\"}\n"
                    "  from: Desk <desk@example.org>\n"
                    "name: again\n")
    done = subprocess.run([PROGRAM, "-c", file, "run", "--once"], capture_output=True, text=True)
    assert done.returncode == 78 and done.stdout == ""
    lines = done.stderr.splitlines()
    places = [re.match(rf"{re.escape(str(file))}:(\d+):(\d+): ", line) for line in lines]
    assert all(places), done.stderr
    found = {int(place[1]) for place in places}
    assert found >= {3, 4, 6, 7, 10, 12}, done.stderr
    assert not os.path.exists("/tmp/x/ledger.db")


def test_a_missing_file_has_a_place_too(tmp_path):
    done = subprocess.run([PROGRAM, "-c", tmp_path / "none.yaml", "status"], capture_output=True, text=True)
    assert done.returncode == 78 and done.stderr.startswith(f"{tmp_path}/none.yaml:1:1: ")


@pytest.mark.parametrize("where", ["password_file", "password", "environment"])
def test_a_secret_may_come_from_a_file_the_configuration_or_the_environment(rig, where):
    imap = rig.mailbox["imap"]
    if where != "password_file":
        del imap["password_file"]
        imap["password"] = PASSWORD if where == "password" else "${THE_SECRET}"
        os.environ["THE_SECRET"] = PASSWORD
    rig.deliver(plain("secret"))
    assert rig.once()["completed"] == 1
    assert_invariants(rig)


def test_the_twenty_lines_of_the_readme_are_enough(rig):
    """Nothing but what has no default; names, ports and the authority are those of the test's servers."""
    rig.settings = {
        "data_dir": str(rig.data), "templates_dir": str(TOP / "templates"),
        "mailboxes": [{"id": "help", "imap": rig.mailbox["imap"], "addresses": [rig.address]}],
        "acknowledgement": {"smtp": rig.letters["smtp"], "from": rig.address},
        "console": {"listen": ""},
    }
    rig.write()
    assert len(rig.config.read_text().splitlines()) <= 20
    rig.deliver(plain("short"))
    assert rig.once()["completed"] == 1
    assert_invariants(rig)


def test_the_configuration_is_found_by_option_and_by_environment(rig, tmp_path):
    rig.write()
    for words, environment in ((["-c", rig.config], {}), ([], {"ONECASE_CONFIG": str(rig.config)})):
        done = subprocess.run([PROGRAM, *words, "status", "--json"], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], **environment})
        assert done.returncode == 0 and json.loads(done.stdout)["mailboxes"] == []


# ---- what is never said ------------------------------------------------------------------------------------


def test_a_servers_reply_is_kept_with_addresses_masked_and_logged_as_its_code(rig):
    reply = f"550 5.1.1 <masked.{MARKER}@senders.example>: {MARKER} unknown"
    with SmtpPeer(f"on RCPT reply {reply}") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("masked"))
        rig.once()
    error = effects(rig.items()[0], "acknowledgement")[0]["error"]
    assert "550" in error and "senders.example" not in error
    assert_invariants(rig, [])


def test_no_secret_stands_in_the_process_list_and_data_dir_is_private(rig):
    with SmtpPeer("after end-of-data wait 1, then accept") as peer:
        rig.send_to(peer.port, username=rig.user, password_file="password")
        rig.deliver(plain("list"))
        run = rig.popen("run", "--once")
        await_(lambda: peer.ended, "the letter is under way")
        seen = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and os.getpgid(int(entry)) == run.pid:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    seen.append(file.read().decode())
        out, said = run.communicate(timeout=20)
    assert len(seen) >= 2
    assert not any(word in line for line in seen for word in (PASSWORD, MARKER))
    assert PASSWORD not in out + said and MARKER not in out + said
    assert rig.data.stat().st_mode & 0o777 == 0o700
    ledger = (rig.data / "ledger.db").read_bytes()
    assert PASSWORD.encode() not in ledger


# ---- identify, doctor --------------------------------------------------------------------------------------


def test_identify_says_the_contracts_key_and_touches_nothing(rig, tmp_path):
    file = tmp_path / "vector.eml"
    file.write_bytes(b"From: a@senders.example\r\nMessage-ID: <a1@example.org>\r\n\r\nhello\r\n")
    said = rig.json("identify", str(file))
    assert said["key"] == hashlib.sha256(b"help:<a1@example.org>").hexdigest()
    assert (said["key_source"], said["message_id"], said["rule"]) == ("message-id", "<a1@example.org>", None)
    assert said["key"] in rig.run("identify", str(file), "--mailbox", "help").stdout
    assert rig.folders() == ["INBOX"] and not list(rig.data.glob("items/*"))
    rig.deliver(file.read_bytes())
    rig.once()
    item, = rig.items()
    assert (item["key"], item["case"], item["digest"]) == (said["key"], said["case"], said["payload_digest"])


def test_identify_knows_the_key_rules(rig, tmp_path):
    rig.settings["key_rules"] = [
        {"namespace": "orders", "from": "erp@senders.example", "subject": "Order ([A-Z]+-[0-9]+)"},
        {"from": "printer@senders.example", "use": "digest"}]
    file = tmp_path / "order.eml"
    file.write_bytes(plain("order", From="erp@senders.example", Subject="Order AB-17"))
    said = rig.json("identify", str(file))
    assert (said["key_source"], said["rule"]) == ("reference", "orders")
    assert said["key"] == hashlib.sha256(b"help:reference:orders:AB-17").hexdigest()
    other = tmp_path / "other.eml"
    other.write_bytes(plain("other", From="erp@senders.example", Subject="Re: Order AB-17"))
    assert rig.json("identify", str(other))["rules_tried"] == [
        {"rule": "orders", "fit": "no-subject"}, {"rule": "use: digest", "fit": "other-sender"}]
    page = rig.run("identify", str(other)).stdout
    assert "1, orders: the subject is not as it says" in page and "2, use: digest: it is for other senders" in page
    scan = plain("scan", From="printer@senders.example", message_id="<always@printer>")
    rig.deliver(file.read_bytes(), plain("again", "Changed.", From="erp@senders.example", Subject="Order AB-17"),
                scan, scan.replace(b"any more", b"at all"))
    rig.once()
    assert sorted(item["key_source"] for item in rig.items()) == ["conflict", "digest", "digest", "reference"]
    assert_invariants(rig)


def parts(count, head=b"", body=b"x"):
    return (b"From: a@senders.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
            + b"".join(b"--b\r\n" + head + b"\r\n" + body + b"\r\n" for _ in range(count)) + b"--b--\r\n")


def fields(count, field=b"X: y"):
    return b"From: a@senders.example\r\n" + (field + b"\r\n") * count + b"\r\nx"


BEYOND = {
    "header": ("4KB", fields(60, b"X: " + b"y" * 80)),
    "header_lines": ("100", fields(101)),
    "field": ("1KB", fields(1, b"X: " + b"y" * 1200)),
    "parameters": ("10", fields(1, b"Content-Type: text/plain" + b"; a=b" * 12)),
    "multiparts": ("10", parts(11, b"Content-Type: multipart/mixed; boundary=c\r\n")),
    "comparisons": ("1000000", parts(1, body=b"--x\r\ny\r\n" * 1000010)),
    "parts": ("10", parts(11)),
    "attachments": ("10", parts(11)),
    "decoded": ("1MB", parts(2, body=b"a line of text\r\n" * 40000)),
    "max_message_size": ("1KB", fields(1) + b"x" * 2000),
}


@pytest.mark.parametrize("limit", BEYOND)
def test_what_a_mail_may_be_is_configured(rig, tmp_path, limit):
    value, mail = BEYOND[limit]
    file = tmp_path / "large.eml"
    file.write_bytes(mail)
    assert rig.json("identify", str(file))["payload_digest"], "it is beyond a limit as it is"
    if limit == "max_message_size":
        rig.mailbox[limit] = value
    else:
        rig.settings["reader"] = {limit: value}
    assert rig.json("identify", str(file))["payload_digest"] is None


def test_a_case_says_what_cannot_be_read_here(rig):
    kinds = {
        "encrypted": b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\n\r\nx",
        "signed": parts(1, b"Content-Type: text/plain\r\n").replace(b"mixed", b"signed").split(b"\r\n", 1)[1],
        "piece": b"Content-Type: message/partial; number=1; total=2; id=x\r\n\r\nSubject: y\r\n\r\nhalf",
        "incomplete": b"Content-Type: multipart/mixed\r\n\r\nno boundary anywhere",
    }
    for word, mail in kinds.items():
        rig.deliver(f"From: {word}@senders.example\r\nSubject: {word}\r\n".encode() + mail)
    rig.once()
    for case in rig.json("cases"):
        whole = rig.json("case", case["reference"])
        assert [m["marks"] for m in whole["messages"] if m["direction"] == "in"] == [[case["subject"]]]
        said = rig.run("case", case["reference"]).stdout
        assert {"encrypted": "encrypted:", "signed": "(signed)", "piece": "a piece of a larger mail",
                "incomplete": "not read completely"}[case["subject"]] in said
        if case["subject"] == "piece":
            assert [a["name"] for a in whole["attachments"]] == ["part 1 of 2.eml"]
    assert_invariants(rig)


def test_doctor_finds_all_well(rig):
    said = rig.run("doctor").stdout
    assert "BAD" not in said and said.count("ok") >= 8
    assert rig.folders() == ["INBOX"], "the doctor changed something"


def test_doctor_sends_one_letter_and_finds_it(rig):
    rig.letters["evidence"] = {"copy_to": rig.address}
    rig.run("doctor", "--send-to", f"ann.{MARKER}@senders.example")
    assert len(rig.acknowledgements()) == 1


def test_doctor_reads_its_letter_back_without_an_evidence_folder(rig):
    """Sent to the mailbox itself: it is found where it arrives, and taken out again."""
    rig.deliver(plain("stays"))
    said = " ".join(rig.run("doctor", "--send-to", rig.address).stdout.split())
    assert 'the test letter stands in "INBOX", with its Message-ID' in said
    assert list(rig.uids()) == [1]


def test_doctor_says_that_the_server_replaces_the_message_id(rig):
    rig.letters["evidence"] = {"folder": "Sent"}
    rig.imap().create("Sent")
    doctor = rig.popen("doctor", "--send-to", f"ann.{MARKER}@senders.example")
    letter, = await_(rig.acknowledgements, "the letter is sent")
    octets = re.sub(rb"(?m)^Message-ID: .*$", b"Message-ID: <of-the-server@example.org>", letter.as_bytes())
    rig.imap().append("Sent", "", None, octets)
    said = " ".join(doctor.communicate(timeout=60)[0].split())
    assert 'the test letter stands in "Sent", and its Message-ID was replaced' in said


@pytest.mark.parametrize("what", ["smtp", "imap", "template", "sender"])
def test_doctor_says_what_is_wrong(rig, what):
    peer = SmtpPeer("on MAIL reply 553 5.7.1 not you")
    with peer:
        if what == "smtp":
            rig.send_to(1)
        elif what == "imap":
            rig.mailbox["imap"]["port"] = 1
        elif what == "sender":
            rig.send_to(peer.port)
        else:
            templates = rig.folder / "templates"
            templates.mkdir()
            (templates / "acknowledgement.txt").write_text("Subject: x\n\n{{nonsense}}\n")
            rig.settings["templates_dir"] = str(templates)
        done = rig.run("doctor", status=None)
    assert done.returncode == (78 if what == "template" and done.returncode == 78 else 1)
    bad = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("BAD") or what == "template"]
    assert bad
    assert {"smtp": "refused", "imap": "refused", "template": "nonsense", "sender": "553"}[what] in done.stdout + done.stderr
