# SPDX-License-Identifier: Apache-2.0
"""What each page says, and to whom."""
import html
import json
import re
import urllib.parse

import pytest

from conftest import ROLES, SECRET, TOP, new_desk

DOUBT = "HD-7PP1307J"
PAGES = {  # path: (least role, what its heading says)
    "/": ("viewer", "Overview"), "/queue": ("operator", "Needs your decision"), "/mails": ("viewer", "Mails"),
    "/mails?state=complete&mailbox=help": ("viewer", "Mails"), f"/mail/{DOUBT}": ("viewer", DOUBT),
    "/cases": ("operator", "Cases"), "/cases?q=printer": ("operator", "Cases"),
    f"/case/{DOUBT}": ("operator", DOUBT), "/not-told": ("operator", "Not told"),
    "/duplicates": ("viewer", "Duplicates"), "/arrivals?figure=deliveries": ("viewer", "arrivals"),
    "/deployments": ("viewer", "Deployments"), "/audit": ("operator", "Audit"), "/health": ("viewer", "Health"),
    "/mails/replay": ("operator", "Replay many"), "/mails/replay?state=complete&only=mailbox%3Dhelp": ("operator", "Replay many"),
    "/mails/replay/1": ("operator", "Replay of many"), "/webhooks": ("viewer", "Webhooks"), "/rules": ("operator", "What is always done"),
}
PERSONAL = ["ann@example.com", "yamada@example.jp", "carl@example.net", "fay@example.net", "no-such-user@example.net",
            "jammed", "Invoice 4711", "Who am I?", "chair", "Another mail under"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_for_its_role_and_those_above(shown, path):
    least, heading = PAGES[path]
    for role in ROLES:
        answer = shown.visitors[role].get(path)
        if ROLES.index(role) < ROLES.index(least):
            assert answer.status == 403 and "Not for your role" in answer.text
        else:
            assert answer.status == 200, answer.text
            assert heading in re.search(r"<h1>(.*?)</h1>", answer.text, re.S)[1]
            assert "{{" not in answer.text and "</html>" in answer.text


def test_every_page_says_under_which_place_it_is(shown):
    for path in PAGES:
        here = re.findall(r'<a href="([^"]+)" aria-current="page"', shown.visitors["admin"].get(path).text)
        assert len(here) == 1, (path, here)


def test_nobody_sees_anything_without_signing_in(shown):
    stranger = shown.visitor()
    for path in PAGES:
        answer = stranger.get(path)
        assert answer.status == 303 and answer.to.startswith("/sign-in"), path
    assert stranger.get("/api/v1/items").status == 401
    assert stranger.get("/sign-in").status == 200


def test_a_viewer_sees_no_address_no_subject_and_no_text(shown):
    for path in PAGES:
        text = html.unescape(shown.visitors["viewer"].get(path).text)
        assert not [word for word in PERSONAL if word in text], path
    assert "ann@example.com" in shown.visitors["operator"].get("/mails").text


def test_what_a_viewer_may_not_do_changes_nothing(shown):
    viewer = shown.visitors["viewer"]
    before = shown.sql("SELECT COUNT(*) FROM event")
    token = viewer.token()
    for path in (f"/mail/{DOUBT}/decide", f"/mail/{DOUBT}/replay", f"/case/{DOUBT}/act", "/not-told", "/pause", "/webhooks", "/mails/replay", "/mails/replay/1"):
        answer = viewer.ask("POST", path, {"form_token": token, "decision": "acknowledgement-sent", "reason": "why",
                                           "mail": DOUBT, "act": "close", "mailbox": "help", "to": "pause"})
        assert answer.status == 403, path
    assert viewer.get(f"/mail/{DOUBT}/original").status == 403
    assert shown.sql("SELECT COUNT(*) FROM event") == before


def test_the_queue_speaks_plainly(shown):
    text = re.sub(r"<[^>]+>", "", html.unescape(shown.visitors["operator"].get("/queue").text))
    text = re.sub(r"\s+", " ", text)
    assert f"Was the confirmation for {DOUBT} sent? We cannot tell." in text
    assert f"The case {DOUBT} exists and can be worked" in text
    assert "nothing is mailed; can be taken back" in text
    assert "worst case the same confirmation twice" in text
    assert "If nobody decides, nothing is lost: it stays here, and no timer runs." in text
    assert "Another mail carries the same identifier" in text and "carl@example.net" in text
    for word in ("needs_reconciliation", "fence", "digest:", "acknowledgement-unknown"):
        assert word not in text, word
    for key, in shown.sql("SELECT key FROM item"):
        assert key not in text


def test_how_often_something_is_found_counts_what_was_in_doubt_alone(desk):
    """An answer to a confirmation that was sent is found, too."""
    operator, of = desk.visitor("operator"), r"Of (\d+) confirmations? in doubt in this mailbox, (\d+)"
    before = re.search(of, operator.get(f"/mail/{DOUBT}").text)
    desk.sql("INSERT INTO evidence (key, effect, kind, found, place, run, seen_at) SELECT key, id, 'reply', 1, 'INBOX',"
             " (SELECT MIN(id) FROM run), 1 FROM effect WHERE kind = 'acknowledgement' AND status = 'done'"
             " AND id NOT IN (SELECT effect FROM attempt WHERE outcome = 'unknown')")
    after = re.search(of, operator.get(f"/mail/{DOUBT}").text)
    assert before and after and before.groups() == after.groups()


def assert_figures_have_their_rows(viewer, period):
    page = viewer.get(f"/duplicates?since=2026-01-01{period}").text
    figures = set(re.findall(r'<a href="(/arrivals[^"]*)"[^>]*><strong>(\d+)</strong>', page))
    assert len(figures) > 20 and sum(int(count) for _, count in figures) > 0
    for link, count in figures:
        rows = viewer.get(html.unescape(link)).text
        assert rows.count("<tr>") - 1 * ("<table" in rows) == int(count), link
    assert "It adds up." in page
    return dict((link.split("figure=")[1].split("&")[0], int(count)) for link, count in figures)


def test_every_figure_leads_to_exactly_that_many_rows(shown):
    figures = assert_figures_have_their_rows(shown.visitors["viewer"], "")
    assert {"deliveries", "doubles", "boundaries.retry"} < set(figures)
    assert len([name for name in figures if re.match(r"day%3A[\d-]+$", name)]) == 1
    assert len([name for name in figures if name.startswith("key%3A")]) == 1


def test_every_bar_leads_to_exactly_that_many_rows(shown):
    viewer = shown.visitors["viewer"]
    page = viewer.get("/duplicates?since=2026-01-01").text
    bars = re.findall(r'<a tabindex="-1" href="([^"]+)"><rect [^>]*><title>[\d-]+: (\d+) ', page)
    table = {(link.split("figure=")[1], count) for link, count in re.findall(r'<a href="(/arr[^"]+)"><strong>(\d+)</strong> ', page)}
    assert bars
    for link, count in bars:
        assert viewer.get(html.unescape(link)).text.count("<tr>") - 1 == int(count), link
        name = urllib.parse.quote(link.split("figure=")[1], safe="")
        assert (name, count) in table, "what is drawn can be read, too"


def test_every_figure_about_persons_leads_operators_to_that_many_decisions(shown):
    operator, period = shown.visitors["operator"], "/duplicates?since=2026-01-01"
    links = re.findall(r'<a href="(/audit[^"]+)"><strong>([^<]+)</strong>([^<]*)', operator.get(period).text)
    assert len(links) >= 2
    for link, number, words in links:
        count = int(words.split()[-1] if "to decide" in words else number)
        assert operator.get(html.unescape(link)).text.split("Who looked")[0].count("<tr>") - 1 == count, link
    assert "/audit" not in shown.visitors["viewer"].get(period).text


def test_a_figure_of_the_past_leads_to_its_rows_also_after_a_later_decision(desk):
    past, viewer = "&until=2026-03-02T18:00:00Z", desk.visitor("viewer")
    before = assert_figures_have_their_rows(viewer, past)
    desk.run("resolve", "10bedee54427", "--conflict", "dismiss", "--by", "ann", "--reason", "the same mail")
    assert before["decided.waiting"] > 1
    assert assert_figures_have_their_rows(viewer, past) == before


def test_a_viewer_is_given_numbers_and_no_way_to_lists_of_others(shown):
    for path in ("/", "/duplicates"):
        leads = re.findall(r'href="(/queue|/not-told|/case[^"]*)"', shown.visitors["viewer"].get(path).text)
        assert not leads and re.findall(r'<main.*href="(/queue|/not-told)"', shown.visitors["operator"].get(path).text, re.S), path


def test_the_report_is_in_one_zone_whoever_reads_or_prints_it(shown):
    """Its days are those of that zone; the script puts each <time> into the reader's."""
    page = shown.visitors["operator"].get("/duplicates?since=2026-01-01").text
    report, footer = re.search(r"<main.*</main>", page, re.S)[0], re.search(r"<footer>.*", page, re.S)[0]
    assert "(Australia/Perth, as all times here)" in report and "<time" not in report and "Times are in" not in footer
    first = re.search(r"<td>[^<]*</td><td><span class=\"ref\" title=\"(2026-03-02T(\d\d):[^\"]*)\">[^<]* (\d\d?):", report)
    assert (int(first[2]) + 8) % 24 == int(first[3]), first[0]


def test_the_report_says_what_the_mailboxes_have_beside_what_the_ledger_counts(desk):
    viewer = desk.visitor("viewer")
    assert re.search(r"help, <span[^>]*>[^<]*</span>: all that is still to be filed is there", viewer.get("/duplicates").text)
    desk.sql("UPDATE mailbox SET difference = 2, backlog = 3 WHERE id = 'help'")
    page = re.sub("<[^>]+>", "", viewer.get("/duplicates").text)
    desk.sql("UPDATE mailbox SET last_success = 0, backlog = 0 WHERE id = 'sales'")
    assert "sales, not looked at yet.<" in viewer.get("/duplicates").text
    assert re.search(r"help, [^:]*:\d\d[^:]*: 2 still to be filed were there no more, 3 not yet recorded", page), page


def test_the_report_is_the_commands(shown):
    operator = shown.visitors["operator"]
    said = json.loads(operator.get("/duplicates?since=2026-01-01&format=json").text)
    command = json.loads(shown.run("report", "duplicates", "--since", "2026-01-01", "--json").stdout)
    said.pop("until"), command.pop("until")
    assert said == command
    csv = operator.get("/duplicates?since=2026-01-01&format=csv")
    assert csv.getheader("Content-Disposition") == "attachment; filename=duplicates.csv"
    assert csv.text.count("\n") == 1 + len(command["keys"])
    decisions = operator.get("/duplicates?since=2026-01-01&format=csv&of=decisions").text
    command_said = shown.run("report", "decisions", "--since", "2026-01-01", "--format", "csv").stdout
    assert decisions.splitlines() == command_said.splitlines() and len(decisions.splitlines()) > 1
    for name, head in (("late", "decided_at,case,"), ("suspects", "alike,case,")):
        assert operator.get(f"/duplicates?since=2026-01-01&format=csv&of={name}").text.startswith(head)
    assert operator.get("/duplicates?format=csv&of=nothing").status == 404
    for name in ("decisions", "late", "suspects"):  # who people are, and what they wrote
        assert shown.visitors["viewer"].get(f"/duplicates?format=csv&of={name}").status == 404
    numbers = operator.get("/duplicates?since=2026-01-01&format=csv&of=numbers").text
    command = shown.run("report", "duplicates", "--since", "2026-01-01", "--format", "csv").stdout
    assert numbers.replace("\r", "") == command and "second cases avoided" in numbers


def test_what_was_decided_after_the_period_is_told_beside_it(desk):
    desk.run("resolve", "10bedee54427", "--conflict", "dismiss", "--by", "ann", "--reason", "the same mail")
    past = "/duplicates?since=2026-01-01&until=2026-03-02T18:00:00Z"
    assert "Decided after this period, not counted above: 1" in desk.visitor("operator").get(past).text
    viewer = desk.visitor("viewer")
    assert "Decided after" in viewer.get(past).text and "ann (" not in viewer.get(past).text
    assert "Decided after" not in viewer.get("/duplicates?since=2026-01-01").text


def test_health_tells_of_notices_that_fail_and_of_a_mailbox_that_is_nearly_full(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path)
    desk.config.write_text(desk.config.read_text() + "notify: {to: [oncall@example.com]}\n")
    desk.sql("INSERT INTO notice_try (channel, tried_at, outcome, subject, why) VALUES ('mail', 1772440000000, 'deferred', 'troubles', 'the server is full')")
    desk.start()
    try:
        desk.sql("UPDATE mailbox SET quota_used_octets = 9216, quota_limit_octets = 10240, quota_at = 10000000000000 WHERE id = 'help'")
        page = desk.visitor("viewer").get("/health").text
        assert re.search(r'class="bad">[^\n]*help: room</strong><br>the mailbox is 90 % full \(9 of 10 KB\); make room', page)
        assert "sales: room" not in page
        assert re.search(r'class="bad">[^\n]*Notices by mail</strong><br>They fail since [^<]*: the server is full', page)
        desk.sql("INSERT INTO notice_try (channel, tried_at, outcome, subject, why) VALUES ('mail', 1772450000000, 'done', 'troubles', '')")
        assert re.search(r'class="good">[^\n]*Notices by mail</strong><br>The last one was taken at ', desk.visitor("viewer").get("/health").text)
    finally:
        assert desk.stop() == 0


def test_health_and_the_interface_tell_of_a_secret_that_expires(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path)
    (tmp_path / "token").write_text("x")
    desk.config.write_text(desk.config.read_text().replace(
        f"username: help, password: {SECRET}", f"username: help, auth: {{method: xoauth2, token_file: {tmp_path}/token, expires: 2026-03-01}}"))
    desk.start()
    try:
        assert re.search(r'class="bad">[^\n]*help: secret</strong><br>the secret for its IMAP server has expired on 2026-03-01', desk.visitor("viewer").get("/health").text)
        token = {"Authorization": "Bearer " + desk.run("token", "add", "watch", "--role", "viewer").stdout.strip()}
        boxes = {box["id"]: box["secrets"] for box in json.loads(desk.visitor().get("/api/v1/status", **token).text)["mailboxes"]}
        assert [secret["server"] for secret in boxes["help"]] == ["imap"] and boxes["sales"] == []
    finally:
        assert desk.stop() == 0


WAITING = {"queue": "operator", "not-told": "operator", "webhooks": "viewer"}


@pytest.mark.parametrize("name", WAITING)
def test_how_many_wait_is_a_number_for_who_may_see_the_list(shown, name):
    assert shown.visitor().get("/waiting/" + name).status == 303
    for role in ROLES:
        answer = shown.visitors[role].get("/waiting/" + name)
        if ROLES.index(role) < ROLES.index(WAITING[name]):
            assert answer.status == 403
            continue
        looks = shown.sql("SELECT COUNT(*) FROM look")
        page = shown.visitors[role].get("/" + name).text
        given = re.search(rf'aria-live="polite" data-waiting="/waiting/{name}" data-count="(\d+)"></div>', page)[1]
        assert shown.sql("SELECT COUNT(*) FROM look")[0][0] - looks[0][0] == (name != "webhooks"), "the page is a look"
        looks = shown.sql("SELECT COUNT(*) FROM look")
        assert shown.visitors[role].get("/waiting/" + name).text == f'{{"waiting":{given}}}\n'
        assert shown.sql("SELECT COUNT(*) FROM look") == looks, "the number is none"
        if name == "not-told":
            assert int(given) == page.split("<tbody>")[1].count("<tr>") > 0
    assert shown.visitors["admin"].get("/waiting/nothing").status == 404


def test_a_page_that_asks_by_itself_keeps_no_session_alive(desk):
    operator, ago = desk.visitor("operator"), "UPDATE session SET seen_at = seen_at - 600000"
    desk.sql(ago)
    before = desk.sql("SELECT seen_at FROM session")
    assert operator.get("/waiting/queue").status == operator.get("/health", X_Fragment="1").status == 200
    assert desk.sql("SELECT seen_at FROM session") == before
    operator.get("/health")
    assert desk.sql("SELECT seen_at FROM session") > before


def test_a_case_is_found_by_the_words_of_its_sender(shown):
    operator = shown.visitors["operator"]
    assert operator.get(f"/cases?q={DOUBT.lower()}").to == f"/case/{DOUBT}"
    assert "Invoice 4711" in operator.get("/cases?q=invo+fay").text
    for words in ("nothing+such", '%22', "a%22+OR+%22b", "*", "NEAR(", "sender:fay"):
        answer = operator.get("/cases?q=" + words)
        assert answer.status == 200 and ("Nothing was found" in answer.text or "fay@" in answer.text)


def test_lists_go_on_where_a_page_ended(ledger, shown):
    operator = shown.visitors["operator"]
    row = shown.sql("SELECT created_at, key FROM item ORDER BY created_at DESC, key DESC LIMIT 1 OFFSET 3")[0]
    rest = operator.get(f"/mails?after={row[0]}.{row[1]}").text
    names = re.findall(r'<tr><td><a href="/mail/', rest)
    assert len(names) == shown.sql("SELECT COUNT(*) FROM item")[0][0] - 4


def test_who_looked_at_whose_mail_is_kept(shown):
    before = shown.sql("SELECT COUNT(*) FROM look WHERE person = 'owner'")[0][0]
    shown.visitors["owner"].get(f"/mail/{DOUBT}")
    rows = shown.sql("SELECT page, key FROM look WHERE person = 'owner' ORDER BY id")
    assert len(rows) == before + 1 and rows[-1][0] == "mail"
    assert DOUBT in shown.visitors["admin"].get("/audit").text
    assert "Who looked at" not in shown.visitors["owner"].get("/audit").text
    for change in ("UPDATE look SET person = 'nobody'", "DELETE FROM look"):
        with pytest.raises(Exception, match="append-only"):
            shown.sql(change)


def test_every_name_of_a_template_is_put_by_the_code():
    code = "".join(path.read_text() for path in (TOP / "src/console").glob("*.c"))
    put = set(re.findall(r'put\w*\([^;]*?"([\w-]+)"', code)) | set(re.findall(r'"(\w+)"', code))
    for path in (TOP / "templates/console").glob("*.html"):
        for name in re.findall(r"\{\{[#^/]?([\w-]+)\}\}", path.read_text()):
            assert name in put or name in ("utc", "local", "exact"), f"{path.name}: {name}"


ENDLESS = "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT MAX(i) AS most FROM n)"


def test_a_page_that_the_ledger_takes_too_long_for_says_what_to_do(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path, more=", ledger_timeout: 1s").start()
    try:
        ann, script = desk.visitor("operator"), {"Authorization": "Bearer " + desk.run("token", "add", "s", "--role", "viewer").stdout.strip()}
        desk.sql("ALTER TABLE mailbox RENAME TO mailbox_there")
        desk.sql(f"CREATE VIEW mailbox AS SELECT there.* FROM mailbox_there AS there, {ENDLESS} AS slow")
        page, answer = ann.get("/"), desk.visitor().get("/api/v1/status", **script)
        assert page.status == answer.status == 503
        assert "longer than 1 s to answer" in page.text and "ask for less, such as a shorter period" in page.text
        assert "longer than 1 s" in json.loads(answer.text)["error"]
        assert ann.get("/cases").status == 200, "whatever else is asked goes on"
        assert "console.deferred page=/api/v1/status " in (tmp_path / "log").read_text()
    finally:
        assert desk.stop() == 0
