# SPDX-License-Identifier: Apache-2.0
"""Words that stand in no enum, but in the code as they are: each that reaches the ledger has its label."""
import re

from conftest import TOP

WORDS = {(kind, word) for kind, word in
         re.findall(r'^    \{ "([a-z]+)",\s+"([^"]*)",', (TOP / "src/front/words.c").read_text(), re.M)}


def literals(pattern, *folders):
    return {word for folder in folders for file in sorted((TOP / "src" / folder).glob("*.c"))
            for word in re.findall(pattern, file.read_text(), re.S)}


def test_every_kind_of_evidence_has_a_label():
    kinds = literals(r'batch_evidence\([^;"]*"([a-z-]+)"', "service") \
        | literals(r'evidence[^;]{0,80}\.kind = "([a-z-]+)"', "service", "store") \
        | literals(r'\.kind = "([a-z-]+)"', "service") \
        | literals(r'return "(blind-copy)"|return "reply"', "store") \
        | literals(r'\? "(delivery-report)" : "reply"', "store") | {"reply"}
    kinds.discard("")
    assert {"evidence-folder", "processed", "late-reply", "blind-copy", "delivery-report"} <= kinds
    assert {kind for kind in kinds if ("evidence", kind) not in WORDS} == set()


def test_every_reason_of_a_step_has_a_label():
    reasons = literals(r'->reason = (?:[^;"]*\? )?"([a-z-]+)"', "service") | literals(r'->reason = [^;]*: "([a-z-]+)"', "service") \
        | literals(r'give_reason\([^;]*?"([a-z-]+)"', "core") | literals(r'\? "([a-z]+-[a-z-]+)"', "core") \
        | literals(r"reason = '([a-z-]+)'", "store")
    assert {"absent", "letter", "found-filed", "total-limit", "ledger-restored"} <= reasons
    known = {word for kind, word in WORDS if kind in ("note", "skip", "reason")}
    assert reasons - known == set()


def test_no_two_words_of_one_kind_are_the_same_row():
    rows = re.findall(r'^    \{ "([a-z]+)",\s+"([^"]*)",', (TOP / "src/front/words.c").read_text(), re.M)
    assert len(rows) == len(set(rows))
