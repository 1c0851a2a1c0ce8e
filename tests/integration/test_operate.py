# SPDX-License-Identifier: Apache-2.0
"""What operators do, on a real Dovecot and with a scripted SMTP server: rows O01-O08, E02 and B03."""
import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest

from imap_proxy import ImapProxy
from mails import composed, plain
from rig import PROGRAM, TOP, assert_invariants, await_, effects, sha256
from smtp_peer import SmtpPeer
from test_troubles import letters_of

BY = ("--by", "Ann", "--reason", "looked at it")


def acknowledgement(rig, item):
    return effects(rig.json("item", item["key"]), "acknowledgement")[0]


def as_person(rig, account, *words, status=0):
    """A command by somebody who came by sudo."""
    rig.write()
    done = subprocess.run([PROGRAM, *words], env={**rig.environment(), "SUDO_USER": account}, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def not_sent(rig, item, *more):
    """As soon as it is possible."""
    words = ("resolve", item["key"], "--acknowledgement", "not-sent", *more, *BY)
    await_(lambda: rig.run(*words, status=None).returncode == 0, "not-sent is possible")


@pytest.fixture
def doubtful(rig):
    """A function that gives a rig with so many acknowledgements in doubt."""
    peers = []

    def make(count, script=None):
        peer = SmtpPeer(script or "\n".join(["after end-of-data close"] * count + ["after end-of-data accept"]))
        peer.__enter__()
        peers.append(peer)
        rig.send_to(peer.port)
        rig.letters.update(final_timeout="1s", evidence={"wait": "0s"}, connections=1)
        rig.deliver(*(plain(f"doubt{n}") for n in range(count)))
        rig.once()
        await_(lambda: rig.once()["deferred"] == 0, "all asked")
        return rig, peer

    yield make
    for peer in peers:
        peer.__exit__()


# ---- replay ------------------------------------------------------------------------------------------------


def test_O01_a_replay_of_a_complete_mail_runs_nothing_again(rig):
    rig.deliver(plain("complete"))
    rig.once()
    item, = rig.items()
    plan = rig.json("replay", item["key"])
    assert (plan["items"], plan["list"][0]["run_again"], plan["list"][0]["was_complete"]) == (1, 0, True)
    assert "nothing runs again" in rig.run("replay", item["case"], "--approve", *BY).stdout
    rig.once()
    assert len(rig.acknowledgements()) == 1 and len(rig.json("cases")) == 1
    classes = sorted(d["class"] for d in rig.json("deliveries"))
    assert classes == ["first", "replayed"]
    replay, = rig.json("report", "replays")
    assert replay["case"] == item["case"] and replay["by"].startswith("Ann (") and replay["why"] == "looked at it"
    assert rig.json("report", "decisions") == []
    assert_invariants(rig)


def test_O02_a_replay_after_the_mail_is_gone_goes_on_from_the_stored_original(rig):
    message = composed("gone")
    message.add_attachment(b"a,b\r\n", maintype="text", subtype="csv", filename="figures.csv")
    rig.deliver(message.as_bytes())
    rig.run("status")
    rig.once()  # the mailbox is known now
    rig.run("pause", "--effect", "attachment", *BY)
    rig.deliver(message.as_bytes().replace(b"gone.", b"gone2."))
    rig.once()
    waiting, = (i for i in rig.items() if i["state"] != "complete")
    for uid in rig.uids():
        rig.remove("INBOX", uid)
    rig.delivered.pop()
    rig.run("resume", *BY)
    assert rig.json("replay", waiting["key"])["list"][0]["run_again"] >= 1
    rig.run("replay", waiting["key"], "--approve", *BY)
    rig.once()
    item = rig.json("item", waiting["key"])
    assert item["state"] == "complete" and effects(item, "move")[0]["reason"] == "absent"
    case = rig.json("case", item["case"])
    assert [a["status"] for a in case["attachments"]] == ["stored"]
    assert (rig.data / case["attachments"][0]["path"]).read_bytes() == b"a,b\r\n"
    assert len(rig.acknowledgements()) == 2


def test_O05_a_replay_of_many_tells_how_far_it_is_and_goes_on_after_it_was_killed(rig):
    rig.letters["enabled"] = False
    count = 1000
    rig.mailbox["first_import"] = {"recent": "7d"}
    rig.deliver(*(plain(f"many{n}", message_id=f"<many{n}@senders.example>") for n in range(count)))
    rig.once(seconds=300)
    assert len(rig.items("--state", "complete")) == count
    many = ("replay", "--state", "complete", "--where", "mailbox=help", "--approve", *BY)
    killed = rig.popen(*many)
    until = time.monotonic() + 60
    for line in killed.stderr:
        if " of 1000" in line or time.monotonic() > until:
            break
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    done = sum(d["class"] == "replayed" for d in rig.json("deliveries"))
    assert 100 <= done < count, "killed too late to show anything"
    said = rig.run(*many, seconds=300)
    assert f"Goes on with the replay that Ann" in said.stdout and f"{count} of {count}" in said.stderr
    assert f"{count - done} mails replayed" in said.stdout
    replayed = [d["key"] for d in rig.json("deliveries") if d["class"] == "replayed"]
    assert len(replayed) == count and len(set(replayed)) == count, "one was replayed twice, or none"


def test_O06_no_name_or_reason_is_64_and_a_plan_that_has_changed_is_77_and_nothing_is_done(doubtful):
    rig, peer = doubtful(1)
    item, = rig.items()
    rig.run("replay", item["key"], "--approve", "--by", "Ann", status=64)
    rig.run("replay", item["key"], "--approve", "--reason", "x", status=64)
    rig.run("resolve", item["key"], "--acknowledgement", "none", "--reason", "x", status=64)
    plan = rig.json("replay", item["key"])["plan"]
    rig.run("resolve", item["key"], "--acknowledgement", "none", *BY)
    said = rig.run("replay", item["key"], "--plan", plan, "--approve", *BY, status=77)
    assert "has changed" in said.stderr
    assert not [d for d in rig.json("deliveries") if d["class"] == "replayed"]
    now = rig.json("replay", item["key"])["plan"]
    rig.run("replay", item["key"], "--plan", now[:16], "--approve", *BY)
    assert [d["class"] for d in rig.json("deliveries")] == ["replayed", "first"]


def test_O06_a_replay_and_a_decision_take_a_second_person_under_another_account(doubtful):
    rig, peer = doubtful(1)
    rig.settings["approval"] = "two-person"
    item, = rig.items()
    decide = ("resolve", item["key"], "--acknowledgement", "none")
    assert "Another person" in as_person(rig, "ann", *decide, *BY, status=77).stdout
    assert "yourself" in as_person(rig, "ann", *decide, "--approve", *BY, status=77).stderr
    assert "Ann" in as_person(rig, "bob", *decide, "--by", "Bob", "--reason", "agreed", status=77).stderr
    assert acknowledgement(rig, item)["status"] == "unknown"
    as_person(rig, "bob", *decide, "--approve", "--by", "Bob", "--reason", "agreed")
    assert acknowledgement(rig, item)["status"] == "skipped"
    decision, = rig.json("report", "decisions")
    assert decision["by"].startswith("Ann (") and decision["second"].startswith("Bob (")
    rig.once()
    replay = ("replay", item["key"], "--approve")
    as_person(rig, "ann", *replay, *BY, status=77)
    as_person(rig, "ann", *replay, *BY, status=77)
    assert not [d for d in rig.json("deliveries") if d["class"] == "replayed"]
    as_person(rig, "bob", *replay, "--by", "Bob", "--reason", "agreed")
    assert rig.json("report", "replays")[0]["second"].startswith("Bob (")
    close = ("case", item["case"], "--close")
    as_person(rig, "ann", *close, *BY, status=77)
    assert rig.json("cases")[0]["state"] == "open"
    as_person(rig, "bob", *close, "--approve", "--by", "Bob", "--reason", "agreed")
    assert rig.json("cases")[0]["state"] == "closed"


def test_O08_a_replay_of_forty_of_which_many_were_accepted_sends_none_again(rig):
    """35 were accepted, of them 5 without an answer; 5 were refused."""
    script = "\n".join(["on RCPT reply 550 5.1.1 who?"] * 5 + ["on RCPT reply 250 ok"]
                       + ["after end-of-data accept"] * 30 + ["after end-of-data take, then close"])
    with SmtpPeer(script) as peer:
        rig.send_to(peer.port)
        rig.letters.update(final_timeout="1s", evidence={"wait": "0s"}, connections=1)
        rig.deliver(*(plain(f"forty{n}") for n in range(40)))
        rig.once()
        await_(lambda: rig.once()["deferred"] == 0, "all settled")
        before = len(peer.accepted)
        unknown = [i for i in rig.items() if acknowledgement(rig, i)["status"] == "unknown"]
        assert before == 35 and len(unknown) == 5
        for state in ("complete", "needs_reconciliation"):
            rig.run("replay", "--state", state, "--approve", *BY)
        for _ in range(3):
            rig.once()
        assert len(peer.accepted) == before, "a confirmation was sent again"
        assert sum(d["class"] == "replayed" for d in rig.json("deliveries")) == 40
        assert_invariants(rig, letters_of(peer))
        refused = [i for i in rig.items() if acknowledgement(rig, i)["status"] == "refused"]
        assert len(refused) == 5
        peer.script.turns["end-of-data"] = [["accept"]]
        rig.run("replay", "--state", "complete", "--resend-acknowledgement", "--approve", *BY)
        await_(lambda: rig.once()["deferred"] == 0, "those that were refused are sent")
        assert len(peer.accepted) == before + 5
        assert len({m["Message-ID"] for m in letters_of(peer)}) == 40


# ---- decisions -----------------------------------------------------------------------------------------------


def test_O03_not_sent_is_possible_from_a_time_and_sends_exactly_one_more_with_the_same_message_id(doubtful):
    rig, peer = doubtful(1, "after end-of-data take, then close\nafter end-of-data accept")
    item, = rig.items()
    rig.letters["final_timeout"] = "1h"
    early = rig.run("resolve", item["key"], "--acknowledgement", "not-sent", *BY, status=75)
    assert "possible from" in early.stderr
    rig.letters["final_timeout"] = "1s"
    not_sent(rig, item)
    rig.once()
    rig.once()
    first, second = letters_of(peer)
    assert first["Message-ID"] == second["Message-ID"] and rig.items()[0]["state"] == "complete"
    report = rig.json("report", "duplicates")["totals"]
    assert report["doubles"] in (0, 1)


@pytest.mark.parametrize("found", [True, False], ids=["it is found", "it is not"])
def test_E02_before_it_is_sent_once_more_it_is_looked_for_once_more(doubtful, found):
    rig, peer = doubtful(0, "after end-of-data take, then close\nafter end-of-data accept")
    rig.imap().create("Sent")
    rig.letters["evidence"] = {"folder": "Sent", "wait": "0s"}
    rig.deliver(plain("late"))
    await_(lambda: rig.once() and rig.items() and rig.items()[0]["state"] == "needs_reconciliation", "asked")
    item, = rig.items()
    not_sent(rig, item)
    if found:
        rig.imap().append("Sent", "", None, peer.accepted[0])
    rig.once()
    assert acknowledgement(rig, item)["status"] == "done"
    assert peer.ended == (1 if found else 2), "sent although it was there, or not sent at all"
    looked = [e["found"] for e in rig.json("item", item["key"])["evidence_list"]]
    assert looked[-1] is found
    assert [d["decision"] for d in rig.json("report", "decisions")] == ["acknowledgement-not-sent"]


def test_E02_where_it_cannot_be_looked_for_nothing_is_sent(doubtful):
    rig, peer = doubtful(1)
    item, = rig.items()
    rig.letters["evidence"] = {"folder": "Missing", "wait": "0s"}
    not_sent(rig, item)
    rig.once()
    assert acknowledgement(rig, item)["status"] == "deferred" and peer.ended == 1
    evidence = rig.json("item", item["key"])["evidence_list"][-1]
    assert not evidence["found"]
    rig.imap().create("Missing")
    await_(lambda: rig.once()["completed"], "it is sent once the folder is there")
    assert peer.ended == 2


def test_E02_a_copy_that_is_listed_and_not_given_is_no_absence(doubtful):
    """A server that gives nothing of a message for a moment: nothing is concluded from it, and nothing sent."""
    rig, peer = doubtful(0, "after end-of-data take, then close\nafter end-of-data accept")
    rig.imap().create("Sent")
    rig.letters["evidence"] = {"folder": "Sent", "wait": "0s"}
    rig.deliver(plain("late"))
    await_(lambda: rig.once() and rig.items() and rig.items()[0]["state"] == "needs_reconciliation", "asked")
    item, = rig.items()
    not_sent(rig, item)
    rig.imap().append("Sent", "", None, peer.accepted[0])
    empty, hidden = [], []

    def hide():
        hidden.append(1)
        empty.append(1)
        proxy.on(r"(EXAMINE|SELECT) (onecase|INBOX)", empty.clear)

    def answers(line):
        if empty and line.startswith((b"* 1 FETCH", b"* SEARCH")):
            return b"* SEARCH" if line.startswith(b"* SEARCH") else None
        return line

    with ImapProxy(rig.box.imap, answers=answers) as proxy:
        rig.through(proxy)
        proxy.on("EXAMINE Sent", lambda: proxy.on(r"UID FETCH 1 \(", hide))
        rig.once()
        assert hidden and peer.ended == 1
        await_(lambda: rig.once()["completed"], "the copy is given")
    assert acknowledgement(rig, item)["status"] == "done" and peer.ended == 1


def test_O07_a_decision_is_taken_back_until_something_has_left(doubtful):
    rig, peer = doubtful(1)
    item, = rig.items()
    rig.run("resolve", item["key"], "--acknowledgement", "none", *BY)
    rig.run("resolve", item["key"], "--undo", *BY)
    assert acknowledgement(rig, item)["status"] == "unknown"
    assert rig.items()[0]["state"] == "needs_reconciliation"
    not_sent(rig, item)
    rig.once()
    assert acknowledgement(rig, item)["status"] == "done"
    said = rig.run("resolve", item["key"], "--undo", *BY, status=1)
    assert "something has left" in said.stderr
    undone = [d["decision"] for d in rig.json("report", "decisions") if d["undone_at"]]
    assert undone == ["acknowledgement-none"]


def test_a_decision_for_all_that_broke_alike_says_how_many_and_answers_each(doubtful):
    rig, peer = doubtful(4)
    item = rig.items()[0]
    said = rig.run("resolve", item["key"], "--acknowledgement", "none", "--all-like", *BY).stdout
    assert said.startswith("3 others wait for the same reason")
    assert {acknowledgement(rig, i)["status"] for i in rig.items()} == {"skipped"}
    assert len(rig.json("report", "decisions")) == 4


def test_of_two_operators_one_wins_and_the_other_is_told_who_decided_what_and_when(doubtful):
    rig, peer = doubtful(1)
    item, = rig.items()
    decide = ("resolve", item["key"], "--acknowledgement", "sent")
    both = [rig.popen(*decide, "--by", name, "--reason", "x") for name in ("Ann", "Bob")]
    said = [p.communicate(timeout=30)[1] for p in both]
    assert sorted(p.returncode for p in both) == [0, 1]
    winner = "Ann" if both[0].returncode == 0 else "Bob"
    loser, = (text for p, text in zip(both, said) if p.returncode == 1)
    assert f"by {winner} (" in loser and "'it was sent' was decided at" in loser
    assert len(rig.json("report", "decisions")) == 1


def test_a_decision_about_the_wrong_thing_says_what_state_it_is_in_and_what_is_possible(doubtful):
    rig, peer = doubtful(1)
    item, = rig.items()
    said = rig.run("resolve", item["key"], "--conflict", "append", *BY, status=1).stderr
    assert "needs your decision" in said and "--acknowledgement not-sent" in said
    rig.run("resolve", "HD-00000000", "--acknowledgement", "none", *BY, status=66)
    rig.run("resolve", item["key"], "--acknowledgement", "perhaps", *BY, status=64)


# ---- reports -------------------------------------------------------------------------------------------------


def test_reports_come_as_table_csv_json_and_html_and_csv_holds_no_formula(doubtful):
    rig, peer = doubtful(1)
    item, = rig.items()
    rig.run("resolve", item["key"], "--acknowledgement", "none", "--by", "Ann", "--reason", "=1+1 <b>, \"x\"")
    for what in ("decisions", "replays", "duplicates"):
        assert rig.run("report", what).stdout
        assert json.loads(rig.run("report", what, "--format", "json").stdout) is not None
        page = rig.run("report", what, "--format", "html").stdout
        assert page.startswith("<!DOCTYPE html>") and "1 <b>" not in page and "src=" not in page and "@media print" in page
        rows = list(csv.reader(io.StringIO(rig.run("report", what, "--format", "csv").stdout)))
        assert all(len(row) == len(rows[0]) for row in rows)
        assert not [cell for row in rows[1:] for cell in row if cell[:1] in "=+-@" and cell]
        rig.run("report", what, "--format", "xml", status=64)
    rows = list(csv.DictReader(io.StringIO(rig.run("report", "decisions", "--format", "csv").stdout)))
    assert rows[0]["why"] == "'=1+1 <b>, \"x\"" and rows[0]["decision"] == "acknowledgement-none"
    assert rig.json("report", "decisions", "--until", "1d") == []


# ---- monitoring ----------------------------------------------------------------------------------------------


def test_check_says_in_one_line_how_it_stands(rig):
    assert rig.run("check", status=2).stdout.startswith("onecase CRITICAL - help: never looked at yet")
    rig.once()
    line = rig.run("check").stdout
    assert line.startswith("onecase OK - ") and line.count("\n") == 1
    rig.deliver(plain("old"), age=7200)
    rig.once()
    rig.run("pause", *BY)
    assert rig.run("check", status=1).stdout.startswith("onecase WARNING - help: paused")
    rig.config.write_text("nonsense: [")
    done = subprocess.run([PROGRAM, "check"], env=rig.environment(), capture_output=True, text=True)
    assert done.returncode == 3 and done.stdout.startswith("onecase UNKNOWN")


def test_deployments_lists_each_run_and_says_which_is_active(rig):
    rig.deliver(plain("seen"))
    rig.once()
    service = rig.serve()
    await_(lambda: any(run["active"] == "yes" for run in rig.json("deployments")), "the service is listed")
    runs = rig.json("deployments")
    assert {(r["name"], r["environment"], r["owner"]) for r in runs} == {(rig.user, "test", "tests@example.org")}
    assert [r["active"] for r in runs] == ["yes", "no"] and runs[1]["mailboxes"] == "help"
    os.killpg(service.process.pid, signal.SIGKILL)
    service.end()
    await_(lambda: all(r["active"].startswith("no") for r in rig.json("deployments")), "it is known to be dead")


def test_a_mailbox_is_taken_over_by_the_others_name_only(make_rig):
    one, two = make_rig(), make_rig()
    two.user, two.address = one.user, one.address
    two.settings.update(name="second")
    two.mailbox["imap"]["username"] = one.user
    two.mailbox["addresses"] = one.mailbox["addresses"]
    one.deliver(plain("one"))
    one.once()
    two.run("run", "--once", status=77)
    assert any("owns it" in run["active"] for run in two.json("deployments"))
    two.run("deployments", "--take-over", "nobody", status=77)
    assert "belong to this deployment now" in two.run("deployments", "--take-over", one.user).stdout
    one.run("run", "--once", status=77)


# ---- cases ---------------------------------------------------------------------------------------------------


def closing(rig):
    """A template for the closing, beside the others."""
    templates = rig.folder / "templates"
    shutil.copytree(TOP / "templates", templates)
    shutil.copy(templates / "acknowledgement.txt", templates / "closed.txt")
    rig.settings["templates_dir"] = str(templates)
    rig.letters["templates"] = {"closed": "closed.txt"}


def test_closing_a_case_tells_its_sender_once_in_its_life(rig):
    closing(rig)
    rig.deliver(plain("close"))
    rig.once()
    case, = rig.json("cases")
    rig.run("case", case["reference"], "--close", "--by", "Ann", status=64)
    assert "will be told" in rig.run("case", case["reference"], "--close", *BY).stdout
    assert rig.json("cases")[0]["state"] == "closed"
    assert rig.items()[0]["state"] == "in_progress", "while it is not told the item waits"
    rig.once()
    item, = rig.items()
    assert item["state"] == "complete" and item["completion_state"] == "accepted"
    assert [(e["target"], e["status"]) for e in effects(item, "acknowledgement")] == \
        [("accepted", "done"), ("closed", "done")]
    assert len(rig.acknowledgements()) == 2 and len({m["Message-ID"] for m in rig.acknowledgements()}) == 2
    rig.run("case", case["reference"], "--close", *BY, status=1)
    rig.run("case", case["reference"], "--reopen", *BY)
    rig.run("case", case["reference"], "--close", *BY)
    rig.once()
    assert len(rig.acknowledgements()) == 2, "it was told twice"
    told = [d["decision"] for d in rig.json("report", "decisions")]
    assert told == ["case-close", "case-reopen", "case-close"]
    rig.run("resolve", item["key"], "--undo", *BY, status=1)
    assert_invariants(rig)


def test_nobody_is_told_of_a_closing_who_was_not_to_be_told_or_where_it_was_opened_again(rig):
    closing(rig)
    rig.deliver(plain("auto", Auto_Submitted="auto-generated"), plain("again"))
    rig.once()
    for case in rig.json("cases"):
        rig.run("case", case["reference"], "--close", *BY)
    person, = (i for i in rig.items() if i["state"] == "in_progress")
    rig.run("case", person["case"], "--reopen", *BY)
    rig.once()
    assert len(rig.acknowledgements()) == 1 and {i["state"] for i in rig.items()} == {"complete"}
    assert_invariants(rig)


def test_a_case_is_merged_into_another_and_taken_out_again_and_replies_follow(rig):
    rig.deliver(plain("one"), plain("two"))
    rig.once()
    second, first = rig.json("cases")
    said = rig.run("case", second["reference"], "--merge-into", first["reference"], *BY).stdout
    assert "nobody is told" in said
    assert [c["state"] for c in rig.json("cases")] == ["closed", "open"]
    assert len(rig.json("case", first["reference"])["messages"]) == 2
    assert first["reference"] in rig.run("case", second["reference"]).stdout
    rig.run("case", second["reference"], "--merge-into", first["reference"], *BY, status=1)
    rig.run("case", first["reference"], "--merge-into", second["reference"], *BY, status=1)
    rig.run("case", first["reference"], "--merge-into", first["reference"], *BY, status=64)
    rig.run("case", second["reference"], "--reopen", *BY, status=1)
    rig.run("case", "HD-00000000", "--close", *BY, status=66)
    rig.deliver(plain("two", "and another thing", In_Reply_To=rig.item_of(rig.delivered[1])["message_id"]))
    rig.once()
    assert len(rig.json("cases")) == 2
    assert len(rig.json("case", first["reference"])["messages"]) == 3
    rig.run("case", second["reference"], "--unmerge", *BY)
    assert [c["state"] for c in rig.json("cases")] == ["open", "open"]
    rig.run("case", second["reference"], "--unmerge", *BY, status=1)
    assert len(rig.acknowledgements()) == 2
    assert_invariants(rig)


@pytest.mark.parametrize("choice, states", [("--authoritative", ["closed", "open"]), ("--different", ["open", "open"])])
def test_suspects_are_cases_of_the_same_words_and_a_choice_ends_the_suspicion(rig, choice, states):
    rig.deliver(plain("same"), plain("same"), plain("other"))
    rig.once()
    suspects = rig.json("suspects")
    assert len(suspects) == 2 and suspects[1]["like"] == suspects[0]["reference"]
    first = next(s["reference"] for s in suspects if s["key"] == rig.item_of(rig.delivered[0])["key"])
    rig.run("suspects", first, choice, *BY)
    assert rig.json("suspects") == []
    chosen = {c["reference"]: c["state"] for c in rig.json("cases") if c["reference"] in {s["reference"] for s in suspects}}
    assert sorted(chosen.values()) == sorted(states) and chosen[first] == "open"
    rig.run("suspects", first, choice, *BY, status=1)
    rig.once()
    assert len(rig.acknowledgements()) == 3
    assert_invariants(rig)


# ---- verify --------------------------------------------------------------------------------------------------


def test_B03_a_file_changed_or_deleted_behind_the_programs_back_is_found_and_nothing_is_changed(rig):
    message = composed("files")
    message.add_attachment(b"a,b\r\n", maintype="text", subtype="csv", filename="figures.csv")
    rig.deliver(message.as_bytes(), plain("other"))
    rig.once()
    assert "0 disagreements" in rig.run("verify").stdout
    case = next(c for c in rig.json("cases") if c["attachments"])
    attachment = rig.data / case["attachments"][0]["path"]
    original = attachment.parent.parent / "original.eml"
    other = next(rig.data.glob("items/*/*/original.eml"))
    attachment.write_bytes(b"a,c\r\n")
    original.unlink()
    (other.parent / "stray").write_text("x")
    before = rig.files()
    found = rig.json("verify", status=1)
    said = [f["disagreement"] for f in found]
    assert len(found) == 3 and {f["explained"] for f in found} == {"no"}
    assert any("not what was stored" in s and "01-figures.csv" in s for s in said)
    assert any("not there" in s and "original.eml" in s for s in said)
    assert any("nothing in the ledger knows it" in s and "stray" in s for s in said)
    assert rig.files() == before
    rig.run("verify", "--explain", "the disk was restored", status=64)
    rig.run("verify", "--explain", "the disk was restored", "--by", "Ann")
    assert "3 disagreements, 0 unexplained" in rig.run("verify").stdout
    attachment.unlink()
    assert "4 disagreements" not in rig.run("verify", status=1).stdout


def test_B03_a_file_that_is_not_what_was_stored_does_not_let_its_mail_be_filed(rig):
    message = composed("files")
    message.add_attachment(b"a,b\r\n", maintype="text", subtype="csv", filename="figures.csv")
    rig.once()
    rig.run("pause", "--effect", "acknowledgement", *BY)
    rig.deliver(message.as_bytes())
    rig.once()
    attachment, = rig.data.glob("items/*/*/attachments/*")
    attachment.write_bytes(b"other\r\n")
    rig.run("resume", *BY)
    rig.run("replay", rig.items()[0]["key"], "--approve", *BY)
    rig.once()
    item, = rig.items()
    assert (item["state"], item["reason"]) == ("needs_reconciliation", "file-differs") and len(rig.uids()) == 1
    rig.run("verify", status=1)


def test_a_ledger_that_was_changed_by_hand_and_a_mail_that_is_recorded_nowhere_are_found(rig):
    rig.deliver(plain("one"), plain("two"))
    rig.once()
    rig.run("verify")
    ledger = sqlite3.connect(rig.data / "ledger.db")
    ledger.execute("UPDATE effect SET status = 'planned' WHERE kind = 'acknowledgement'")
    ledger.execute("DROP TRIGGER event_never_changes")
    ledger.execute("UPDATE event SET what = 'nothing' WHERE number = 3")
    ledger.commit()
    ledger.close()
    rig.deliver(plain("unseen"), age=1200)
    said = [f["disagreement"] for f in rig.json("verify", status=1)]
    assert sum("one of its steps is not settled" in s for s in said) == 2
    assert any(s.startswith("events: ") for s in said)
    assert any("1 messages older than 10 minutes" in s for s in said)
    rig.delivered.clear()


# ---- what a run would do ---------------------------------------------------------------------------------------


def test_a_dry_run_says_for_scripts_what_would_be_done(rig):
    listed = composed("listed")
    listed["List-Id"] = "<all.example.org>"
    dry = plain("dry")
    rig.deliver(dry, dry, listed.as_bytes())
    before = rig.snapshot()
    said = rig.json("run", "--dry-run")
    assert [(m["class"], m["disposition"], m["acknowledgement"], m["skipped_because"]) for m in said["messages"]] == \
        [("first", "case", "planned", None), ("redelivered", "case", None, None), ("first", "case", "skipped", "list")]
    assert said["awaiting_choice"] == 0 and len({m["uid"] for m in said["messages"]}) == 3
    assert rig.snapshot() == before and rig.items() == []


# ---- export --------------------------------------------------------------------------------------------------


def unpacked(rig, file):
    """The folder that it holds, checked as anybody can check it."""
    folder = rig.folder / f"{file.name}.d"
    folder.mkdir()
    subprocess.run(["tar", "-xf", file, "-C", folder], check=True)
    top, = folder.iterdir()
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=top).returncode == 0
    named = {line.split("  ", 1)[1] for line in (top / "SHA256SUMS").read_text().splitlines()}
    there = {str(p.relative_to(top)) for p in top.rglob("*") if p.is_file()}
    assert there == named | {"SHA256SUMS"}, "a file without a checksum"
    return top, there


