# SPDX-License-Identifier: Apache-2.0
"""Goal 4: what a message costs when there is much already: in the ledger, in the inbox, before a person.

The goals are of the mixture of mails that all the others are measured with. Beside them stands what small mails cost, of
which the ledger is nearly all, and what does not depend on the machine's mood: the steps of statements, and the ledger's pages.
"""
import sqlite3
import statistics
import sys

from rig import TOP

sys.path.insert(0, str(TOP / "tests" / "console"))

import corpus  # noqa: E402
import counts  # noqa: E402
from goal import Goal  # noqa: E402
from large_ledger import enlarge  # noqa: E402
from rig import PROGRAM  # noqa: E402
from scene import run_once  # noqa: E402

WAITS = """
UPDATE item SET state = 'needs_reconciliation', reason = 'gave-up', completed_at = NULL, next_due = NULL
WHERE state = 'complete' AND rowid IN (SELECT rowid FROM item WHERE state = 'complete' ORDER BY rowid LIMIT ?)
"""


def started(scene, items=0, waiting=0):
    """A deployment that has run once, with so much in its ledger; again, so that its caches know it."""
    rig = scene.rig()
    scene.fill(rig, [])
    run_once(rig)
    if items:
        enlarge(rig.data / "ledger.db", items, items, uidvalidity=rig.uidvalidity(), busy=0)
    if waiting:
        with sqlite3.connect(rig.data / "ledger.db") as db:
            db.execute(WAITS, (waiting,))
        db.close()
    run_once(rig)
    return rig


FIGURES = ("time", "processor", "steps of statements", "pages written", "pages read")


KINDS = {"mixture": corpus.mixed, "small": corpus.small}
WRITTEN_AT_ONCE = 500


def each(scene, rig, kind, count, number):
    """What a message costs, for so many of a kind that are in the inbox at once; `number` is another each time."""
    path = rig.folder / f"counts{number}"
    for first in range(0, count, WRITTEN_AT_ONCE):
        mails = KINDS[kind](min(WRITTEN_AT_ONCE, count - first), first=1_000_000 * number + first)
        scene.fill(rig, mails, f"{number}.{first}.")
    rig.extra = counts.preloaded(PROGRAM, path)
    ran = run_once(rig)
    assert ran.summary["completed"] == count, ran.summary
    return {"time": ran.seconds / count, "processor": ran.cpu / count, **counts.read(path).each(count)}


def compared(scene, options, **much):
    """In turn with an empty ledger's; the first round of each kind warms up."""
    empty, full, found = started(scene), started(scene, **much), {}
    for tens, kind in enumerate(KINDS):
        took = [[each(scene, rig, kind, options.few, 100 * tens + number) for rig in (empty, full)]
                for number in range(1, options.rounds + 2)]
        found[kind] = middle(took[1:])
    empty.end()
    full.end()
    return found


def middle(rounds):
    """Of each figure: how many times as much, and what it is here and there."""
    return {name: (statistics.median(there[name] / max(here[name], 1e-9) for here, there in rounds),
                   statistics.median(here[name] for here, _ in rounds), statistics.median(there[name] for _, there in rounds))
            for name in FIGURES}


def in_inbox(scene, options, kind):
    """The whole of an inbox, beside a small one's; each has a ledger of its own, which is empty when it begins."""
    rigs = [started(scene), started(scene)]
    found = middle([[each(scene, rig, kind, count, 1) for rig, count in zip(rigs, (options.few, options.inbox))]])
    for rig in rigs:
        rig.end()
    return found


def growth(scene, options):
    found = {"few": options.few, "items": options.items, "waiting": options.waiting, "inbox": options.inbox}
    found["by_items"] = compared(scene, options, items=options.items)
    found["by_waiting"] = compared(scene, options, items=options.waiting * 2, waiting=options.waiting)
    found["by_inbox"] = {kind: in_inbox(scene, options, kind) for kind in KINDS}
    return found


WHERE = {"by_items": ("items", "items in the ledger", 1.1), "by_inbox": ("inbox", "messages in the inbox", 1.2),
         "by_waiting": ("waiting", "items wait for a person", 1.1)}


def growth_goals(found):
    for where, (size, there, wanted) in WHERE.items():
        mixture, small = found[where]["mixture"], found[where]["small"]
        yield Goal(4, f"times the time a message, {found[size]:,} {there}", mixture["time"][0], "times", at_most=wanted)
        yield Goal(4, "times the processor, likewise", mixture["processor"][0], "times", at_most=wanted)
        yield Goal(4, "times the steps of the ledger's statements, likewise", mixture["steps of statements"][0], "times", at_most=wanted)
        yield Goal(4, "times the time a small message, likewise", small["time"][0], "times")


def growth_text(found):
    def told(where, kind, figures):
        each = (f"{times:.2f} times the {what} ({1000 * here:.2f} and {1000 * there:.2f} ms)" if what in ("time", "processor") else
                f"{times:.2f} times the {what} ({here:.1f} and {there:.1f})" for what, (times, here, there) in figures.items())
        return f"{WHERE[where][1]}, {kind}: " + ", ".join(each)
    return [told(where, kind, figures) for where in WHERE for kind, figures in found[where].items()]
