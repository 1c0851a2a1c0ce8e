# SPDX-License-Identifier: Apache-2.0
"""Goal 4: what a message costs when there is much already: in the ledger, in the inbox, before a person."""
import sqlite3
import statistics
import sys

from rig import TOP

sys.path.insert(0, str(TOP / "tests" / "console"))

import corpus  # noqa: E402
from goal import Goal  # noqa: E402
from large_ledger import enlarge  # noqa: E402
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
        enlarge(rig.data / "ledger.db", items, items)
    if waiting:
        with sqlite3.connect(rig.data / "ledger.db") as db:
            db.execute(WAITS, (waiting,))
        db.close()
    run_once(rig)
    return rig


def each(scene, rig, count, mark):
    """Seconds and seconds of processor a message, for so many that are in the inbox at once."""
    scene.fill(rig, corpus.small(count, first=1_000_000 * int(mark)), mark)
    ran = run_once(rig)
    assert ran.summary["completed"] == count, ran.summary
    return ran.seconds / count, ran.cpu / count


def compared(scene, options, **much):
    """In turn with an empty ledger's."""
    empty, full, took = started(scene), started(scene, **much), []
    for number in range(1, options.rounds + 1):
        took.append((each(scene, empty, options.few, str(number)), each(scene, full, options.few, str(number))))
    empty.end()
    full.end()
    return [statistics.median(there[n] / here[n] for here, there in took) for n in (0, 1)]


def growth(scene, options):
    found = {"few": options.few, "items": options.items, "waiting": options.waiting, "inbox": options.inbox}
    found["by_items"] = compared(scene, options, items=options.items)
    found["by_waiting"] = compared(scene, options, items=options.waiting * 2, waiting=options.waiting)
    few, many = (each(scene, started(scene), count, "1") for count in (options.few, options.inbox))
    found["by_inbox"] = [many[n] / few[n] for n in (0, 1)]
    return found


def growth_goals(found):
    yield Goal(4, f"times the processor a message, {found['items']:,} items in the ledger", found["by_items"][1], "times", at_most=1.1)
    yield Goal(4, f"times the time a message, {found['items']:,} items in the ledger", found["by_items"][0], "times", at_most=1.1)
    yield Goal(4, f"times the time a message, {found['inbox']:,} in the inbox and not {found['few']}", found["by_inbox"][0], "times", at_most=1.2)
    yield Goal(4, f"times the time a message, {found['waiting']:,} wait for a person", found["by_waiting"][0], "times", at_most=1.1)


def growth_text(found):
    return [f"{name}: {took:.2f} times the time, {cpu:.2f} times the processor" for name, (took, cpu) in
            (("ledger", found["by_items"]), ("waiting", found["by_waiting"]), ("inbox", found["by_inbox"]))]
