# SPDX-License-Identifier: Apache-2.0
"""What comes in becomes a case, once: real Dovecot, real Postfix, the real program."""
import json
import subprocess

import pytest

import mails
from mails import MARKER, PDF, Mail, composed, file, part, plain, with_parts
from rig import assert_adds_up, assert_invariants, effects, sha256

NOTHING = {"deliveries": 0, "new": 0, "duplicates": 0, "conflicts": 0, "completed": 0, "deferred": 0,
           "needs_reconciliation": 0, "awaiting_choice": 0}


def everything(rig):
    """All that a run could have changed, seen from outside; but for the mark, which tells of the run itself."""
    return {"items": rig.items(), "cases": rig.json("cases"), "deliveries": rig.json("deliveries"),
            "files": rig.files(), "letters": sorted(m["Message-ID"] for m in rig.acknowledgements()),
            "mailbox": {folder: seen for folder, seen in rig.snapshot().items() if folder != "onecase"}, "report": rig.json("report", "duplicates")["totals"]}


def test_25_varied_mails_give_25_cases_attachment_sets_and_acknowledgements(rig):
    varied = mails.varied()
    rig.deliver(*varied)
    assert rig.once() == {**NOTHING, "deliveries": 25, "new": 25, "completed": 25}
    assert_invariants(rig)
    assert rig.uids() == {} and len(rig.uids("Processed")) == 25
    assert len(rig.json("cases")) == 25
    letters = rig.acknowledgements()
    assert len(letters) == 25
    told = {letter["X-Original-To"].lower() for letter in letters}
    assert told == {mails.sender("other" if m.name == "reply-to" else m.name).lower() for m in varied}
    cases = {case["reference"]: case for case in rig.json("cases")}
    for mail in varied:
        item = rig.item_of(mail.octets)
        stored = [(a["path"].split("/")[-1], a["sha256"]) for a in cases[item["case"]]["attachments"]]
        assert stored == mail.files, mail.name
        assert item["state"] == "complete" and item["completion_state"] == "accepted"


def test_a_second_run_changes_nothing(rig):
    rig.deliver(*mails.varied()[:8])
    rig.once()
    before = everything(rig)
    assert rig.once() == NOTHING
    assert everything(rig) == before


@pytest.mark.parametrize("together", [True, False], ids=["both there at once", "one after the other"])
def test_the_same_message_id_twice_in_one_inbox_is_one_case_and_one_acknowledgement(rig, together):
    mail = plain("twice")
    rig.deliver(mail)
    if not together:
        rig.once()
    rig.deliver(mail)
    summary = rig.once()
    assert summary["duplicates"] == 1
    assert len(rig.json("cases")) == 1 and len(rig.acknowledgements()) == 1
    assert rig.uids() == {} and len(rig.uids("Processed")) == 2
    item = rig.items()[0]
    assert (item["deliveries"], item["duplicates"]) == (2, 1)
    assert sorted(d["class"] for d in rig.json("deliveries")) == ["first", "redelivered"]
    assert_invariants(rig)


def test_a_copy_by_another_way_is_still_the_same_mail(rig):
    """Other transport headers, the same words."""
    mail = plain("way")
    rig.deliver(mail, b"Received: from elsewhere\r\nX-Spam: no\r\n" + mail)
    assert rig.once()["duplicates"] == 1
    assert len(rig.json("cases")) == 1
    assert_invariants(rig)


def test_the_same_inbox_by_four_processes_at_once_gives_one_case_and_one_acknowledgement_each(rig):
    varied = mails.varied()
    rig.deliver(*varied, varied[0].octets)
    runs = [rig.popen("run", "--once", "--json") for _ in range(4)]
    sums = []
    for run in runs:
        out, said = run.communicate(timeout=60)
        rig.said += said
        assert run.returncode == 0, said
        sums.append(json.loads(out))
    rig.once()
    assert sum(s["new"] for s in sums) == 25
    assert len(rig.json("cases")) == 25 and len(rig.acknowledgements()) == 25
    assert rig.uids() == {}
    assert_invariants(rig)


