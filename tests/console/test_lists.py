# SPDX-License-Identifier: Apache-2.0
"""Every list of the console and of the interface, read page by page to its end: each row once."""
import collections
import html
import json
import re
import shutil
import sqlite3
import urllib.parse

import pytest

from conftest import TOP, Desk
from large_ledger import enlarge
from test_api import OPERATIONS

SINCE = 1_600_000_000_000
PERIOD = f"since={SINCE}&until=4000000000000"
MANY = 130  # more than a page of any list
LONG_AGO = 1_500_000_000_000

# Of each list: the page, how its row is named there, the view it is read by, and what the ledger has.
PAGES = [
    ("/mails", r'<tr><td><a href="/mail/([^"]+)">[^<]*</a></td><td><span class="state', "item_page",
     "SELECT COALESCE(reference, substr(item.key, 1, 12)) FROM item LEFT JOIN case_record ON case_record.key = item.key"),
    ("/mails?mailbox=sales&state=complete", r'<tr><td><a href="/mail/([^"]+)">', "item_page",
     "SELECT COALESCE(reference, substr(item.key, 1, 12)) FROM item LEFT JOIN case_record ON case_record.key = item.key"
     " WHERE item.mailbox = 'sales' AND item.state = 'complete'"),
    ("/queue", r'id="entry-([^"]+)"', "item_page", "SELECT COALESCE(reference, substr(item.key, 1, 12)) FROM item LEFT JOIN case_record"
     " ON case_record.key = item.key WHERE item.state = 'needs_reconciliation'"),
    ("/queue", r'action="/proposals/(\d+)/refuse"', "proposals", "SELECT id FROM proposal WHERE ended_at IS NULL"),
    ("/not-told", r'<td><a href="/mail/([^"]+)">', "item_page", "SELECT reference FROM case_record WHERE key IN (SELECT key FROM item"
     " WHERE reason IN ('gave-up', 'acknowledgement-refused') UNION SELECT key FROM effect WHERE kind = 'acknowledgement' AND status = 'refused')"),
    ("/cases", r'<a href="/case/([^"]+)">', "case_page", "SELECT reference FROM case_record"),
    ("/cases?q=floor", r'<a href="/case/([^"]+)">', "case_page", "SELECT reference FROM case_search WHERE case_search MATCH 'floor'"),
    (f"/arrivals?figure=deliveries&{PERIOD}", r'<a href="/mail/([^"]+)">', "duplicate_rows",
     f"SELECT substr(key, 1, 12) FROM delivery WHERE seen_at >= {SINCE}"),
    ("/deployments", r"<small>\((\d+)\)</small>", "runs", "SELECT pid FROM run"),
    ("/audit", r"<td>(reason \d+)</td></tr>", "audit", "SELECT 'reason ' || id FROM approval WHERE id >= 10000"),
    (f"/audit?{PERIOD}&by=bob%20%26%20son", r"<td>(reason \d+)</td></tr>", "audit",
     f"SELECT 'reason ' || id FROM approval WHERE person = 'bob & son' AND decided_at >= {SINCE}"),
    ("/audit", r"</time></td><td>(looker \d+)</td>", "looks", "SELECT person FROM look WHERE person LIKE 'looker %'"),
    ("/webhooks", r'name="post" value="([^"]+)"', "dead_letters", "SELECT message_id FROM webhook_outbox WHERE status = 'refused'"),
    ("/mails/replay", r'<a href="/mails/replay/(\d+)"><time', "bulks", "SELECT id FROM bulk"),
    ("/mails/replay?state=complete&only=mailbox%3Dsales", r'<tr><td><a href="/mail/([^"]+)">', "chosen",
     "SELECT substr(key, 1, 12) FROM item WHERE mailbox = 'sales' AND state = 'complete'"),
    ("/rules", r'action="/rules/(\d+)/remove', "sender_rules", "SELECT id FROM sender_rule WHERE ended_at IS NULL"),
]

