# SPDX-License-Identifier: Apache-2.0
"""Cases at a help desk over HTTP: one each, whatever it answers, and however it dies. Rows D01-D09, C05."""
import contextlib
import json
import re
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from desk import Desk
from mails import TEXT, head, multipart, part, plain, raw, with_parts
from rig import assert_invariants, await_, effects
from token_endpoint import TokenEndpoint

GUARANTEES = {
    "unique-key": dict(unique="key"),
    "idempotency-key": dict(unique="idempotency"),
    "conditional": dict(unique=""),
    "none": dict(unique=""),
}


def shape(method, path, **more):
    return {"method": method, "path": path, "id": "/case/id", "key": "/case/key", **more}


def settings_of(desk, guarantee="unique-key", **more):
    body = '{"key": "{{key}}", "subject": "{{subject}}", "from": "{{from}}", "reference": "{{reference}}"}'
    create = shape("PUT", "/cases/{{key}}", body=body) if guarantee == "conditional" else shape("POST", "/cases", body=body)
    return {"name": "desk", "url": desk.url, "guarantee": guarantee, "timeout": "1s", "settle": "1s",
            "create": create, "find": shape("GET", "/cases?key={{key}}"), **more}


def use(rig, desk, **more):
    rig.settings["case"] = {"destination": "desk"}
    rig.settings["destinations"] = [settings_of(desk, **more)]


@pytest.fixture
def at_desk(rig):
    """A rig whose cases go to a desk of its own."""
    with Desk() as desk:
        use(rig, desk)
        yield rig, desk


def case_step(rig, item):
    return next(e for e in effects(rig.json("item", item["key"]), "case") if e["target"] == "desk")


def once_until_done(rig, count, seconds=20):
    """Runs until every mail is complete or waits for a person."""
    def settled():
        rig.once()
        return all(i["state"] in ("complete", "needs_reconciliation") for i in rig.items()) and len(rig.items()) == count
    await_(settled, "all settled", seconds)


def assert_one_case_each(rig, desk, count):
    keys = [case["key"] for case in desk.cases]
    assert sorted(keys) == sorted(item["key"] for item in rig.items()) and len(keys) == count
    for item in rig.items():
        step = case_step(rig, item)
        assert (step["status"], step["external_id"]) == ("done", desk.of(item["key"])[0]["id"])
    assert len(rig.acknowledgements()) == count


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_each_mail_is_one_case_there_before_its_acknowledgement(rig, guarantee):
    with Desk(**GUARANTEES[guarantee]) as desk:
        use(rig, desk, guarantee=guarantee)
        mails = [plain(f"desk {n}") for n in range(3)]
        rig.deliver(*mails, mails[0])
        rig.once()
        assert_one_case_each(rig, desk, 3)
        made = [request for request in desk.requests if request[0] != "GET"]
        assert len({headers["Idempotency-Key"] for _, _, headers, _ in made}) == 3
        assert all(headers["X-Correlation-Id"] for _, _, headers, _ in made)
        assert all((h.get("If-None-Match") == "*") == (guarantee == "conditional") for _, _, h, _ in made)
        assert all(case["from"] and case["subject"] and case["reference"].startswith("HD-") for case in desk.cases)
        # What libcurl would send again by itself over a kept connection goes over one of its own, where that counts.
        assert (max(desk.turns) == 1) == (guarantee in ("none", "unique-key"))
    assert_invariants(rig)


def test_D01_a_desk_that_is_down_delays_cases_there_and_nothing_else(at_desk):
    rig, desk = at_desk
    desk.stop()
    rig.deliver(*(plain(f"down {n}") for n in range(3)))
    rig.once()
    assert len(rig.json("cases")) == 3 and not rig.acknowledgements()
    assert {case_step(rig, i)["status"] for i in rig.items()} <= {"deferred", "planned"}
    assert len(rig.uids()) == 3
    desk.start()
    once_until_done(rig, 3)
    assert_one_case_each(rig, desk, 3)
    assert_invariants(rig)


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("fault", ["stall", "drop after", "half"], ids=["D02 no answer in time", "D03 the answer is lost", "D03 half an answer"])
def test_what_is_not_known_is_looked_up_and_there_is_one_case(rig, guarantee, fault):
    with Desk(**GUARANTEES[guarantee]) as desk:
        use(rig, desk, guarantee=guarantee)
        desk.faults = [fault]
        rig.deliver(plain("unknown"))
        once_until_done(rig, 1)
        assert_one_case_each(rig, desk, 1)
        assert [request[0] for request in desk.requests].count("GET") == 1
    assert_invariants(rig)


