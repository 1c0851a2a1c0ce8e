# SPDX-License-Identifier: Apache-2.0
"""The folder of cases, and how what was found is compared with what is expected.

A case is NAME.eml with NAME.expect.json; a pair is two of them, NNNa-… and NNNb-…, of which the
first is delivered first. `differences` takes the facts of one mail in the shape that judge_mail
prints, whoever found them: the reader alone, or the whole program.
"""
import json
import os
import re
from datetime import datetime
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("ONECASE_CASES", TOP.parent / "shared/cases"))
KINDS = TOP / "tests/data/cases"  # more of the same kinds, each a case by itself

# The rule that keeps a sender from being answered: its words in the expectations, and ours.
SUPPRESSED = {
    "duplicate": {"duplicate"},
    "auto-submitted": {"auto-submitted"},
    "no-sender": {"no-address"},
    "null-return-path": {"null-path"},
    "dsn": {"report", "null-path"},
    "mdn": {"report"},
    "precedence": {"bulk", "list"},
    "list": {"list"},
    "x-auto-response-suppress": {"suppress"},
    "own-address": {"own-address"},
    "no-reply": {"no-reply"},
}


def expectation(eml):
    return json.loads(eml.with_suffix(".expect.json").read_text())


def cases():
    """Lists of files that belong together, in the order of delivery."""
    groups = {}
    for eml in sorted(FOLDER.glob("*.eml")):
        pair = re.match(r"(c\d+)[ab]-(.*)", eml.stem)
        groups.setdefault("-".join(pair.groups()) if pair else eml.stem, []).append(eml)
    return groups


def fold(text):
    return re.sub(r"\s+", " ", text or "").strip()


def instant_ms(text):
    return None if text is None else int(datetime.fromisoformat(text).timestamp() * 1000)


def lower(text):
    return (text or "").lower() or None


def attachment_differences(expected, found):
    """`found` may have more than is expected where a container was unpacked as well."""
    unpacked = any(a.get("type") == "application/ms-tnef" for a in expected)
    if len(found) != len(expected) and not (unpacked and len(found) > len(expected)):
        yield f"attachments: expected {len(expected)}, found {[a['name'] for a in found]}"
        return
    for number, (want, have) in enumerate(zip(expected, found), 1):
        for key, value in want.items():
            if have[key] != value:
                yield f"attachment {number}: {key}: expected {value!r}, found {have[key]!r}"


def differences(expected, found):
    """What is not as expected, in words; nothing where all is."""
    simple = {
        "key_source": lambda: found["key_source"],
        "message_id": lambda: found["message_id"],
        "subject": lambda: found["subject"],
        "ack": lambda: found["ack"],
    }
    for key, value in simple.items():
        if key in expected and expected[key] != value():
            yield f"{key}: expected {expected[key]!r}, found {value()!r}"
    if "from" in expected and lower(expected["from"]) != lower(found["from"]):
        yield f"from: expected {expected['from']!r}, found {found['from']!r}"
    if "reply_to" in expected:
        first = (found["reply_to"] or [None])[0]
        if lower(expected["reply_to"]) != lower(first):
            yield f"reply_to: expected {expected['reply_to']!r}, found {first!r}"
    if "date" in expected and instant_ms(expected["date"]) != found["date_ms"]:
        yield f"date: expected {expected['date']!r}, found {found['date_ms']!r}"
    for text in expected.get("text_contains", []):
        if fold(text) not in fold(found["text"]):
            yield f"text: {text!r} is not in {found['text']!r}"
    if "attachments" in expected:
        yield from attachment_differences(expected["attachments"], found["attachments"])
    reason = expected.get("ack_suppressed_reason")
    if reason in SUPPRESSED and found["skip"] not in SUPPRESSED[reason]:
        yield f"suppressed: expected {reason}, found {found['skip']!r}"


def pair_differences(expected, found):
    """What a pair's notes say of its keys: the same, or different ones."""
    note = " ".join(e.get("note", "") for e in expected)
    same = found[0]["key"] == found[1]["key"]
    if re.search(r"PAIR: same key", note) and not same:
        yield "the keys differ"
    if re.search(r"PAIR: different key", note) and same:
        yield "the keys are the same"