def test_two_mails_of_the_same_sender_and_subject_stay_two(rig):
    rig.deliver(plain("same"), plain("same"))
    assert rig.once()["new"] == 2
    assert len(rig.json("cases")) == 2 and len(rig.acknowledgements()) == 2
    assert_invariants(rig)


def test_two_mails_without_message_id_and_other_words_stay_two(rig):
    one, two = (plain("none", text, Message_ID=None) for text in ("one thing", "another thing"))
    rig.deliver(one, two, one)
    summary = rig.once()
    assert (summary["new"], summary["duplicates"]) == (2, 1)
    assert all(item["key_source"] == "digest" for item in rig.items())
    assert_invariants(rig)


def test_a_filed_mail_that_somebody_drags_back_is_filed_again(rig):
    rig.deliver(plain("back"))
    rig.once()
    rig.imap().select("Processed")
    assert rig.imap().uid("MOVE", "1:*", "INBOX")[0] == "OK"
    assert rig.once()["duplicates"] == 1
    assert [d["class"] for d in rig.json("deliveries")] == ["returned", "first"]
    assert rig.uids() == {} and len(rig.acknowledgements()) == 1
    assert_invariants(rig)


def test_a_mail_marked_deleted_is_not_taken(rig):
    rig.deliver(plain("gone"), flags=r"(\Deleted)")
    rig.delivered.clear()
    assert rig.once() == NOTHING
    assert list(rig.uids()) == [1]


def test_a_mail_stays_unread(rig):
    rig.deliver(plain("seen"), plain("unseen"))
    rig.imap().select("INBOX")
    rig.imap().uid("STORE", "1", "+FLAGS", r"(\Seen)")
    rig.once()
    assert [r"\Seen" in flags for flags in rig.uids("Processed").values()] == [True, False]