def test_D02_a_request_that_was_never_seen_is_sent_again(at_desk):
    rig, desk = at_desk
    desk.faults = ["drop before"]
    rig.deliver(plain("never seen"))
    once_until_done(rig, 1)
    assert_one_case_each(rig, desk, 1)


def test_D04_too_many_is_tried_when_the_desk_says(at_desk):
    rig, desk = at_desk
    desk.faults = [429]
    rig.deliver(plain("too many"))
    rig.once()
    assert case_step(rig, rig.items()[0])["status"] == "deferred"
    once_until_done(rig, 1)
    assert_one_case_each(rig, desk, 1)


@pytest.mark.parametrize("guarantee", ["unique-key", "conditional"])
def test_D05_a_case_that_is_there_already_is_adopted(rig, guarantee):
    with Desk(**GUARANTEES[guarantee]) as desk:
        use(rig, desk, guarantee=guarantee)
        rig.deliver(plain("there already"))
        rig.run("pause", "--effect", "case", "--by", "anna", "--reason", "another is at it")
        rig.once()
        key = rig.items()[0]["key"]
        desk.make(key, {"subject": "made by another"})
        rig.run("resume", "--by", "anna", "--reason", "done")
        once_until_done(rig, 1)
        step = case_step(rig, rig.items()[0])
        assert (step["status"], step["external_id"], step["reason"]) == ("done", "T-1", "adopted")
        assert len(desk.cases) == 1 and len(rig.acknowledgements()) == 1
        assert rig.json("report", "duplicates")["totals"]["found_at_destination"] == 1
        row, = rig.json("report", "duplicates", "--rows", "found_at_destination")
        assert (row["key"], row["what"]) == (key, "case-found")


@pytest.mark.parametrize("fault", ["page", "other key"], ids=["D06 a page", "D07 the case of another key"])
def test_an_answer_that_was_not_agreed_waits_for_a_person(at_desk, fault):
    rig, desk = at_desk
    desk.faults = [fault]
    rig.deliver(plain("strange"))
    once_until_done(rig, 1)
    item = rig.items()[0]
    assert (item["state"], item["reason"]) == ("needs_reconciliation", "case-unknown")
    assert not rig.acknowledgements() and len(desk.cases) == 1
    rig.run("resolve", item["key"], "--case", "made", "T-1", "--by", "anna", "--reason", "seen at the desk")
    once_until_done(rig, 1)
    assert case_step(rig, item)["external_id"] == "T-1"
    assert len(desk.cases) == 1 and len(rig.acknowledgements()) == 1


def test_D07_a_look_up_that_finds_the_case_of_another_key_is_not_believed(at_desk):
    rig, desk = at_desk
    desk.faults, desk.find_faults = ["drop after"], ["other key"]
    rig.deliver(plain("another's"))
    once_until_done(rig, 1)
    assert rig.items()[0]["state"] == "needs_reconciliation"
    assert len(desk.cases) == 1 and not rig.acknowledgements()


def test_D08_a_token_that_has_expired_is_read_again_once(rig):
    with Desk(tokens=["Bearer new"]) as desk:
        token = rig.folder / "token"
        token.write_text("Bearer old\n")
        token.chmod(0o600)
        use(rig, desk, authorization_file=str(token))
        rig.deliver(plain("token"))
        rig.once()
        step = case_step(rig, rig.items()[0])
        assert step["status"] == "deferred" and not desk.cases
        assert [r[2]["Authorization"] for r in desk.requests] == ["Bearer old"] * 2
        service = rig.serve()
        await_(lambda: len(desk.requests) > 2, "another try")
        token.write_text("Bearer new\n")
        await_(lambda: desk.cases, "the new token")
        await_(rig.acknowledgements, "the acknowledgement")
        service.end()
        assert_one_case_each(rig, desk, 1)
        assert "Bearer" not in rig.said and not any("Bearer" in line for line in service.log)


