# SPDX-License-Identifier: Apache-2.0
"""What persons do at the console, and what the terminal then says of it."""
import html
import json
import re
import sqlite3
import time
import urllib.parse

from conftest import new_desk

DOUBT = "HD-7PP1307J"


def item(desk, name):
    return json.loads(desk.run("item", name, "--json").stdout)


def conflict_of(desk):
    return desk.sql("SELECT substr(key, 1, 12) FROM item WHERE reason = 'conflict'")[0][0]


def test_a_doubt_is_settled_and_the_next_who_answers_reads_by_whom(desk):
    ann, bob = desk.visitor("operator"), desk.visitor("owner")
    assert ann.post(f"/mail/{DOUBT}/decide", decision="acknowledgement-sent", reason="It is in Sent.").status == 303
    said = item(desk, DOUBT)
    assert said["approval_list"][-1]["by"] == "operator (console)" and said["approval_list"][-1]["reason"] == "It is in Sent."
    late = bob.post(f"/mail/{DOUBT}/decide", decision="acknowledgement-not-sent", reason="I typed <this>.")
    assert late.status == 409
    text = html.unescape(late.text)
    assert "'it was sent' was decided by operator (console)" in text and "I typed <this>." in text
    assert len(item(desk, DOUBT)["approval_list"]) == len(said["approval_list"])
    assert ann.post(f"/mail/{DOUBT}/decide", decision="undo", reason="I was wrong.").status == 303
    assert item(desk, DOUBT)["state"] == "needs_reconciliation"


def test_a_form_that_fails_keeps_what_was_typed(desk):
    ann = desk.visitor("operator")
    for form, why in (({"decision": "acknowledgement-sent", "reason": "   "}, "Say why"),
                      ({"decision": "no-such", "reason": "kept <b>"}, "Choose one of the answers"),
                      ({"decision": "conflict-append", "reason": "kept <b>"}, "does not fit any more")):
        answer = ann.post(f"/mail/{DOUBT}/decide", **form)
        assert answer.status in (400, 409) and why in answer.text
        assert "kept &lt;b&gt;" in answer.text or not form["reason"].strip()
    assert item(desk, DOUBT)["approval_list"] == []


def test_a_conflict_stands_side_by_side_with_what_differs_marked(desk):
    ann, name = desk.visitor("operator"), conflict_of(desk)
    page = html.unescape(ann.get(f"/mail/{name}").text)
    assert "<mark>carl@example.net</mark>" in page and "<mark>Lunch?</mark>" in page
    assert "it comes from somebody else" in page
    assert ann.post(f"/mail/{name}/decide", decision="conflict-dismiss", reason="the same").status == 303
    assert item(desk, name)["disposition"] == "dismissed"


def test_a_dead_letter_of_a_webhook_is_sent_again_with_a_reason(desk):
    ann, bob = desk.visitor("operator"), desk.visitor("viewer")
    desk.sql("INSERT INTO webhook (name, read_to) VALUES ('chat', 0)")
    desk.sql("INSERT INTO webhook_outbox (message_id, webhook, key, event, type, reason, status, why, attempts, created_at,"
             " ended_at) SELECT 'msg_1', 'chat', key, number, 'created', '', 'refused', 'its receiver said 422', 3, 1, 2"
             " FROM event WHERE what = 'reserve' LIMIT 1")
    page = ann.get("/webhooks").text
    assert "its receiver said 422" in page and 'value="msg_1"' in page and "a new case" in page
    assert 'name="post"' not in bob.get("/webhooks").text
    assert ann.post("/webhooks", reason="mended").status == 400
    answer = ann.post("/webhooks", post="msg_1", reason=" ")
    assert answer.status == 400 and re.search(r'value="msg_1"[^>]* checked>', answer.text), "what was chosen stays so"
    answer = ann.post("/webhooks", post="msg_1", reason="the receiver is mended")
    assert answer.status == 303 and answer.to == "/webhooks?said=recorded"
    assert desk.sql("SELECT status FROM webhook_outbox") == [("planned",)]
    assert desk.sql("SELECT text FROM note WHERE text LIKE '%the receiver is mended%'")


