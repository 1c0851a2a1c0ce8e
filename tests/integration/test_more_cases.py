# SPDX-License-Identifier: Apache-2.0
"""The folder tests/cases/more through the whole program: loops, replies, bounces and copies.

A case is NAME.eml with NAME.expect.json, as those of tests/cases; of files that belong together (t01a-…,
t01b-…) each arrives when those before it are done, so that one may name what became of another. More is
expected here than there: the class of the arrival, what the mail is for, why it waits, whose case it joins,
and what came back about its confirmation.
"""
import re

import pytest

from rig import TOP, Rig, assert_invariants, effects
from test_case_files import MANY, case_files

FOLDER = TOP / "tests" / "cases" / "more"
NAMES = sorted(eml.stem for eml in FOLDER.glob("*.eml"))


def group_of(name):
    """The files' common name, and which of them it is: t01, b; what stands alone is first."""
    number, letter = re.match(r"([a-z]\d\d)([abc]?)-", name).groups()
    return number, letter or "a"


def settings(rig):
    rig.mailbox["addresses"] = ["helpdesk@example.org", "hilfe@bücher.example"]
    rig.letters["per_recipient_limit"] = MANY
    rig.settings["case"] = {"per_sender_limit": MANY}
    rig.settings["threading"] = {"staff": ["*@staff.example.org"]}


@pytest.fixture(scope="module")
def found(servers, scratch):
    """File name -> its arrival and its item."""
    folder = scratch / "more"
    folder.mkdir()
    rig, names = Rig(servers, folder, "more"), []
    settings(rig)
    try:
        for letter in "abc":
            now = [name for name in NAMES if group_of(name)[1] == letter]
            rig.deliver(*[(FOLDER / f"{name}.eml").read_bytes() for name in now])
            names += now
            rig.once()
        assert_invariants(rig)
        arrivals = {names[d["uid"] - 1]: d for d in rig.json("deliveries")}
        items = {item["key"]: item for item in rig.items()}
        reports = {key: rig.json("item", key)["report_list"] for key in reported(arrivals)}
        yield {name: (d, items[d["key"]], reports.get(d["key"])) for name, d in arrivals.items()}
    finally:
        rig.end()


def reported(arrivals):
    """Keys of those of which an expectation says what came back: each costs a process."""
    return {arrivals[name]["key"] for name in NAMES if "reports" in expectation(name)}


def expectation(name):
    return case_files.expectation(FOLDER / f"{name}.eml")


def facts(arrival, item):
    letter = (effects(item, "acknowledgement") or [{"status": "none", "reason": None}])[0]
    copy = arrival["class"] not in ("first", "conflict", "gateway_copy")
    return {"class": arrival["class"], "disposition": item["disposition"], "reason": item["reason"],
            "ack": letter["status"] == "done" and not copy, "skip": letter["reason"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_case_comes_out_as_expected(name, found):
    expected, (arrival, item, reports) = expectation(name), found[name]
    have = facts(arrival, item)
    for word in ("class", "disposition", "reason", "ack"):
        if word in expected:
            assert (word, have[word]) == (word, expected[word])
    if expected.get("ack_suppressed_reason"):
        assert have["skip"] in case_files.SUPPRESSED[expected["ack_suppressed_reason"]]
    if "reports" in expected:
        assert [report["action"] for report in reports] == expected["reports"]
    mates = [mate for mate in NAMES if group_of(mate)[0] == group_of(name)[0] and mate != name]
    joined = [mate for mate in mates if item["case"] and found[mate][1]["case"] == item["case"]]
    wanted = [mate for mate in mates if expected.get("joins") == group_of(mate)[1]]
    assert joined == wanted or group_of(name)[1] == "a" or expected.get("reason"), "whose case it joins"