def test_D08_a_token_of_oauth_that_is_good_no_longer_is_fetched_again(rig):
    certificate, key = rig.servers.authority.issue("token endpoint")
    with TokenEndpoint(certificate, key) as endpoint, Desk() as desk:
        secret = rig.folder / "client.secret"
        secret.write_text("a-secret\n")
        secret.chmod(0o600)
        use(rig, desk, ca_file=str(rig.servers.authority.file),
            oauth={"token_url": endpoint.url, "client_id": "onecase", "client_secret_file": str(secret)})
        service = rig.serve()
        rig.deliver(plain("first"))
        await_(lambda: len(desk.cases) == 1, "a case by the first token")
        desk.tokens = {"Bearer another"}  # the one that it has is good no longer
        endpoint.turns.append((200, {}, {"access_token": "another", "expires_in": 3600, "token_type": "Bearer"}))
        rig.deliver(plain("second"))
        await_(lambda: len(desk.cases) == 2, "a case by another token")
        await_(lambda: len(rig.acknowledgements()) == 2, "both are told")
        service.end()
        assert len(endpoint.forms) == 2 and endpoint.forms[0]["grant_type"] == "client_credentials"
        assert not any("Bearer" in line or "a-secret" in line for line in service.log)
        assert_one_case_each(rig, desk, 2)


def test_D09_a_case_that_shows_late_is_not_made_twice(rig):
    """Nothing is guaranteed, so a look-up that finds nothing proves nothing."""
    with Desk(unique="") as desk:
        use(rig, desk, guarantee="none", settle="10s")
        desk.faults, desk.hidden_for = ["drop after"], 2
        rig.deliver(plain("late"))
        once_until_done(rig, 1)
        assert_one_case_each(rig, desk, 1)
    assert_invariants(rig)


def test_D09_where_nothing_is_guaranteed_and_nothing_found_a_person_decides(rig):
    with Desk(unique="") as desk:
        use(rig, desk, guarantee="none", settle="0s")
        desk.faults, desk.hidden_for = ["drop after"], 3600
        rig.deliver(plain("never shows"))
        once_until_done(rig, 1)
        item = rig.items()[0]
        assert (item["state"], item["reason"]) == ("needs_reconciliation", "case-unknown")
        assert len(desk.cases) == 1 and not rig.acknowledgements()


def test_a_refusal_waits_for_a_person_and_not_made_makes_it(at_desk):
    rig, desk = at_desk
    desk.faults = [422]
    rig.deliver(plain("refused"))
    once_until_done(rig, 1)
    item = rig.items()[0]
    assert (item["state"], item["reason"]) == ("needs_reconciliation", "case-refused")
    rig.run("resolve", item["key"], "--case", "not-made", "--by", "anna", "--reason", "the field is there now")
    once_until_done(rig, 1)
    assert_one_case_each(rig, desk, 1)


def decide(rig, mail, *words):
    rig.run("resolve", rig.item_of(mail)["key"], *words, "--by", "anna", "--reason", "the desk was replaced")


def broke_long_before(rig, mail):
    key = rig.item_of(mail)["key"]
    with sqlite3.connect(rig.data / "ledger.db") as ledger:
        ledger.execute("UPDATE item SET created_at = created_at - 600000 WHERE key = ?", (key,))
        ledger.execute("UPDATE attempt SET started_at = started_at - 600000, run = (SELECT run FROM delivery WHERE key = ?)"
                       " WHERE effect IN (SELECT id FROM effect WHERE key = ?)", (key, key))