# Of the interface: where the rows are in the answer, by what the next page is asked for, and what the ledger has.
INTERFACE = {
    "/api/v1/items": (None, "key", "SELECT key FROM item"),
    "/api/v1/deliveries": (None, "id", "SELECT id FROM delivery"),
    "/api/v1/cases": (None, "reference", "SELECT reference FROM case_record"),
    "/api/v1/deployments": (None, "run", "SELECT id FROM run"),
    "/api/v1/webhooks": ("dead", "id", "SELECT message_id FROM webhook_outbox WHERE status = 'refused'"),
    "/api/v1/replays": (None, "id", "SELECT id FROM bulk"),
}

# What else the console reads is no list that grows, or is one whole thing.
NO_LISTS = {
    "mailboxes": "as many as are configured", "webhooks": "as many as are configured", "channels": "as many as are configured",
    "item": "one", "numbers": "one", "one_case": "one", "one_bulk": "one", "asked": "a number", "untold": "a number", "latency": "a number", "track": "a number",
    "hours": "of one day", "alike": "what breaks in one minute, answered together", "duplicates": "one report, whole as CSV and JSON",
    "decisions": "of one report, whole as CSV", "suspects": "of one report, whole as CSV",
}
ONE_THING = {"/api/v1/replay-plan", "/api/v1/status", "/api/v1/reports/duplicates", "/api/v1/openapi.yaml"}