def test_an_evidence_bundle_holds_all_of_a_mail_and_can_be_checked_without_the_program(rig):
    message = composed("bundle")
    message.add_attachment(b"a,b\r\n", maintype="text", subtype="csv", filename="Zahlen für März.csv")
    rig.deliver(message.as_bytes(), plain("other"))
    rig.once()
    item = rig.item_of(rig.delivered[0])
    file = rig.folder / "bundle.tar"
    said = rig.run("export", item["case"].lower(), "--to", str(file)).stdout
    octets = len(rig.delivered[0]) + 5
    assert f"1 mail, with 2 originals and attachments of {octets} octets, into '{file}'" in said
    assert f"{sha256(file.read_bytes())}  {file}" in said and "6 files" in said
    folder, there = unpacked(rig, file)
    top = f"items/{item['key']}/"
    assert there == {"README.txt", "SHA256SUMS", top + "item.json", top + "case.json", top + "events.json",
                     top + "original.eml", top + "attachments/01-Zahlen für März.csv"}
    assert json.loads((folder / top / "item.json").read_text())["key"] == item["key"]
    assert json.loads((folder / top / "case.json").read_text())["reference"] == item["case"]
    assert (folder / top / "original.eml").read_bytes() == rig.delivered[0]
    for event in json.loads((folder / top / "events.json").read_text()):
        fields = [event[name] for name in ("number", "at_ms", "run", "mailbox", "key", "subject", "what", "from",
                                           "to", "actor", "previous")]
        text = "".join(f"{len(str(f).encode())}:{f}\n" for f in fields)
        assert sha256(text.encode()) == event["hash"]