def test_K09_what_was_planned_for_a_desk_that_is_configured_no_longer_waits_in_sight(rig):
    """The plan stands: its case is made there once it is configured again, or none is, by a person's word."""
    with Desk() as desk:
        everything(rig, desk)
        desk.faults = [503] * 3
        again, without, there, earlier = with_parts("again", PDF), with_parts("without", PDF), plain("there"), plain("earlier")
        rig.deliver(earlier)
        rig.once()
        rig.deliver(again, without, there)
        rig.once()
        broke_long_before(rig, earlier)
        desks, rig.settings["case"] = rig.settings.pop("destinations"), {"destination": "ledger"}
        once_until_done(rig, 4)
        assert {i["reason"] for i in rig.items()} == {"destination-gone"} and not rig.acknowledgements()
        assert rig.status()["waiting"] == {"destination-gone": 4}
        said = " ".join(rig.run("doctor", status=None).stdout.split())
        assert "desk: 4 steps wait for it, and case.destination is another now" in said
        assert "4" in rig.run("check", status=1).stdout
        told = rig.run("item", rig.item_of(again)["key"]).stdout
        assert "configured no longer" in told and "--case none" in told and "--case not-made" in told
        decide(rig, without, "--case", "none")
        decide(rig, there, "--case", "made", "T-77")
        once_until_done(rig, 4)
        assert len(rig.acknowledgements()) == 2 and not desk.cases
        steps = {(e["kind"], e["target"]): (e["status"], e["reason"]) for e in rig.json("item", rig.item_of(without)["key"])["effects"]}
        assert steps["case", "desk"] == ("skipped", "said-none-there")
        assert steps["attachment", "desk/01-report.pdf"] == ("skipped", "not-configured")
        rig.settings |= {"destinations": desks, "case": {"destination": "desk"}}
        decide(rig, again, "--case", "not-made", "--all-like")
        once_until_done(rig, 4)
        assert sorted(len(case["files"]) for case in desk.cases) == [0, 1] and len(rig.acknowledgements()) == 4
        assert "case.destination is another" not in rig.run("doctor", status=None).stdout
    assert_invariants(rig)


def test_a_refusal_may_be_the_end_of_it(at_desk):
    rig, desk = at_desk
    desk.faults = [422]
    refused = plain("refused")
    rig.deliver(refused)
    once_until_done(rig, 1)
    decide(rig, refused, "--case", "none")
    once_until_done(rig, 1)
    assert rig.items()[0]["state"] == "complete" and not desk.cases and len(rig.acknowledgements()) == 1


def test_a_desk_that_hangs_is_left_alone(at_desk):
    """Only a probe at a time may come to be unknown."""
    rig, desk = at_desk
    desk.faults = ["stall"] * 3
    rig.deliver(*(plain(f"hangs {n}") for n in range(6)))
    rig.once()
    assert len([r for r in desk.requests if r[0] == "POST"]) == 1
    once_until_done(rig, 6, 40)
    assert_one_case_each(rig, desk, 6)


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_C05_killed_while_the_desk_makes_cases_there_is_one_each(rig, guarantee):
    with Desk(**GUARANTEES[guarantee]) as desk:
        use(rig, desk, guarantee=guarantee, settle="5s")
        rig.deliver(*(plain(f"killed {n}") for n in range(20)))
        for round_ in range(1, 6):
            service = rig.serve()
            with contextlib.suppress(AssertionError):
                await_(lambda n=round_: len(desk.cases) >= 3 * n, "some cases", 10)
            service.end(signal.SIGKILL)
            time.sleep(0.05)
        once_until_done(rig, 20, 40)
        assert_one_case_each(rig, desk, 20)
    assert_invariants(rig, killed=True)


# ---- replies, files, the end of a case ---------------------------------------------------------------

NOTE = {"method": "POST", "path": "/cases/{{id}}/notes", "body": '{"text": "{{text}}", "ref": "{{effect}}"}', "id": "/id"}
NOTES = {"method": "GET", "path": "/cases/{{id}}/notes", "list": "/items", "id": "/id", "key": "/ref"}
FILES = {"method": "GET", "path": "/cases/{{id}}/files", "list": "/items", "id": "/id", "key": "/name", "sha256": "/sha256"}
UPLOADS = {
    "base64": {"method": "POST", "path": "/cases/{{id}}/files", "id": "/id",
               "body": '{"name": "{{file}}", "note": "of {{subject}}", "data": "{{content}}"}'},
    "form": {"method": "POST", "path": "/cases/{{id}}/files", "id": "/id", "upload": "form", "body": '{"note": "of {{subject}}"}'},
    "raw": {"method": "PUT", "path": "/cases/{{id}}/files/{{file}}", "id": "/id", "upload": "raw"},
}
CLOSE = {"method": "PATCH", "path": "/cases/{{id}}", "body": '{"state": "closed"}'}
REMOVE = {"method": "DELETE", "path": "/cases/{{id}}"}
PDF = part('attachment; filename="report.pdf"', b"%PDF-1.4 " + bytes(range(256)) * 400)
ODD = part("attachment; filename*=UTF-8''content-goes-here-0.%22%2A%C3%A4.txt", b"content-goes-here-0.", "text/plain")


