# SPDX-License-Identifier: Apache-2.0
"""What people read, word for word. GOLDEN=write writes the pages anew; read what changed before it is
committed."""
import os
import re
import unicodedata

import pytest

from conftest import TOP

GOLDEN = TOP / "tests" / "cli" / "golden"

PAGES = [  # name, width, what is typed
    ("status", 80, "status"),
    ("items", 80, "items"),
    ("items-120", 120, "items"),
    ("items-40", 40, "items"),
    ("items-to-decide", 80, "items --state needs_reconciliation"),
    ("items-not-told", 80, "items --not-told"),
    ("items-none", 80, "items --mailbox orders"),
    ("item-done", 80, "item HD-EGGGRWE0"),
    ("item-in-doubt", 80, "item HD-7PP1307J"),
    ("item-not-told", 80, "item HD-KSGYFP4K"),
    ("item-next-try", 80, "item HD-G168VNN6"),
    ("item-not-answered", 80, "item HD-ZVQ1WN6G"),
    ("item-conflict", 80, "item 10bedee54427"),
    ("item-unreadable", 80, "item b4379aab578c"),
    ("item-decided", 80, "item HD-0FEPGNXS"),
    ("item-appended", 80, "item 74d91149d21a"),
    ("item-60", 60, "item HD-7PP1307J"),
    ("deliveries", 80, "deliveries"),
    ("deliveries-copies", 80, "deliveries --state duplicate"),
    ("cases", 80, "cases"),
    ("case", 80, "case HD-EGGGRWE0"),
    ("report-duplicates", 80, "report duplicates"),
    ("report-decisions", 80, "report decisions"),
    ("report-decisions-160", 160, "report decisions"),
    ("report-replays", 80, "report replays"),
    ("deployments", 80, "deployments"),
    ("suspects", 80, "suspects"),
    ("check", 80, "check"),
    ("replay", 80, "replay HD-7PP1307J"),
    ("help", 80, "help"),
    ("help-resolve", 80, "help resolve"),
    ("help-report", 80, "help report"),
]


def typed(desk, words, width=80):
    said = desk.run(*words.split(), width=width, status=None)
    assert said.stderr == ""
    return said.stdout.replace(str(desk.folder), "/FOLDER")


@pytest.mark.parametrize("name, width, words", PAGES, ids=[page[0] for page in PAGES])
def test_a_page_reads_as_it_did(desk, name, width, words):
    page, file = typed(desk, words, width), GOLDEN / f"{name}.txt"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(page)
    assert page == file.read_text()


def test_every_golden_page_is_compared():
    assert {file.stem for file in GOLDEN.iterdir()} == {name for name, _, _ in PAGES}


@pytest.mark.parametrize("words", sorted({words for _, _, words in PAGES}))
def test_no_bare_internal_word_reaches_a_person(desk, words):
    """But for what is to be typed, which is the program's own."""
    page = re.sub(r"onecase items --state \w+|--\S+( [a-z|-]+)?|/\S+", "", typed(desk, words))
    if words == "report duplicates":  # the names for --rows
        page = re.sub(r"^( +\d+  .*)  \S+$", r"\1", page, flags=re.M)
    if words.startswith("help"):
        page = re.sub(r"^.*--state S[^\n]*(\n {20,}[^\n]*)*", "", page, flags=re.M)
        page = re.sub(r"received, in_progress, complete or needs_reconciliation|late_decisions", "", re.sub(r"\s+", " ", page))
    assert re.findall(r"\b[a-z]+_[a-z_]+\b", page.replace("needs_reconciliation=", "").replace("not_told=", "")) == []
    for word in ("auto-submitted", "said-none", "gave-up", "acknowledgement-", "evidence-folder", "message-id", "redelivered"):
        assert word not in page


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@pytest.mark.parametrize("words", ["items", "deliveries", "cases", "report decisions", "deployments"])
def test_no_line_of_a_table_is_wider_than_the_terminal(desk, words):
    for width in (10, 20, 33, 40, 55, 72, 80, 81, 99, 132):
        lines = typed(desk, words, width).splitlines()
        assert lines and max(map(columns, lines)) <= width


def test_where_nobody_says_how_wide_it_is_nothing_is_cut(desk):
    assert "…" not in typed(desk, "items", None)


def test_what_a_sender_wrote_does_not_reach_the_terminal_as_a_control(desk):
    for words in ("items", "cases", "item HD-G168VNN6", "case HD-G168VNN6", "report duplicates"):
        page = typed(desk, words)
        assert not [c for c in page if c != "\n" and unicodedata.category(c) in ("Cc", "Cf")]


def test_times_are_in_the_zone_of_the_configuration(desk):
    desk.config.write_text(desk.config.read_text().replace("timezone: UTC", "timezone: Australia/Perth"))
    assert "2026-03-02 20:40:08  arrival" in typed(desk, "item HD-7PP1307J")
    assert '"first_seen": "2026-03-02T12:40:08Z"' in typed(desk, "item HD-7PP1307J --json")


def test_a_reference_is_taken_as_people_write_it(desk):
    page = typed(desk, "item HD-7PP1307J")
    for name in ("hd-7pp1307j", "[HD-7PP1307J]", "HD-7PPI3O7J", "3dac1180f20f", "3DAC1180", " HD-7PP1307J "):
        assert desk.run("item", name).stdout == page
    assert typed(desk, "case hd-7pp1307j") == typed(desk, "case HD-7PP1307J")