def test_who_was_not_told_is_told_in_bulk(desk):
    ann = desk.visitor("operator")
    page = ann.get("/not-told").text
    names = re.findall(r'name="mail" value="([^"]+)"', page)
    assert len(names) == 1
    answer = ann.post("/not-told", mail=names[0], decision="resend-acknowledgement", reason="")
    assert answer.status == 400 and re.search(rf'value="{names[0]}"[^>]* checked>', answer.text), "what was chosen stays so"
    answer = ann.post("/not-told", mail=names[0], decision="resend-acknowledgement", reason="the address works now")
    assert answer.status == 303 and answer.to == "/not-told?said=recorded"
    assert "has been" in ann.get("/not-told").text
    assert item(desk, names[0])["approval_list"][-1]["decision"] == "resend-acknowledgement"


def test_of_many_sent_again_it_is_said_which_were_not_and_why(desk):
    ann = desk.visitor("operator")
    name, = re.findall(r'name="mail" value="([^"]+)"', ann.get("/not-told").text)
    form = [("form_token", ann.token()), ("decision", "resend-acknowledgement"), ("reason", "their server works again")]
    answer = ann.ask("POST", "/not-told", form + [("mail", DOUBT), ("mail", name), ("mail", "HD-00000000")])
    text = html.unescape(answer.text)
    assert answer.status == 409 and "1 of 3 are recorded" in text
    assert re.search(rf'<a href="/mail/{DOUBT}">{DOUBT}</a>: \S', text) and re.search(r'HD-00000000</a>: \S', text)
    assert name not in text, "what is recorded waits here no more"
    assert desk.sql("SELECT COUNT(*) FROM approval WHERE decision = 'resend-acknowledgement'") == [(1,)]


def test_a_case_is_closed_and_opened_again(desk):
    ann = desk.visitor("operator")
    assert ann.post(f"/case/{DOUBT}/act", act="close", reason="solved").status == 303
    assert json.loads(desk.run("case", DOUBT, "--json").stdout)["state"] == "closed"
    assert ann.post(f"/case/{DOUBT}/act", act="close", reason="once more").status == 409
    assert ann.post(f"/case/{DOUBT}/act", act="reopen", reason="not solved").status == 303
    assert ann.post(f"/case/{DOUBT}/act", act="merge", reason="why").status == 400
    assert json.loads(desk.run("case", DOUBT, "--json").stdout)["state"] == "open"


def test_a_pause_stands_until_somebody_ends_it(desk):
    ann = desk.visitor("operator")
    assert ann.post("/pause", mailbox="help", to="pause", reason="").status == 400
    assert ann.post("/pause", mailbox="help", to="pause", reason="the template is wrong").status == 303
    assert [m["paused"] for m in json.loads(desk.run("status", "--json").stdout)["mailboxes"]] == [True, True]
    assert ann.post("/pause", mailbox="help", to="resume", reason="mended").status == 303
    assert ann.post("/pause", mailbox="nobody", to="pause", reason="x").status == 400


def test_a_replay_is_recorded_and_one_of_another_plan_is_not(desk):
    ann = desk.visitor("operator")
    plan = re.search(r'name="plan" value="(\w+)"', ann.get(f"/mail/{DOUBT}").text)[1]
    assert ann.post(f"/mail/{DOUBT}/replay", plan="0" * 64, reason="again").status == 409
    assert ann.post(f"/mail/{DOUBT}/replay", plan=plan, reason="again").status == 303
    assert item(desk, DOUBT)["delivery_list"][-1]["class"] == "replayed"


def plan_in(page):
    return re.search(r'name="plan" value="(\w+)"', page.text)[1]


def replayed(desk):
    return desk.sql("SELECT COUNT(*), COUNT(DISTINCT key) FROM delivery WHERE class = 'replayed'")[0]