def everything(rig, desk, upload="base64", **more):
    use(rig, desk, append=NOTE, appended=NOTES, attach=UPLOADS[upload], attached=FILES, close=CLOSE, **more)


def step_at(rig, item, kind, target):
    return next(e for e in effects(rig.json("item", item["key"]), kind) if e["target"] == target)


def reply_to(first, name, *parts):
    """By the same sender, to that mail."""
    wanted = {key: re.search(rf"^{key}: (.*?)\r$".encode(), first, re.M)[1].decode() for key in ("From", "Message-ID")}
    fields, body = multipart("mixed", [TEXT, *parts])
    return raw(head(name, From=wanted["From"], In_Reply_To=wanted["Message-ID"], **fields), body)


@pytest.mark.parametrize("upload", UPLOADS)
def test_files_are_at_the_desk_as_they_came_before_the_acknowledgement(rig, upload):
    with Desk() as desk:
        everything(rig, desk, upload)
        rig.deliver(with_parts("files", PDF, ODD))
        once_until_done(rig, 1)
        files, item = desk.cases[0]["files"], rig.items()[0]
        kept = {a["path"].rsplit("/", 1)[1]: a["sha256"] for a in rig.json("cases")[0]["attachments"]}
        assert {f["name"]: f["sha256"] for f in files} == kept and len(files) == 2
        assert len(rig.acknowledgements()) == 1 and item["completion_state"] == "accepted"
        for name in kept:
            assert step_at(rig, item, "attachment", f"desk/{name}")["status"] == "done"
        assert all(f.get("note", "of files").startswith("of ") for f in files)
    assert_invariants(rig)


def test_a_reply_and_its_file_go_to_the_case_that_is_there(rig):
    with Desk() as desk:
        everything(rig, desk)
        first = plain("talk")
        rig.deliver(first)
        once_until_done(rig, 1)
        rig.deliver(reply_to(first, "answer", PDF))
        once_until_done(rig, 2)
        assert len(desk.cases) == 1
        [note], [file] = desk.cases[0]["notes"], desk.cases[0]["files"]
        assert "look at this" in note["text"] and file["name"] == "01-report.pdf"
        reply = next(i for i in rig.items() if i["disposition"] == "append")
        assert step_at(rig, reply, "case", "desk")["external_id"] == "1"
        assert step_at(rig, reply, "attachment", "desk/01-report.pdf")["status"] == "done"
        taken_back = {item["disposition"]: rig.run("item", item["key"]).stdout for item in rig.items()}
        assert "desk: a person can take it back, with 'case --withdraw'" in taken_back["case"]
        assert "desk: cannot be taken back" in taken_back["append"]
        assert "desk/01-report.pdf: is taken back with its case only" in taken_back["append"]
    assert_invariants(rig)


def test_a_reply_waits_until_its_case_is_there(rig):
    with Desk() as desk:
        everything(rig, desk)
        desk.stop()
        first = plain("early")
        rig.deliver(first)
        rig.once()
        rig.deliver(reply_to(first, "soon"))
        rig.once()
        assert [i["disposition"] for i in rig.items()] == ["append", "case"]
        desk.start()
        once_until_done(rig, 2, 40)
        assert len(desk.cases) == 1 and len(desk.cases[0]["notes"]) == 1


@pytest.mark.parametrize("fault", ["drop after", "drop before"], ids=["D03 the answer is lost", "D02 never seen"])
@pytest.mark.parametrize("what", ["note", "file"])
def test_what_is_not_known_of_a_note_or_file_is_looked_up(rig, what, fault):
    with Desk() as desk:
        everything(rig, desk, settle="2s" if fault == "drop after" else "0s")
        first = plain("doubt")
        rig.deliver(first)
        once_until_done(rig, 1)
        desk.add_faults = [fault] if what == "note" else [None, fault]
        rig.deliver(reply_to(first, "doubtful", PDF))
        once_until_done(rig, 2)
        reply = next(i for i in rig.items() if i["disposition"] == "append")
        case = desk.cases[0]
        if fault == "drop before":  # nothing is guaranteed, so that what is not found waits for a person
            assert (reply["state"], reply["reason"]) == ("needs_reconciliation", "case-unknown")
            asked = " ".join(rig.run("item", reply["key"]).stdout.split())
            assert ("Was the reply added" if what == "note" else "Is the file at its destination?") in asked
            assert "--case not-made" in asked and f"the {'reply is added' if what == 'note' else 'file is sent'} there" in asked
            rig.run("resolve", reply["key"], "--case", "not-made", "--by", "anna", "--reason", "it is not there")
            once_until_done(rig, 2)
        assert (len(case["notes"]), len(case["files"])) == (1, 1)
        assert all(i["state"] == "complete" for i in rig.items())
    assert_invariants(rig)


