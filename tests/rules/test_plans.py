# SPDX-License-Identifier: Apache-2.0
"""The millionth mail costs what the first one did: no statement of the ledger walks through a table that grows.

Every statement is read out of the compiled library, so that a new one cannot be forgotten, and SQLite is asked for its
plan on an empty ledger of the present schema. A walk is a scan, or a search by columns that half of the table may have
in common, such as the mailbox. Where one is meant it has a row in ALLOWED, which says why it does no harm.
"""
import re
import sqlite3
import subprocess
from collections import Counter
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
LIBRARY = next((path for path in (TOP / "build/asan/liboc_store.a", TOP / "build/liboc_store.a") if path.exists()), None)

# As many rows as there are mailboxes, settings, people or words; every other table grows.
SMALL = set("""meta mailbox mailbox_lease circuit item_count delivery_count attempt_count confirmation_count webhook
    user token notice sqlite_schema""".split())

# What many rows of a table may have in common.
COARSE = set("mailbox folder uidvalidity state status kind class won webhook channel elsewhere disposition reason direction".split())

ALLOWED = {
    # read from the end of its order, one row
    ("chain", "event"): "its last line, by its number; and all of it, to check it",
    ("migrate", "event"): "whether there is a line at all",
    ("runs", "event"): "its last line, by its number",
    ("step_effect", "run"): "the last run, by its order",
    # few at any time
    ("claim", "run"): "runs that may hold something: alive, or dead by themselves",
    ("work", "run"): "the same",
    ("runs", "run"): "runs that are alive",
    ("share", "run"): "runs that are alive",
    ("intake", "delivery"): "what stands in the inbox, when it is listed",
    ("hold", "delivery"): "what is kept aside while a mailbox is paused",
    ("elsewhere", "effect"): "copies that wait to be filed in another mailbox than their item's",
    ("webhook_next", "webhook_outbox"): "the first post that waits, in its order",
    # seldom
    ("mailboxes", "delivery"): "a folder was given other UIDs: each of its messages is concerned",
    ("rewind", "item"): "the ledger went back in time: each confirmation that was not settled is concerned",
    ("webhooks", "webhook_outbox"): "a webhook is configured no longer",
    ("webhook_replay", "webhook_outbox"): "a person sends dead letters again",
    ("move", "event"): "migrate-ledger reads all there is",
    ("move", "item"): "the same",
    ("move", "run"): "runs that are alive",
    ("retention", "bulk"): "erasing: what people typed, once each",
    ("retention", "case_participant"): "erasing: every case that a person took part in",
    ("retention", "case_search"): "one row, by its number",
    ("retention", "sender_rule"): "erasing: as many as people have said",
    ("notices", "notice_try"): "as many as notices were sent",
    # a page or a list shows one screen of it, in the order of an index
    ("view_cases", "case_record"): "a screen of cases",
    ("view_cases", "case_search"): "cases found by words, through the index of words",
    ("view_items", "item"): "a screen of mails; how many wait, counted in an index",
    ("view_deliveries", "item"): "a screen of arrivals of what waits",
    # grows with what people have left undone, or have said
    ("view_alike", "item"): "for one decision: what waits and broke in the same way",
    ("view_items", "effect"): "confirmations that were refused",
    ("view_items", "bounce"): "confirmations that came back",
    ("view_mailboxes", "item"): "what waits, and is not told: for pages, `status` and monitoring, not for a turn",
    ("view_mailboxes", "effect"): "the same",
    ("view_mailboxes", "bounce"): "the same",
    ("view_numbers", "item"): "what waits, for monitoring",
    ("view_numbers", "effect"): "steps that are not done, for monitoring",
    ("view_numbers", "approval"): "decisions, for monitoring",
    ("view_numbers", "run"): "runs, for monitoring",
    ("view_numbers", "notice_try"): "notices, for monitoring",
    ("view_people", "shared_fingerprint"): "words that more than one mail had, for suspects",
    ("view_webhooks", "webhook_outbox"): "posts, for `webhooks`",
    ("view_retention", "erasure"): "as many as people have asked for",
    ("view_retention", "leaving"): "files that are being removed",
    # reports and checks read what they are about
    ("report_facts", "effect"): "cases that were found there, by an index of their own",
    ("view_drawn", "evidence"): "what became of looking for evidence, for one decision",
    ("view_alike", "effect"): "`doctor` asks what waits for a destination that is gone",
    ("view_audit", "attachment"): "`verify` reads all there is",
    ("view_audit", "item"): "the same",
    **{("view_audit", table): "the same" for table in ("delivery", "effect", "event", "note", "acceptance", "case_message", "case_number",
                                                       "case_participant")},
    ("view_retention", "item"): "`retain`, once a day, and an erasure",
}

