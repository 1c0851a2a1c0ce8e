# SPDX-License-Identifier: Apache-2.0
"""No page reads a table of the ledger from end to end; tests/bench/console says how long each takes."""
import importlib.machinery
import importlib.util
import re
import shutil
import sqlite3

import pytest

from conftest import TOOLS, TOP, Desk
from large_ledger import enlarge

# Not what persons do (approval, look) nor what was in doubt (evidence): there are never many of it.
GROWS = "item|delivery|event|effect|attempt|case_record|case_message|case_number|note|attachment|f|e|i|b|c|other|waits|lost|tried"


def addresses(desk):
    loader = importlib.machinery.SourceFileLoader("bench", str(TOP / "tests/bench/console"))
    bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(bench)
    return [path for _, path in bench.pages(desk)]


@pytest.fixture(scope="module")
def watched(ledger, tmp_path_factory):
    """Years of mail, and every query of the console written down with its plan."""
    folder = tmp_path_factory.mktemp("watched")
    shutil.copytree(ledger, folder / "data")
    enlarge(folder / "data/ledger.db", 4000, 12000)
    desk = Desk(folder)
    token = desk.run("token", "add", "script", "--role", "admin").stdout.strip()
    desk.environment = lambda: {**Desk.environment(desk), "LD_PRELOAD": str(TOOLS / "plan_watch.so"),
                                "PLAN_WATCH": str(folder / "plans")}
    desk.start()
    visitor = desk.visitor("admin")
    yield desk, visitor, {"Authorization": "Bearer " + token}, folder / "plans"
    assert desk.stop() == 0


def test_every_page_and_list_goes_along_an_index(watched):
    desk, visitor, script, plans = watched
    for path in addresses(desk):
        answer = desk.visitor().get(path, **script) if path.startswith("/api/") else visitor.get(path)
        assert answer.status == 200, path
    told = re.findall(r"QUERY (.*)\n((?:PLAN .*\n)*)", plans.read_text())
    assert len(told) > 60
    parts = [name for name, in desk.sql("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'")]
    along = rf"(?! USING (COVERING )?INDEX ({'|'.join(parts)})\b)"  # an index of a few rows
    whole = [(query, plan) for query, plan in told if re.search(rf"^PLAN SCAN ({GROWS})\b{along}", plan, re.M)]
    assert not whole, "\n".join(f"{query}\n{plan}" for query, plan in whole)


def test_no_page_counts_rows_to_be_skipped():
    said = [path.name for path in (TOP / "src/store").glob("*.c") if re.search(r"\bOFFSET\b", path.read_text())]
    assert said == ["view_drawn.c"]  # the middle of a day's times


def test_what_the_ledger_counts_is_what_there_is(watched):
    desk, *_ = watched
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        for counted, rows in (
                ("SELECT mailbox, state, n FROM item_count WHERE n > 0", "SELECT mailbox, state, COUNT(*) FROM item GROUP BY 1, 2"),
                ("SELECT mailbox, class, won, n FROM delivery_count",
                 "SELECT mailbox, class, won, COUNT(*) FROM delivery GROUP BY 1, 2, 3"),
                ("SELECT kind, outcome, n FROM attempt_count", "SELECT effect.kind, outcome, COUNT(*) FROM attempt"
                 " JOIN effect ON effect.id = attempt.effect WHERE outcome <> '' GROUP BY 1, 2"),
                ("SELECT SUM(n), SUM(sum_ms) FROM confirmation_count", "SELECT COUNT(*), SUM(MAX(attempt.ended_at - internal_ms, 0))"
                 " FROM attempt JOIN effect ON effect.id = attempt.effect JOIN item ON item.key = effect.key WHERE outcome = 'done'"
                 " AND effect.kind = 'acknowledgement' AND effect.target <> 'closed' AND attempt.ended_at IS NOT NULL")):
            assert sorted(db.execute(counted)) == sorted(db.execute(rows)), counted