def test_where_a_repeated_key_is_answered_as_before_nobody_is_asked(rig):
    with Desk(unique="idempotency") as desk:
        everything(rig, desk, guarantee="idempotency-key")
        desk.add_faults = ["drop before"]
        rig.deliver(with_parts("again", PDF))
        once_until_done(rig, 1)
        sent = [h["Idempotency-Key"] for m, p, h, _ in desk.requests if m == "POST" and p.endswith("/files")]
        assert len(sent) == 2 and len(set(sent)) == 1
        assert rig.items()[0]["state"] == "complete" and len(desk.cases[0]["files"]) == 1


def test_a_file_that_is_there_already_is_taken_over(rig):
    with Desk() as desk:
        everything(rig, desk, "raw")
        rig.settings["destinations"][0]["attach"] = {**UPLOADS["raw"], "guarantee": "conditional"}
        desk.add_faults, desk.list_faults = ["drop after"], [503]
        rig.deliver(with_parts("twice", PDF))
        once_until_done(rig, 1)
        assert len(desk.cases[0]["files"]) == 1 and rig.items()[0]["state"] == "complete"


@pytest.mark.parametrize("how", ["digest", "whole"])
def test_a_file_that_stands_there_otherwise_waits_for_a_person(rig, how):
    with Desk() as desk:
        whole = {"method": "GET", "path": "/cases/{{id}}/files/{{file}}", "whole": True}
        everything(rig, desk, "raw")
        if how == "whole":
            rig.settings["destinations"][0]["attached"] = whole
        rig.deliver(with_parts("good", PDF))
        once_until_done(rig, 1)
        assert rig.items()[0]["state"] == "complete"
        desk.list_faults = ["other"]
        rig.deliver(with_parts("bad", PDF))
        once_until_done(rig, 2)
        assert sorted(i["state"] for i in rig.items()) == ["complete", "needs_reconciliation"]
        assert len(rig.acknowledgements()) == 1


def test_a_file_that_is_too_large_for_the_desk_is_an_exception(rig):
    with Desk() as desk:
        everything(rig, desk)
        desk.room = 1000
        rig.deliver(with_parts("large", PDF, ODD))
        once_until_done(rig, 1)
        item = rig.items()[0]
        step = step_at(rig, item, "attachment", "desk/01-report.pdf")
        assert (step["status"], step["reason"]) == ("refused", "destination")
        assert (item["state"], item["completion_state"]) == ("complete", "accepted_with_exceptions")
        assert [f["name"][:3] for f in desk.cases[0]["files"]] == ["02-"]
    assert_invariants(rig)


def close(rig, *words, **more):
    reference = rig.json("cases")[0]["reference"]
    return rig.run("case", reference, *words, "--by", "anna", "--reason", "solved", **more).stdout


def closings(rig):
    item = rig.json("item", rig.items()[0]["key"])
    return [(e["target"], e["status"]) for e in effects(item, "case") if "/" in e["target"]]


@pytest.mark.parametrize("fault", [None, "drop after", "drop before"])
def test_a_case_that_is_closed_here_is_closed_there_before_its_sender_is_told(rig, fault):
    with Desk() as desk:
        everything(rig, desk)
        rig.settings["acknowledgement"]["templates"] = {"closed": "closed.txt"}
        rig.deliver(plain("closed"))
        once_until_done(rig, 1)
        assert "closed at desk" in close(rig, "--close")
        desk.add_faults = [503, fault]
        rig.once()
        assert len(rig.acknowledgements()) == 1
        once_until_done(rig, 1)
        assert desk.cases[0]["state"] == "closed" and closings(rig) == [("desk/closed", "done")]
        assert len(rig.acknowledgements()) == 2
        close(rig, "--reopen")
        desk.cases[0]["state"] = "open"
        close(rig, "--close")
        once_until_done(rig, 1)
        assert desk.cases[0]["state"] == "closed" and len(closings(rig)) == 2
        assert len(rig.acknowledgements()) == 2