# Where it has to go along this index and no other.
ALONG = {
    ("claim", "run"): "run_may_hold", ("work", "run"): "run_may_hold", ("runs", "run"): "run_open",
    ("share", "run"): "run_alive", ("intake", "delivery"): "delivery_standing", ("elsewhere", "effect"): "effect_elsewhere",
    ("step_effect", "run"): "run_entered", ("webhook_next", "webhook_outbox"): "webhook_open",
}

# Of these statements SQLite is not asked: they are another database's, or pieces that are put together.
NOT_ASKED = {
    "move_plan": "pieces, with the names of tables",
    "move_texts": "the same",
    "move_note": "of a table that is there while a ledger is moved",
    "postgres": "PostgreSQL's",
    "postgres_link": "PostgreSQL's",
}


def members(library):
    names = subprocess.run(["ar", "t", library], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        yield name.removesuffix(".c.o"), subprocess.run(["ar", "p", library, name], capture_output=True, check=True).stdout


def statements():
    """Module and text of each."""
    for module, octets in members(LIBRARY):
        for text in re.findall(rb"(?<=\0)(?:SELECT|UPDATE|DELETE|INSERT|WITH) [ -~]+(?=\0)", b"\0" + octets):
            yield module, text.decode()


@pytest.fixture(name="ledger", scope="module")
def make_ledger():
    ledger = sqlite3.connect(":memory:")
    for path in sorted((TOP / "src" / "store" / "sql").glob("*.sql")):
        ledger.executescript(path.read_text())
    return ledger


def plan(ledger, text):
    return [row[3] for row in ledger.execute("EXPLAIN QUERY PLAN " + text, {str(n): 1 for n in range(1, 50)})]


def tables_of(ledger, text):
    """What each name in a plan of this statement stands for."""
    every = {row[0] for row in ledger.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")} | {"sqlite_schema"}
    named = re.findall(r"(\w+|\)) AS (\w+)", text)
    return {**{name: name for name in every}, **{alias: name if name in every else None for name, alias in named}}


def walks(line):
    """The name in the plan of what is walked through; None where nothing is."""
    found = re.match(r"(SCAN|SEARCH) (\w+)(?:.* \(([^()]*)\))?", line)
    if not found:
        return None
    how, name, columns = found.groups()
    if how == "SCAN":
        return name
    by = set(re.findall(r"(\w+)[=<>]", columns or ""))
    return name if by and by <= COARSE else None


def walked(ledger):
    """Module, table, plan and text of every walk."""
    for module, text in statements():
        if module in NOT_ASKED:
            continue
        tables = tables_of(ledger, text)
        for line in plan(ledger, text):
            table = tables.get(walks(line))
            if table and table not in SMALL:
                yield module, table, line, text


def allowed(module, table, line):
    return (module, table) in ALLOWED and ALONG.get((module, table), "") in line.split() + [""]


def test_no_statement_walks_through_what_grows(ledger):
    found = list(walked(ledger))
    new = [f"{module}: {line}\n    {text}" for module, table, line, text in found if not allowed(module, table, line)]
    assert not new, "a walk through a table that grows: give it an index and a bound, or a reason\n" + "\n".join(new)


def test_no_statement_makes_an_index_of_its_own(ledger):
    """It would be kept in memory, as large as what it is of; `view_webhooks` has as many rows as there are webhooks."""
    assert not [(module, text) for module, text in statements() if module not in {*NOT_ASKED, "view_webhooks"}
                for line in plan(ledger, text) if "AUTOMATIC" in line]


def test_every_statement_is_looked_at(ledger):
    asked, modules = Counter(), set()
    for module, text in statements():
        modules.add(module)
        if module not in NOT_ASKED:
            plan(ledger, text)
            asked[module] += 1
    assert sum(asked.values()) > 300, asked
    assert set(NOT_ASKED) <= modules, f"no such module: {sorted(set(NOT_ASKED) - modules)}"
