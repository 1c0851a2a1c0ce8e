# SPDX-License-Identifier: Apache-2.0
"""Every case of the case folder through the whole program: in over IMAP, judged by what its JSON says.

The expectations and how they are compared are those of tests/cases; the last lines say how many came out.
"""
import sys
from datetime import datetime

import pytest

from rig import TOP, Rig, assert_invariants, effects

sys.path.insert(0, str(TOP / "tests" / "cases"))
import case_files  # noqa: E402

MANY = "100000/1h"


def apart(files):
    """Lists of files for one inbox each: those that say the same stand in different ones, but for pairs."""
    inboxes, seen = [], {}
    for group in files:
        first = case_files.expectation(group[0])
        says = first.get("message_id") or (first.get("from"), first.get("subject"))
        number = seen[says] = seen.get(says, -1) + 1
        inboxes += [[] for _ in range(number + 1 - len(inboxes))]
        inboxes[number] += group
    return inboxes


def judge(rig, files):
    """File name -> what the program made of it, all of them in one inbox."""
    rig.mailbox["addresses"] = ["helpdesk@example.org"]
    rig.letters["per_recipient_limit"] = MANY
    rig.settings["case"] = {"per_sender_limit": MANY}
    rig.deliver(*[file.read_bytes() for file in files])
    rig.once()
    items = {item["key"]: item for item in rig.items()}
    cases = {case["key"]: rig.json("case", case["reference"]) for case in rig.json("cases")}
    assert_invariants(rig)
    return {files[d["uid"] - 1].name: facts(d, items[d["key"]], cases) for d in rig.json("deliveries")}


@pytest.fixture(scope="module")
def judged(servers, scratch):
    found = {}
    for number, files in enumerate(apart(case_files.cases().values())):
        folder = scratch / f"cases{number}"
        folder.mkdir()
        rig = Rig(servers, folder, f"cases{number}")
        try:
            found.update(judge(rig, files))
        finally:
            rig.end()
    return found


def instant_ms(text):
    return None if text is None else int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def facts(arrival, item, cases):
    copy = arrival["class"] != "first"
    letter = (effects(item, "acknowledgement") or [{"status": "none", "reason": item["reason"]}])[0]
    case = cases.get(item["key"], {"attachments": [], "messages": []})
    message = next((m for m in case["messages"] if m["key"] == item["key"]), {})
    return {
        "key": item["key"], "key_source": item["key_source"], "message_id": item["message_id"],
        "from": message.get("from"), "reply_to": [message["reply_to"]] if message.get("reply_to") else [],
        "subject": message.get("subject"), "date_ms": instant_ms(message.get("date")), "text": message.get("text"),
        "attachments": case["attachments"], "ack": letter["status"] == "done" and not copy,
        "skip": "duplicate" if copy else letter["reason"],
    }


@pytest.mark.parametrize("name", case_files.cases())
def test_a_case_comes_out_as_expected(name, judged, record_property):
    group = case_files.cases()[name]
    record_property("case files", len(group))
    said = [f"{eml.name}: {line}" for eml in group
            for line in case_files.differences(case_files.expectation(eml), judged[eml.name])]
    if len(group) == 2:
        said += case_files.pair_differences([case_files.expectation(eml) for eml in group],
                                            [judged[eml.name] for eml in group])
    assert said == []