def test_the_same_records_give_the_same_bundle_and_none_is_ever_overwritten(rig):
    rig.deliver(*(plain(f"same{n}") for n in range(3)))
    rig.once()
    first, again = rig.folder / "first.tar", rig.folder / "again.tar"
    period = ("--since", "2020-01-01", "--until", "2040-01-01")
    facts = rig.json("export", *period, "--to", str(first))
    rig.json("export", *period, "--to", str(again))
    assert first.read_bytes() == again.read_bytes()
    folder, there = unpacked(rig, first)
    assert (facts["items"], facts["files"], facts["missing"]) == (3, len(there) - 1, [])
    assert facts["sha256"] == sha256(first.read_bytes()) and facts["size"] == first.stat().st_size
    assert json.loads((folder / "duplicates.json").read_text())["totals"]["deliveries"] == 3
    names = subprocess.run(["tar", "--utc", "--full-time", "-tvf", first], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    assert [n.rsplit("/", 1)[1] for n in (*names[:2], names[-1])] == ["README.txt", "duplicates.json", "SHA256SUMS"]
    seen = {item["key"]: item["first_seen"][:19].replace("T", " ") for item in rig.items()}
    assert all(seen[line.split("/items/")[1][:64]] in line for line in names if "/items/" in line)
    assert all(line.startswith("-rw------- 0/0 ") for line in names)
    assert first.stat().st_mode & 0o777 == 0o600
    item = rig.items()[0]
    before = first.read_bytes()
    assert "there already" in rig.run("export", item["case"], "--to", str(first), status=64).stderr
    assert first.read_bytes() == before
    assert rig.json("export", "--since", "2039-01-01", "--until", "2040-01-01", "--to", str(rig.folder / "no.tar"))["items"] == 0
    (rig.data / "items" / item["key"][:2] / item["key"] / "original.eml").unlink()
    every = rig.folder / "all.tar"
    assert "original.eml is not there" in rig.run("export", "--since", "1d", "--to", str(every), status=1).stderr
    assert "missing.txt" in unpacked(rig, every)[1]


def test_an_export_that_cannot_be_made_leaves_no_file(rig):
    rig.deliver(plain("none"))
    rig.once()
    item, = rig.items()
    rig.run("export", "HD-00000000", "--to", str(rig.folder / "none.tar"), status=66)
    for words in ((), (item["key"], "--since", "1d"), (item["key"], "--until", "1d"), ("--since", "yesterday")):
        rig.run("export", *words, "--to", str(rig.folder / "none.tar"), status=64)
    original = rig.data / "items" / item["key"][:2] / item["key"] / "original.eml"
    original.unlink()
    original.mkdir()  # cannot be read
    assert "cannot be read" in rig.run("export", item["key"], "--to", str(rig.folder / "none.tar"), status=74).stderr
    assert list(rig.folder.glob("none.tar*")) == []
    rig.run("export", item["key"], "--to", str(rig.folder / "no" / "none.tar"), status=74)


# ---- pause ---------------------------------------------------------------------------------------------------


def test_while_a_mailbox_is_paused_new_mail_is_recorded_then_kept_aside_and_comes_back_with_resume(rig):
    rig.deliver(plain("before"))
    rig.once()
    for folder in ("INBOX", "Processed", "onecase"):
        rig.run("pause", "--hold", folder, *BY, status=64)
    rig.run("pause", "--hold", "Aside", *BY)
    rig.deliver(plain("held1"), plain("held2"))
    rig.once()
    assert rig.uids() == {} and len(rig.uids("Aside")) == 2 and len(rig.uids("Processed")) == 1
    held = [d for d in rig.json("deliveries") if d["folder"] == "Aside"]
    assert len(held) == 2 and len(rig.json("cases")) == 3 and len(rig.acknowledgements()) == 1
    rig.once()
    assert len(rig.uids("Aside")) == 2 and len(rig.json("deliveries")) == 3
    rig.imap().append("Aside", "", None, plain("stranger"))
    rig.deliver(plain("new"))
    rig.run("run", "--dry-run")
    assert len(rig.uids("Aside")) == 3 and len(rig.uids()) == 1, "a trial has moved mail"
    rig.remove("INBOX", next(iter(rig.uids())))
    rig.delivered.pop()
    rig.run("pause", "--hold", "Elsewhere", *BY, status=1)
    rig.run("resume", *BY)
    rig.once()
    assert len(rig.uids("Processed")) == 3 and rig.uids() == {} and len(rig.uids("Aside")) == 1
    assert {i["state"] for i in rig.items()} == {"complete"} and len(rig.acknowledgements()) == 3
    assert sorted(d["class"] for d in rig.json("deliveries")) == ["first"] * 3
    assert_invariants(rig)
    rig.run("pause", "--hold", "Elsewhere", *BY)
    rig.run("resume", *BY)
    rig.once()
    rig.run("verify")


def test_what_was_moved_aside_and_not_recorded_so_comes_back_all_the_same(rig):
    rig.once()
    rig.run("pause", "--hold", "Aside", *BY)
    rig.deliver(plain("held"))
    rig.once()
    ledger = sqlite3.connect(rig.data / "ledger.db")  # as after a death between the move and its record
    ledger.execute("UPDATE delivery SET folder = 'INBOX', uid = 4711")
    ledger.commit()
    ledger.close()
    rig.run("resume", *BY)
    rig.once()
    rig.once()
    assert rig.uids("Aside") == {} and len(rig.json("cases")) == 1 and len(rig.acknowledgements()) == 1
    assert len(rig.uids("Processed")) == 1 and rig.uids() == {}


# ---- too large -----------------------------------------------------------------------------------------------


def test_a_mail_that_is_held_for_its_size_is_fetched_and_read_with_the_larger_limit(rig):
    rig.mailbox["max_message_size"] = "10KB"
    message = composed("large")
    message.add_attachment(b"a,b\r\n" * 10000, maintype="application", subtype="octet-stream", filename="figures.bin")
    rig.deliver(message.as_bytes(), plain("small"))
    assert rig.once()["needs_reconciliation"] == 1
    item, = rig.items("--state", "needs_reconciliation")
    assert item["reason"] == "oversize"
    retry = ("resolve", item["key"], "--unprocessable", "retry", *BY)
    rig.run(*retry, "--max-size", "20KB", status=64)
    rig.run(*retry, "--max-size", "many", status=64)
    assert rig.items("--state", "needs_reconciliation")[0]["reason"] == "oversize"
    rig.run(*retry, "--max-size", "1MB")
    rig.once()
    whole = rig.json("item", item["key"])
    assert whole["state"] == "complete" and len(rig.acknowledgements()) == 2
    attachment, = rig.json("case", whole["case"])["attachments"]
    assert (rig.data / attachment["path"]).read_bytes() == b"a,b\r\n" * 10000
    assert rig.item_of(rig.delivered[0])["key"] == item["key"]
    rig.run("verify")
    assert_invariants(rig)
    other, = (i for i in rig.items() if i["key"] != item["key"])
    assert "is complete" in rig.run("resolve", other["key"], "--unprocessable", "retry", "--max-size", "1MB", *BY, status=1).stderr