def wait_for(true, what):
    until = time.monotonic() + 30
    while not true():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def test_many_are_replayed_by_the_plan_that_was_shown_or_not_at_all(desk):
    ann = desk.visitor("operator")
    chosen = {"state": "needs_reconciliation", "only": "mailbox=help"}
    page = ann.get("/mails/replay?" + urllib.parse.urlencode(chosen))
    told = json.loads(desk.run("replay", "--state", chosen["state"], "--where", chosen["only"], "--json").stdout)
    assert plan_in(page) == told["plan"] and f"Replay these {told['items']}" in page.text
    assert ann.post("/mails/replay", **chosen, plan=plan_in(page), reason=" ").status == 400
    desk.run("resolve", DOUBT, "--acknowledgement", "sent", "--by", "bob", "--reason", "in Sent")
    late = ann.post("/mails/replay", **chosen, plan=plan_in(page), reason="I typed <this>.")
    assert late.status == 409 and "plan has changed" in late.text and "I typed &lt;this&gt;." in late.text
    assert replayed(desk) == (0, 0)
    answer = ann.post("/mails/replay", **chosen, plan=plan_in(late), reason="after an outage")
    count = json.loads(desk.run("replay", "--state", chosen["state"], "--where", chosen["only"], "--json").stdout)["items"]
    wait_for(lambda: "Ended" in ann.get(answer.to).text, "it goes on by itself")
    assert replayed(desk) == (count, count)
    assert desk.sql("SELECT DISTINCT person FROM approval WHERE decision = 'replay'") == [("operator (console)",)]
    assert ann.get("/mails/replay/99").status == 404


MEANT = {"from=ANN@example.com": "lower(sender) = 'ann@example.com'", "domain=EXAMPLE.com": "lower(sender) LIKE '%@example.com'",
         "mailbox=sales": "mailbox = 'sales'", "case=hd-wzdvm6yg": "case_key = (SELECT key FROM case_record WHERE reference = 'HD-WZDVM6YG')"}


def test_of_many_those_are_chosen_that_were_meant_however_many_others_there_are(desk):
    names = [name for _, name, *_ in desk.sql("SELECT * FROM pragma_table_info('item')")]
    row = dict(zip(names, desk.sql("SELECT * FROM item WHERE state = 'complete' AND mailbox = 'help' AND case_key = key LIMIT 1")[0]))
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        for n in range(2001):
            key = f"{n:064x}"
            one = {**row, "key": key, "octets": key, "source_digest": key, "message_id": b"%d" % n, "sender": "x@sub-example.com", "case_key": None,
                   "mailbox": "help" if n else "sales", "number": None}
            db.execute(f"INSERT INTO item ({','.join(one)}) VALUES ({','.join('?' * len(one))})", list(one.values()))
    ann = desk.visitor("operator")
    for only, meant in MEANT.items():
        count = len(desk.sql(f"SELECT 1 FROM item WHERE state = 'complete' AND {meant}"))
        page = ann.get("/mails/replay?" + urllib.parse.urlencode({"state": "complete", "only": only}))
        told = json.loads(desk.run("replay", "--state", "complete", "--where", only, "--json").stdout)
        assert page.status == 200 and re.search(rf"<dt>Mails?</dt><dd>{count}</dd>", page.text), only
        assert told["items"] == count > 0 and plan_in(page) == told["plan"], only
    whole = ann.get("/mails/replay?state=complete")
    assert whole.status == 409 and "More than 2000 mails are chosen" in whole.text and 'name="plan"' not in whole.text