def test_a_closing_that_is_refused_asks_about_the_closing(rig):
    with Desk() as desk:
        everything(rig, desk)
        rig.deliver(plain("not closed"))
        once_until_done(rig, 1)
        desk.add_faults = [409]
        close(rig, "--close")
        once_until_done(rig, 1)
        key = rig.items()[0]["key"]
        asked = " ".join(rig.run("item", key).stdout.split())
        for words in ("The destination refused to close the case.", "--case made it counts as closed there",
                      "--case not-made closing it there is tried again", "--case none it is not closed there"):
            assert words in asked, asked
        said = rig.run("resolve", key, "--case", "made", "--by", "anna", "--reason", "it was closed by hand").stdout
        assert "What follows: it counts as closed there" in said and "Recorded: it is done there." in said
        once_until_done(rig, 1)
        assert closings(rig) == [("desk/closed", "done")] and rig.items()[0]["state"] == "complete"


def test_a_case_is_taken_away_there_only_by_a_persons_decision_and_gets_no_more(rig):
    with Desk() as desk:
        everything(rig, desk, remove=REMOVE)
        first = plain("unwanted")
        rig.deliver(first)
        once_until_done(rig, 1)
        close(rig, "--withdraw")
        desk.add_faults = ["drop after"]  # gone, and nobody heard it
        once_until_done(rig, 1)
        assert not desk.cases and closings(rig) == [("desk/removed", "done")]
        assert rig.json("report", "decisions")[0]["decision"] == "case-withdraw"
        close(rig, "--withdraw", status=1)
        rig.deliver(reply_to(first, "late"))
        once_until_done(rig, 2)
        reply = next(i for i in rig.items() if i["disposition"] == "append")
        step = step_at(rig, reply, "case", "desk")
        assert (reply["state"], step["status"], step["reason"]) == ("complete", "skipped", "not-there")


def test_no_more_is_asked_in_a_minute_than_is_allowed(at_desk):
    rig, desk = at_desk
    rig.settings["destinations"][0]["rate"] = 5
    rig.deliver(*(plain(f"rated {n}") for n in range(3)))
    rig.once()
    rig.once()
    assert len(desk.requests) == 1
    assert [i["state"] for i in rig.items()].count("complete") == 1


def test_after_an_outage_cases_are_made_in_the_order_of_their_mails(at_desk):
    rig, desk = at_desk
    desk.faults = [503] * 2
    for n in range(4):
        rig.deliver(plain(f"order{n}"))
        rig.once()
    once_until_done(rig, 4, 40)
    assert [case["from"].split(".")[0] for case in desk.cases] == [f"order{n}" for n in range(4)]


@pytest.mark.parametrize("request_, part, value, why", [
    ("create", "body", '{"key": "{{kye}}"}', "kye"),
    ("create", "path", "/cases/{{id}}", "id"),
    ("find", "id", "case", "JSON pointer"),
    ("append", "headers", ["X-No-Value"], "Name: value"),
    ("appended", "key", "", "members of the list"),
    ("attach", "body", '{"name": "{{file}}"}', "{{content}}"),
    ("attached", "sha256", "sum", "JSON pointer"),
    ("close", "done", ["abc"], "404"),
])
def test_what_is_wrong_with_a_request_is_told_with_its_line_before_anything_runs(at_desk, request_, part, value, why):
    rig, desk = at_desk
    everything(rig, desk)
    rig.settings["destinations"][0][request_] = {**rig.settings["destinations"][0][request_], part: value}
    done = rig.run("run", "--once", status=None)
    said = done.stderr
    assert done.returncode == 78, said
    place = re.search(r":(\d+):\d+: (?:destination desk, |)", said)
    line = rig.config.read_text().splitlines()[int(place[1]) - 1]
    assert why in said and (part in line or part in said), (line, said)


