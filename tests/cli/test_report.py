# SPDX-License-Identifier: Apache-2.0
"""The report of duplicates: its numbers add up, each has its rows, and that of the past stays what it was."""
import json

import pytest

from conftest import EVENING

BY = ("--by", "Bob", "--reason", "he rang")
UNTIL = "2026-03-02T18:00:00Z"  # half an hour before
CONFLICT, DOUBT = "10bedee54427", "HD-7PP1307J"


def report(desk, *words, **more):
    return json.loads(desk.run("report", "duplicates", *words, "--json", **more).stdout)


def numbers(said):
    """(name for --rows, number) of every number that the report prints."""
    totals = dict(said["totals"])
    for name, count in totals.pop("decided").items():
        yield f"decided.{name}", count
    yield from totals.items()
    for name, count in said["boundaries"].items():
        yield f"boundaries.{name}", count
    for part, name in (("by_day", "day"), ("by_mailbox", "mailbox"), ("by_sender_domain", "domain")):
        for row in said[part]:
            yield f"{name}:{row[name]}", row["duplicates"]
    for key in said["keys"]:
        yield f"key:{key['key']}", key["deliveries"]
    yield "late_decisions", len(said["late_decisions"])


def unbalanced(totals):
    classes = ["redelivered", "reobserved", "returned", "list_copy", "gateway_copy", "replayed", "conflict"]
    arrivals = ["new_cases", "appended", "reports", "evidence", "adopted", "held"]
    return [totals["deliveries"] - totals["first"] - sum(totals[c] for c in classes),
            totals["first"] - sum(totals[a] for a in arrivals),
            totals["held"] + totals["conflict"] + totals["gateway_copy"] - sum(totals["decided"].values())]


@pytest.mark.parametrize("period", [(), ("--until", UNTIL), ("--since", "2026-03-02T12:30:00Z", "--until", UNTIL)])
def test_every_number_has_exactly_as_many_rows(desk, period):
    desk.run("resolve", CONFLICT, "--conflict", "dismiss", *BY)
    said = report(desk, *period)
    listed = list(numbers(said))
    assert len(listed) >= 28 and sum(count > 0 for _, count in listed) > 8
    for name, count in listed:
        rows = report(desk, *period, "--rows", name)
        assert len(rows) == count, name
        assert len({json.dumps(row) for row in rows}) == count, f"{name} has a row twice"
    assert unbalanced(said["totals"]) == [0, 0, 0]


def test_the_rows_are_the_arrivals_that_the_ledger_has(desk):
    arrivals = json.loads(desk.run("deliveries", "--json").stdout)
    for name in {d["class"] for d in arrivals} | {"list_copy"}:
        rows = report(desk, "--rows", name)
        assert {row["id"] for row in rows} == {d["id"] for d in arrivals if d["class"] == name}
    doubts = {item["key"] for item in json.loads(desk.run("items", "--json").stdout)
              if any((e["kind"], e["status"]) == ("acknowledgement", "unknown") for e in item["effects"])}
    assert doubts and doubts <= {row["key"] for row in report(desk, "--rows", "acknowledgements_withheld")}


def test_what_is_decided_later_is_listed_and_changes_nothing_of_the_past(desk):
    period = ("--until", UNTIL)
    before = report(desk, *period)
    assert before["late_decisions"] == [] and before["totals"]["decided"]["waiting"] > 1
    desk.run("resolve", CONFLICT, "--conflict", "dismiss", *BY)
    desk.run("resolve", DOUBT, "--acknowledgement", "none", *BY)
    after = report(desk, *period)
    late = after.pop("late_decisions")
    assert [(d["decision"], d["by"]) for d in late] == \
        [("conflict-dismiss", "Bob (root)"), ("acknowledgement-none", "Bob (root)")]
    before.pop("late_decisions")
    assert after == before
    whole = report(desk)["totals"]["decided"]
    assert whole["dismissed"] == before["totals"]["decided"]["dismissed"] + 1
    assert whole["waiting"] == before["totals"]["decided"]["waiting"] - 1
    page = desk.run("report", "duplicates", *period).stdout
    assert "Late decisions" in page and "Late decisions" not in desk.run("report", "duplicates").stdout
    page = desk.run("report", "duplicates", *period, "--format", "html").stdout
    assert "Decided after this period" in page and "Bob (root)" in page
    assert "Decided after this period" not in desk.run("report", "duplicates", "--format", "html").stdout


def test_a_decision_that_is_taken_back_later_counts_until_then(desk):
    """Each period by what stood at its end."""
    def decided(until):
        return report(desk, "--until", until, STILL_CLOCK=str(EVENING + 3600))["totals"]["decided"]

    waiting = decided(UNTIL)["waiting"]
    desk.run("resolve", CONFLICT, "--conflict", "dismiss", *BY)
    desk.run("resolve", CONFLICT, "--undo", *BY, STILL_CLOCK=str(EVENING + 600))
    assert [decided(f"2026-03-02T18:{minute}:00Z")["waiting"] for minute in (29, 35, 45)] == \
        [waiting, waiting - 1, waiting]


def test_a_number_that_the_report_does_not_have_is_said_with_those_it_has(desk):
    said = desk.run("report", "duplicates", "--rows", "copies", status=64).stderr
    assert "no number 'copies'" in said and "cases_prevented" in said and "day:..." in said