def test_a_replay_of_many_that_was_left_is_gone_on_with_here_or_at_the_terminal(desk):
    ann = desk.visitor("operator")
    keys = [key for key, in desk.sql("SELECT key FROM item WHERE state = 'complete' AND mailbox = 'help' ORDER BY key")]
    for bulk, selection in ((1, "replay complete mailbox=help"), (2, "replay complete mailbox=sales")):
        desk.sql("INSERT INTO bulk (id, selection, resend, person, begun_at) VALUES (?, ?, 0, 'bob', 1)", bulk, selection)
        for key in keys:
            desk.sql("INSERT INTO bulk_item (bulk, key, done_at) VALUES (?, ?, ?)", bulk, key, 1 if key == keys[0] else None)
    page = ann.get("/mails/replay/1").text
    assert "stands still" in ann.get("/mails/replay").text and re.search(rf"<strong>1</strong> of {len(keys)} mails", page) and "Go on" in page
    assert 'href="/mails/replay/1">go on with that one' in ann.get("/mails/replay?state=complete&only=mailbox%3Dhelp").text
    assert replayed(desk) == (0, 0), "nobody said that it goes on"
    assert ann.post("/mails/replay/1", act="go-on").to == "/mails/replay/1"
    wait_for(lambda: "Ended" in ann.get("/mails/replay/1").text, "it goes on where it ended")
    assert replayed(desk) == (len(keys) - 1,) * 2
    said = desk.run("replay", "--state", "complete", "--where", "mailbox=sales", "--approve", "--by", "ann", "--reason", "on").stdout
    assert "Goes on with the replay that bob began" in said and "Ended" in ann.get("/mails/replay/2").text


def test_a_replay_of_many_that_cannot_go_on_says_why_and_loses_nothing(desk):
    ann = desk.visitor("operator")
    desk.sql("INSERT INTO bulk (id, selection, resend, person, begun_at) VALUES (1, 'replay complete', 0, 'bob', 1)")
    desk.sql("INSERT INTO bulk_item (bulk, key) SELECT 1, key FROM item WHERE state = 'complete'")
    desk.sql("CREATE TRIGGER held BEFORE UPDATE ON bulk_item BEGIN SELECT RAISE(ABORT, 'held'); END")
    ann.post("/mails/replay/1", act="go-on")
    wait_for(lambda: "It stopped: " in ann.get("/mails/replay/1").text, "what cannot go on says why")
    assert replayed(desk) == (0, 0), "a mail and the note that it was replayed are one"
    desk.sql("DROP TRIGGER held")
    assert ann.post("/mails/replay/1", act="stop").status == 303
    assert "It stopped: " not in ann.get("/mails/replay/1").text and "Go on" in ann.get("/mails/replay/1").text
    ann.post("/mails/replay/1", act="go-on")
    wait_for(lambda: "Ended" in ann.get("/mails/replay/1").text, "it goes on")


def test_a_replay_takes_two_persons_at_either_front(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path, approval="two-person").start()
    try:
        ann, owner = desk.visitor("operator"), desk.visitor("owner")
        chosen = {"state": "complete", "only": "mailbox=help"}
        form = {**chosen, "plan": plan_in(ann.get("/mails/replay?" + urllib.parse.urlencode(chosen))), "reason": "after an outage"}
        assert ann.post("/mails/replay", **form).to == "/mails/replay?said=proposed"
        again = ann.post("/mails/replay", **form)
        assert again.status == 409 and "You proposed this yourself" in again.text and replayed(desk) == (0, 0)
        queue = html.unescape(owner.get("/queue").text)
        link = re.search(r'href="(/mails/replay\?[^"]+)">look at its plan', queue)[1]
        assert "replay of mails with the state 'complete', to help" in queue and plan_in(owner.get(link)) == form["plan"]
        bulk = owner.post("/mails/replay", **form).to
        wait_for(lambda: "Ended" in owner.get(bulk).text, "it was approved")
        assert "operator (console), approved by owner (console)" in owner.get(bulk).text and replayed(desk)[0] > 1
        plan = plan_in(ann.get(f"/mail/{DOUBT}"))
        assert ann.post(f"/mail/{DOUBT}/replay", plan=plan, reason="again").to.endswith("said=proposed")
        desk.run("replay", DOUBT, "--approve", "--by", "bob", "--reason", "yes")
        assert item(desk, DOUBT)["delivery_list"][-1]["class"] == "replayed"
        assert json.loads(desk.run("report", "replays", "--since", "2026-01-01", "--json").stdout)[-1]["second"].startswith("bob")
    finally:
        assert desk.stop() == 0