def trial(rig, status=0):
    return json.loads(rig.run("destination", "test", "desk", "--json", status=status).stdout)


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_marked_case_goes_the_whole_way_and_is_taken_away(rig, guarantee):
    with Desk(**GUARANTEES[guarantee]) as desk:
        everything(rig, desk, guarantee=guarantee, remove=REMOVE)
        found = trial(rig)
        assert all(f["finding"] == "good" for f in found) and not desk.cases
        made = [r for r in desk.requests if r[1] == "/cases" or r[0] == "PUT"]
        assert len(made) == (1 if guarantee == "none" else 2)
        assert {r[0] for r in desk.requests} >= {"GET", "PATCH", "DELETE"}


@pytest.mark.parametrize("wrong, told", [
    (("create", "id", "/ticket/id"), ["create)", "nothing at `id` /ticket/id", "{case: {id: text, key: text}}"]),
    (("find", "key", "/case/none"), ["find)", "nothing at `key` /case/none", "{case: {id: text, key: text}}"]),
    (("read", "key", "/case/none"), ["read)", "nothing at `key` /case/none"]),
    (("append", "path", "/cases/none/notes"), ["append)", "status 404", "path may be wrong"]),
])
def test_what_is_not_as_configured_is_told_with_its_line_and_the_answers_shape(rig, wrong, told):
    with Desk() as desk:
        request, part, value = wrong
        everything(rig, desk, remove=REMOVE, read=shape("GET", "/cases/{{id}}"))
        rig.settings["destinations"][0][request] = {**rig.settings["destinations"][0][request], part: value}
        findings = trial(rig, 1)
        left = any("a test case may stand there" in f["what"] for f in findings)
        assert left == (part in ("id", "key") and request in ("create", "read")), findings
        bad = " ".join(f["what"] + " " + f["mend"] for f in findings if f["finding"] == "bad")
        assert all(text in bad for text in told), bad
        line = int(re.search(r"\.yaml:(\d+) ", bad)[1])
        assert "path" in rig.config.read_text().splitlines()[line - 1] and desk.url not in bad and "T-1" not in bad


SHIPPED = Path(__file__).resolve().parents[2] / "config" / "destinations"


@pytest.mark.parametrize("name", ["generic-put", "generic-post"])
def test_what_comes_with_the_program_works_as_it_is(rig, name):
    """Only the address and the sign-in are another."""
    with Desk(unique="idempotency" if name == "generic-post" else "", flat=True, tokens=["Bearer x"]) as desk:
        token = rig.folder / "token"
        token.write_text("Bearer x\n")
        text = (SHIPPED / f"{name}.yaml").read_text()
        text = text.replace("https://desk.example.org/api", desk.url).replace("/etc/onecase/desk.authorization", str(token))
        rig.settings["case"] = {"destination": "desk"}
        rig.write()
        with rig.config.open("a") as config:
            config.write(text)
        rig.write = lambda: None  # the file stays as it is written now
        found = trial(rig)
        assert all(f["finding"] == "good" for f in found) and len(found) >= 9, found
        assert not desk.cases
        first = with_parts("shipped", PDF)
        rig.deliver(first)
        once_until_done(rig, 1)
        rig.deliver(reply_to(first, "shipped reply", ODD))
        once_until_done(rig, 2)
        [case] = desk.cases
        assert (len(case["notes"]), len(case["files"])) == (1, 2)


def test_a_guarantee_that_is_not_kept_is_told(rig):
    with Desk(unique="") as desk:
        everything(rig, desk, guarantee="unique-key", remove=REMOVE)
        assert any("second case" in f["what"] for f in trial(rig, 1) if f["finding"] == "bad")


def test_doctor_says_what_is_guaranteed_and_what_reconcile_means(at_desk):
    rig, _ = at_desk
    said = rig.run("doctor", status=None).stdout
    assert "refuses a second case of the same key" in " ".join(said.split())
    first = rig.settings["destinations"][0]
    del first["find"]
    first.update(guarantee="none")
    assert "reconcile" in rig.run("doctor", status=78).stderr
    first.update(unknown="reconcile")
    rig.settings["case"] = {"destination": "ledger"}
    said = " ".join(rig.run("doctor", status=None).stdout.split())
    assert "a person decides each time (unknown: reconcile)" in said and "desk: no case goes there" in said