@pytest.mark.parametrize("fields, reason", [
    ({"Auto_Submitted": "auto-replied"}, "auto-submitted"),
    ({"Precedence": "bulk"}, "bulk"),
    ({"List_Id": "<staff.example.net>"}, "list"),
    ({"X_Auto_Response_Suppress": "All"}, "suppress"),
    ({"Return_Path": "<>"}, "null-path"),
    ({"From": "no-reply@senders.example"}, "no-reply"),
    ({"From": "Help@Example.org"}, "own-address"),
    ({"From": "nobody"}, "no-address"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_mail_that_must_not_be_answered_gets_its_case_and_no_acknowledgement(rig, fields, reason):
    rig.deliver(plain("quiet", **fields))
    assert rig.once()["completed"] == 1
    step, = effects(rig.items()[0], "acknowledgement")
    assert (step["status"], step["reason"]) == ("skipped", reason)
    assert len(rig.json("cases")) == 1 and rig.acknowledgements() == []
    assert_invariants(rig)


def test_an_answer_to_an_acknowledgement_is_added_to_its_case(rig):
    rig.deliver(plain("asks"))
    rig.once()
    told, = rig.acknowledgements()
    case, = rig.json("cases")
    rig.deliver(plain("asks", "More about it.", Subject=f"Re: {told['Subject']}", In_Reply_To=told["Message-ID"]),
                plain("stranger", "I, too.", Subject=f"Re: {told['Subject']}", In_Reply_To=told["Message-ID"]))
    rig.once()
    assert sorted(item["disposition"] for item in rig.items()) == ["append", "case", "case"]
    whole = rig.json("case", case["reference"])
    assert [m["direction"] for m in whole["messages"]].count("in") == 2
    assert "More about it." in "".join(m["text"] for m in whole["messages"])
    assert len(rig.acknowledgements()) == 2  # the stranger's; an addition has no template
    assert_invariants(rig)


def test_an_attachment_that_is_refused_is_named_to_the_sender(rig):
    rig.settings["attachments"] = {"max_size": "10KB", "refuse_types": ["application/x-msdownload"]}
    rig.deliver(with_parts("refused", part('attachment; filename="setup.exe"', b"MZ", "application/x-msdownload"),
                           part('attachment; filename="small.pdf"', PDF),
                           part('attachment; filename="large.pdf"', PDF * 200)))
    assert rig.once()["completed"] == 1
    case, = rig.json("cases")
    assert [(a["name"], a["status"]) for a in case["attachments"]] == \
        [("setup.exe", "refused"), ("small.pdf", "stored"), ("large.pdf", "refused")]
    assert all(a["reason"] for a in case["attachments"] if a["status"] == "refused")
    item, = rig.items()
    assert item["completion_state"] == "accepted_with_exceptions"
    text = rig.acknowledgements()[0].get_payload(decode=True).decode()
    assert "setup.exe" in text and "large.pdf" in text and "small.pdf" not in text
    assert_invariants(rig)


def test_the_sender_cannot_add_a_header_a_recipient_or_a_directive(rig):
    rig.deliver(plain("evil", Subject="=?utf-8?Q?a=0D=0ABcc:_victim@elsewhere.example?=",
                      Reply_To="=?utf-8?Q?x=0D=0ARCPT_TO:=3Cvictim@elsewhere.example=3E?= <{{reference}}@senders.example>"),
                plain("evil2", Reply_To="a@senders.example, b@senders.example"))
    rig.once()
    letters = rig.acknowledgements()
    assert all(letter["Bcc"] is None and "victim" not in letter.as_string() for letter in letters)
    assert all("elsewhere" not in letter["X-Original-To"] for letter in letters)
    assert_invariants(rig)


def test_the_report_about_duplicates_adds_up(rig):
    mail, other = plain("many"), plain("other")
    rig.deliver(mail, mail, other)
    rig.once()
    rig.deliver(mail, plain("third"))
    rig.once()
    report = rig.json("report", "duplicates")
    assert_adds_up(report)
    totals = report["totals"]
    assert (totals["deliveries"], totals["first"], totals["redelivered"], totals["new_cases"]) == (5, 3, 2, 3)
    assert totals["cases_prevented"] == 2 and report["boundaries"]["delivery"] == 2
    assert [(k["deliveries"], k["classes"]) for k in report["keys"]] == [(3, ["first", "redelivered"])]
    assert report["by_sender_domain"] == [{"domain": "senders.example", "duplicates": 2}]
    text = rig.run("report", "duplicates").stdout
    assert "5 arrivals" in text and "second cases avoided" in text


def test_names_of_folders_are_the_operators_own(rig):
    """Another hierarchy level, and letters beyond ASCII."""
    rig.mailbox["folders"] = {"processed": "Archiv/Erledigt – für später", "duplicates": "Doppelt", "claim": "Dienst"}
    mail = plain("folders")
    rig.deliver(mail, mail)
    rig.once()
    assert rig.uids() == {}
    folders = rig.folders()
    assert "Doppelt" in folders and "Dienst" in folders
    assert any(folder.startswith("Archiv/Erledigt") for folder in folders)


def test_mail_sent_through_postfix_to_the_mailbox_is_taken(rig):
    """The whole way: SMTP to Postfix, LMTP to Dovecot, IMAP to the program, and the answer back."""
    import smtplib
    import ssl
    from rig import PASSWORD, await_
    mail = composed("route", To=rig.address)
    mail.add_attachment(PDF, "application", "pdf", filename="a.pdf")
    with smtplib.SMTP("localhost", rig.servers.postfix.port) as client:
        client.starttls(context=ssl.create_default_context(cafile=rig.servers.authority.file))
        client.login(rig.user, PASSWORD)
        client.send_message(mail, to_addrs=[rig.address])
    await_(lambda: rig.uids(), "the mail in the inbox")
    rig.delivered += rig.mails().values()
    assert rig.once()["completed"] == 1
    assert len(rig.acknowledgements()) == 1
    assert_invariants(rig)