def test_two_persons_are_two_whatever_front_they_use(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path, approval="two-person").start()
    try:
        ann, carl, owner = desk.visitor("operator"), desk.visitor("admin"), desk.visitor("owner")
        form = {"decision": "acknowledgement-sent", "reason": "found"}
        assert ann.post(f"/mail/{DOUBT}/decide", **form).to.endswith("said=proposed")
        again = ann.post(f"/mail/{DOUBT}/decide", **form)
        assert again.status == 409 and "you proposed this yourself" in again.text.lower()
        assert item(desk, DOUBT)["approval_list"] == []
        assert owner.post(f"/mail/{DOUBT}/decide", **form).status == 303
        said = item(desk, DOUBT)["approval_list"][-1]
        assert (said["by"], said["second"]) == ("operator (console)", "owner (console)")
        assert carl.post(f"/mail/{DOUBT}/replay", plan="x", reason="why").status == 409
    finally:
        assert desk.stop() == 0


def test_users_and_tokens_come_and_go_at_the_terminal(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path)
    assert "octets" in desk.run("user", "add", "zoe", "--role", "viewer", said="short\n", status=64).stderr
    assert "already" in desk.run("user", "add", "admin", "--role", "viewer", said="x" * 12, status=64).stderr
    assert "one of viewer" in desk.run("user", "add", "zoe", "--role", "king", said="x" * 12, status=64).stderr
    desk.run("user", "add", "-zoe", "--role", "viewer", said="x" * 12, status=64)
    desk.run("user", "role", "nobody", "viewer", status=66)
    desk.run("user", "remove", "viewer")
    assert [u["name"] for u in json.loads(desk.run("user", "list", "--json").stdout)] == ["admin", "operator", "owner"]
    token = desk.run("token", "add", "dash", "--role", "viewer").stdout.strip()
    assert len(token) == 43 and token not in desk.run("token", "list").stdout
    assert not desk.sql("SELECT 1 FROM token WHERE digest = ?", token)
    desk.run("token", "remove", "dash")
    desk.run("token", "remove", "dash", status=66)
    assert not [row for row in desk.sql("SELECT * FROM event") if "viewer" in map(str, row) or "dash" in map(str, row)]


def test_what_is_always_done_for_a_sender_is_shown_and_can_be_removed(desk):
    ann, name = desk.visitor("operator"), conflict_of(desk)
    page = html.unescape(ann.get(f"/mail/{name}").text)
    assert 'value="conflict-new-case-always"' in page and "carl@example.net is told apart" in re.sub("<[^>]+>", "", page)
    answer = ann.post(f"/mail/{name}/decide", decision="conflict-new-case-always", reason="They reuse one number.")
    if answer.status != 303:  # its original is not among the files of this ledger
        assert "original" in answer.text
        desk.sql("INSERT INTO sender_rule (mailbox, sender, key, person, made_at) SELECT mailbox, sender_plain, key, 'operator (console)', 1"
                 " FROM item WHERE key LIKE ?", name + "%")
    rules = json.loads(desk.run("rules", "--json").stdout)
    assert [(r["sender"], r["mailbox"], r["by"]) for r in rules] == [("carl@example.net", "help", "operator (console)")]
    assert "carl@example.net" in ann.get("/rules").text
    assert desk.visitor("viewer").get("/rules").status == 403
    assert ann.post(f"/rules/{rules[0]['id']}/remove", reason=" ").status == 400
    assert ann.post(f"/rules/{rules[0]['id']}/remove", reason="They mended it.").status == 303
    assert json.loads(desk.run("rules", "--json").stdout) == []
    assert ann.post(f"/rules/{rules[0]['id']}/remove", reason="again").status == 404
    assert "rule" in desk.run("verify", status=None).stdout or desk.sql("SELECT to_state FROM event WHERE what = 'rule'")[-1] == ("removed",)


def test_of_two_rules_the_one_that_was_tried_keeps_what_was_typed(desk):
    ann = desk.visitor("operator")
    desk.sql("INSERT INTO sender_rule (mailbox, sender, key, person, made_at) SELECT 'help', 'a@b.example', MIN(key), 'bob', 1 FROM item")
    desk.sql("INSERT INTO sender_rule (mailbox, sender, key, person, made_at) SELECT 'help', 'c@d.example', MIN(key), 'bob', 1 FROM item")
    assert ann.post("/rules/2/remove", reason="  ").text.count('value="  "') == 1