def fill(path):
    with sqlite3.connect(path) as db:
        (key,) = db.execute("SELECT key FROM item WHERE first_key IS NULL").fetchone()
        one = dict(zip([name for _, name, *_ in db.execute("PRAGMA table_info(run)")], db.execute("SELECT * FROM run").fetchone()))
        db.execute("UPDATE item SET state = 'needs_reconciliation', reason = 'gave-up' WHERE key IN (SELECT key FROM item"
                   " WHERE state = 'complete' AND disposition = 'case' AND case_key IS NOT NULL LIMIT ?)", (MANY,))

        db.execute("UPDATE effect SET status = 'refused' WHERE kind = 'acknowledgement' AND key IN (SELECT key FROM item WHERE reason = 'gave-up')")

        def put(table, **values):
            db.execute(f"INSERT INTO {table} ({','.join(values)}) VALUES ({','.join('?' * len(values))})", tuple(values.values()))

        for n in range(MANY):
            at, mixed = LONG_AGO + n // 3, n * 7919 % 9973  # three of each instant, by no order of their names
            put("run", **{**one, "id": f"{mixed:032x}", "pid": 100_000 + n, "entered_at": at, "ended_at": at + 9, "ended_how": "left"})
            put("webhook_outbox", message_id=f"msg_{mixed:x}", webhook="chat", key=key, event=1, type="created", reason="",
                status="refused" if n % 9 else "done", created_at=at, ended_at=at)
            put("bulk", selection="received all", resend=0, person="bob", begun_at=at, ended_at=at)
            put("sender_rule", mailbox="help", sender=f"a{n}@example.org", key=key, person="bob", made_at=at)
            put("proposal", subject=f"said {n}", key=key, person="bob", account="bob", proposed_at=at)
            put("look", person=f"looker {n}", page="mail", key=key, looked_at=at)
            put("approval", id=10_000 + n, key=key, decision="conflict-dismiss", from_state="received",
                person="bob & son" if n % 2 else "ann", decided_at=SINCE + n // 3)
            put("note", key=key, about=f"approval {10_000 + n}", text=f"reason {10_000 + n}", noted_at=at)
    db.close()


@pytest.fixture(scope="module")
def many(ledger, tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    shutil.copytree(ledger, folder / "data")
    enlarge(folder / "data/ledger.db", 600, 1200)
    fill(folder / "data/ledger.db")
    desk = Desk(folder)
    token = desk.run("token", "add", "script", "--role", "admin").stdout.strip()
    desk.start()
    yield desk, desk.visitor("admin"), {"Authorization": "Bearer " + token}
    assert desk.stop() == 0


def ways_on(page):
    """Where the links below the lists of a page lead; not those back to the beginning."""
    places = re.findall(r'<nav class="paging"[^>]*>(.*?)</nav>', page, re.S)
    links = [html.unescape(link) for place in places for link, text in re.findall(r'<a href="([^"]+)">([^<]+)</a>', place)
             if text not in ("The newest", "The first page")]
    return {tuple(sorted(urllib.parse.parse_qs(urllib.parse.urlsplit(link).query))): link for link in links}


def walk(visitor, path, row):
    """The rows of one list of a page; of several lists each goes on by a link that names what differs."""
    page = visitor.get(path)
    assert page.status == 200, page.text
    seen, pages = re.findall(row, page.text), 1
    for which in ways_on(page.text):
        rows, there = [], page.text
        while which in ways_on(there) and pages < 200:
            there, pages = visitor.get(ways_on(there)[which]).text, pages + 1
            rows += re.findall(row, there)
        if rows and (not seen or rows[:len(seen)] != seen):  # else it is another list of the page, of which this one stands still
            return seen + rows, pages
    return seen, pages


@pytest.mark.parametrize("path, row, view, there_are", PAGES, ids=[f"{view} at {path}" for path, _, view, _ in PAGES])
def test_a_list_gives_each_row_once_and_all_of_them(many, path, row, view, there_are):
    desk, visitor, _ = many
    wanted = collections.Counter(str(name) for name, in desk.sql(there_are))
    seen, pages = walk(visitor, path, row)
    assert pages > 1, f"{sum(wanted.values())} rows are more than a page"
    assert collections.Counter(seen) - wanted == {}, "more than there is"
    assert wanted - collections.Counter(seen) == {}, "not all"


@pytest.mark.parametrize("path", INTERFACE)
def test_a_list_of_the_interface_gives_each_row_once_and_all_of_them(many, path):
    desk, _, script = many
    place, name, there_are = INTERFACE[path]
    seen, after = [], ""
    while not seen or after:
        rows = json.loads(desk.visitor().get(f"{path}?limit=37&after={after}", **script).text)
        rows = rows[place] if place else rows
        assert len(rows) <= 37
        seen, after = seen + [str(row[name]) for row in rows], rows[-1][name] if rows else ""
    assert len(seen) > 100 and sorted(seen) == sorted(str(name) for name, in desk.sql(there_are))


def test_every_list_is_among_those_that_are_read_to_their_end():
    source = "".join(file.read_text() for file in (TOP / "src/console").glob("*.c"))
    read = set(re.findall(r"\bviews->(\w+)\(views->self", source)) | set(re.findall(r"\bs->(looks)\(", source)) | {"chosen"}
    walked = {view for _, _, view, _ in PAGES} | {"deliveries"}
    assert not walked & set(NO_LISTS)
    assert read == walked | set(NO_LISTS)
    lists = {path for method, path, _ in OPERATIONS if method == "get" and "{" not in path}
    assert lists - ONE_THING == set(INTERFACE)
    for method, path, about in OPERATIONS:
        named = {parameter["name"] for parameter in about.get("parameters", [])}
        assert (path in INTERFACE and method == "get") == ("after" in named) == ("limit" in named), path


def test_what_is_not_there_is_said_and_no_empty_page_is_given(many):
    desk, visitor, script = many
    for path in ("/webhooks", "/deployments", "/api/v1/webhooks", "/api/v1/deployments"):
        answer = visitor.get(path + "?after=none") if not path.startswith("/api") else desk.visitor().get(path + "?after=none", **script)
        assert answer.status == 404, path


@pytest.mark.parametrize("path, choice", [("/not-told", "mail"), ("/webhooks", "post")])
def test_a_form_on_a_later_page_is_shown_again_there_with_what_was_chosen(many, path, choice):
    _, visitor, _ = many
    later = next(iter(ways_on(visitor.get(path).text).values()))
    page = visitor.get(later).text
    chosen = re.findall(rf'name="{choice}" value="([^"]+)"', page)[1]
    action = html.unescape(re.search(rf'action="({path}[^"]*)"', page)[1])
    answer = visitor.post(action, **{choice: chosen, "decision": "acknowledgement-none", "reason": " "})
    assert answer.status == 400
    assert re.search(rf'name="{choice}" value="{chosen}"[^>]* checked', answer.text)


def test_a_rule_of_a_later_page_is_shown_where_it_was_not_removed(many):
    desk, visitor, _ = many
    (last,), = desk.sql("SELECT MAX(id) FROM sender_rule")
    answer = visitor.post(f"/rules/{last}/remove", reason=" ")
    assert answer.status == 400 and f'action="/rules/{last}/remove' in answer.text
