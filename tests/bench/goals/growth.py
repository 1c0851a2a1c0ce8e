# SPDX-License-Identifier: Apache-2.0
"""Goal 4: what a message costs when there is much already: in the ledger, in the inbox, before a person.

Beside seconds it counts what does not depend on the machine's mood: the steps of statements, and the ledger's pages.
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


def each(scene, rig, count, mark):
    """What a message costs, for so many that are in the inbox at once."""
    path = rig.folder / f"counts{mark}"
    scene.fill(rig, corpus.small(count, first=1_000_000 * int(mark)), mark)
    rig.extra = counts.preloaded(PROGRAM, path)
    ran = run_once(rig)
    assert ran.summary["completed"] == count, ran.summary
    return {"time": ran.seconds / count, "processor": ran.cpu / count, **counts.read(path).each(count)}


def compared(scene, options, **much):
    """In turn with an empty ledger's; the first round warms up."""
    empty, full, took = started(scene), started(scene, **much), []
    for number in range(options.rounds + 1):
        took.append([each(scene, rig, options.few, str(number + 1)) for rig in (empty, full)])
    empty.end()
    full.end()
    return middle(took[1:])


def middle(rounds):
    """Of each figure: how many times as much, and what it is here and there."""
    return {name: (statistics.median(there[name] / max(here[name], 1e-9) for here, there in rounds),
                   statistics.median(here[name] for here, _ in rounds), statistics.median(there[name] for _, there in rounds))
            for name in FIGURES}


def growth(scene, options):
    found = {"few": options.few, "items": options.items, "waiting": options.waiting, "inbox": options.inbox}
    found["by_items"] = compared(scene, options, items=options.items)
    found["by_waiting"] = compared(scene, options, items=options.waiting * 2, waiting=options.waiting)
    found["by_inbox"] = middle([[each(scene, started(scene), count, "1") for count in (options.few, options.inbox)]])
    return found


def growth_goals(found):
    items, waiting, inbox = (found[name] for name in ("by_items", "by_waiting", "by_inbox"))
    yield Goal(4, f"times the processor a message, {found['items']:,} items in the ledger", items["processor"][0], "times", at_most=1.1)
    yield Goal(4, f"times the time a message, {found['items']:,} items in the ledger", items["time"][0], "times", at_most=1.1)
    yield Goal(4, "times the steps of the ledger's statements, likewise", items["steps of statements"][0], "times", at_most=1.1)
    yield Goal(4, f"times the time a message, {found['inbox']:,} in the inbox and not {found['few']}", inbox["time"][0], "times", at_most=1.2)
    yield Goal(4, f"times the time a message, {found['waiting']:,} wait for a person", waiting["time"][0], "times", at_most=1.1)
    yield Goal(4, "times the steps of the ledger's statements, likewise", waiting["steps of statements"][0], "times", at_most=1.1)


def growth_text(found):
    def told(name, figures):
        each = (f"{times:.2f} times the {what} ({1000 * here:.2f} and {1000 * there:.2f} ms)" if what in ("time", "processor") else
                f"{times:.2f} times the {what} ({here:.1f} and {there:.1f})" for what, (times, here, there) in figures.items())
        return f"{name}: " + ", ".join(each)
    return [told(name, found[f"by_{where}"]) for name, where in (("ledger", "items"), ("waiting", "waiting"), ("inbox", "inbox"))]