def test_which_of_suspects_stands_is_said_where_they_are_side_by_side(desk):
    ann, keys = desk.visitor("operator"), "SELECT key FROM case_record WHERE mailbox = 'help' AND merged_into IS NULL ORDER BY reference LIMIT 3"
    desk.sql(f"UPDATE item SET fingerprint = ? WHERE key IN ({keys})", "f" * 64)
    one, two, three = (name for name, in desk.sql(f"SELECT reference FROM case_record WHERE key IN ({keys}) ORDER BY reference"))
    page = ann.get("/duplicates").text
    form = re.search(r'<form method="post" action="/case/[^"]+/act".*?</form>', page, re.S)[0]
    assert re.findall(r'value="authoritative" formaction="/case/([^/]+)/act">', form) and f"{two} stands" in form
    assert ann.get(f"/case/{one}").text.count('value="authoritative"') == 1, "asked once, however many there are"
    assert "formaction" not in desk.visitor("viewer").get("/duplicates").text
    assert ann.post(f"/case/{two}/act", act="authoritative", reason="It has the answers.").status == 303
    assert {state for state, in desk.sql("SELECT state FROM case_record WHERE reference IN (?, ?)", one, three)} == {"closed"}
    assert "formaction" not in ann.get("/duplicates").text and "It has the answers." in str(desk.sql("SELECT text FROM note"))


def test_a_note_decides_nothing_and_is_read_by_the_next(desk):
    ann, bob = desk.visitor("operator"), desk.visitor("owner")
    assert ann.post(f"/mail/{DOUBT}/decide", decision="note", reason=" ").status == 400
    assert ann.post(f"/mail/{DOUBT}/decide", decision="note", reason="Asked <the> provider.").status == 303
    assert item(desk, DOUBT)["state"] == "needs_reconciliation"
    for path in (f"/mail/{DOUBT}", "/queue"):
        text = bob.get(path).text
        assert "operator (console): Asked &lt;the&gt; provider." in text


def test_a_proposal_stands_in_the_queue_until_another_person_approves_or_refuses_it(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path, approval="two-person").start()
    try:
        ann, owner, admin = desk.visitor("operator"), desk.visitor("owner"), desk.visitor("admin")
        assert ann.post(f"/mail/{DOUBT}/decide", decision="acknowledgement-sent", reason="In Sent.").status == 303
        text = html.unescape(owner.get("/queue").text)
        assert "waiting for a second person" in text and "operator (console)" in text and "In Sent." in text
        assert "it takes a second person" in ann.get("/queue").text
        listed, = json.loads(desk.run("proposals", "--json").stdout)
        waiting = desk.sql("SELECT COUNT(*) FROM item WHERE state = 'needs_reconciliation'")[0][0]
        assert json.loads(owner.get("/waiting/queue").text) == {"waiting": waiting + 1}
        assert listed["by"] == "operator (console)" and listed["what"] == "it was sent" and listed["case"] == DOUBT
        assert owner.post(f"/proposals/{listed['id']}/refuse", reason="").status == 400
        assert owner.post(f"/proposals/{listed['id']}/refuse", reason="It is not there.").status == 303
        assert json.loads(desk.run("proposals", "--json").stdout) == []
        assert desk.run("proposals", "--refuse", str(listed["id"]), "--by", "bob", "--reason", "x", status=None).returncode == 66
        assert ann.post(f"/mail/{DOUBT}/decide", decision="acknowledgement-sent", reason="Now it is.").status == 303
        assert admin.post(f"/mail/{DOUBT}/decide", decision="acknowledgement-sent", reason="I see it.").status == 303
        assert item(desk, DOUBT)["approval_list"][-1]["second"] == "admin (console)"
        assert json.loads(desk.run("proposals", "--json").stdout) == []
    finally:
        desk.stop()
