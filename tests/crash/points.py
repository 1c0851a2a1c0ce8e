# SPDX-License-Identifier: Apache-2.0
"""The points of the crash matrix: which call, which time, and what happens there; and which rows of the
fault matrix they are."""
from typing import NamedTuple

LEDGER = ("deferred", "broken")
WRITES = ("deferred", "broken", "unknown", "lost")  # a COMMIT whose outcome could not even be read back
SERVER = ("deferred", "refused")
DISK = ("deferred", "broken")

# What each port allows its calls to answer; the headers of include/onecase/ say so.
ANSWERS = {
    "runs.facts": LEDGER, "runs.enter": LEDGER, "runs.others": LEDGER, "runs.bury": LEDGER, "runs.renew": LEDGER,
    "runs.leave": LEDGER, "mailboxes.load": LEDGER, "mailboxes.save": WRITES, "mailboxes.rewind": WRITES,
    "mailboxes.renumber": WRITES, "intake.unseen": LEDGER, "intake.missing": LEDGER,
    "intake.reserve": WRITES, "intake.octets_known": LEDGER,
    "intake.begin_reading": LEDGER, "intake.end_reading": LEDGER, "work.claim": WRITES, "work.commit": WRITES,
    "work.next_due": LEDGER, "work.doubts": LEDGER, "work.filing_taken": LEDGER, "work.case_stands": LEDGER,
    "mailbox.open": SERVER, "mailbox.unchanged": ("deferred",), "mailbox.list": SERVER, "mailbox.fetch": SERVER, "mailbox.remove": SERVER,
    "mailbox.append": SERVER + ("unknown", "lost"), "mailbox.move": SERVER + ("unknown", "lost"),
    "mailbox.search": SERVER, "courier.begin": ("refused",), "courier.next": ("broken",),
    "blobs.begin": DISK, "blobs.add": DISK, "blobs.keep_incoming": DISK, "blobs.keep_original": DISK,
    "blobs.keep_attachment": DISK, "blobs.sync_spools": DISK, "blobs.settle": DISK, "blobs.read": DISK, "blobs.forget": DISK,
    "files.create": DISK, "files.append": DISK, "files.sync_files": DISK, "files.link": DISK, "files.make_folder": DISK,
    "files.sync_folders": DISK, "files.read": DISK, "files.remove": DISK, "files.space": DISK,
    "reader.read": ("refused", "deferred", "broken"), "reader.look": ("refused", "deferred", "broken"), "composer.compose": ("refused",),
    "processes.enter": ("broken",),
}

# Where the answer is for good, what comes of it is another end: the letter is recorded as refused.
FOR_GOOD = {("refused", "courier.begin"), ("refused", "composer.compose")}

# Inside the ledger's transactions, the servers' dialogues and the disk: where one is over the next begins.
INNER = {"sqlite.write": ("before",), "sqlite.commit": ("before",), "net.wait": ("before",),
         "disk.write": ("full", "eio"), "disk.sync": ("eio",)}

# Which rows of the fault matrix a kill (or an answer, or a failing disk) at that call is.
ROWS = {
    "mailbox.fetch": ["C01"], "blobs.begin": ["C01"], "blobs.add": ["C01"], "blobs.keep_incoming": ["C01", "C02"],
    "intake.reserve": ["C02", "C04"], "sqlite.write": ["C03"], "sqlite.commit": ["C03"],
    "work.claim": ["C04"], "work.case_stands": ["C05"],
    "files.create": ["C06"], "files.append": ["C06"], "files.sync_files": ["C06"], "files.link": ["C07"],
    "blobs.keep_attachment": ["C06", "C07"],
    "courier.begin": ["C08"], "net.wait": ["C08", "C09", "C10", "C11b"], "courier.next": ["C09", "C10", "C12"],
    "work.commit": ["C11a", "C12", "C13"], "courier.release": ["C11a", "C11b"],
    "mailbox.move": ["C13", "C16"], "imap.delete": ["C14"], "imap.expunge": ["C15"],
    "disk.write": ["L01", "L02", "B01"], "disk.sync": ["L02"],
}

SAMPLE = 56  # points of a run that is not full


class Point(NamedTuple):
    how: str
    call: str
    nth: int

    def __str__(self):
        return f"{self.how} {self.call} {self.nth}"

    @property
    def changes_the_end(self):
        return (self.how, self.call) in FOR_GOOD


def points_of(counts):
    """Every point of a run that reached each call so often."""
    points = []
    for call, count in counts.items():
        for nth in range(1, count + 1):
            points += [Point(how, call, nth) for how in INNER.get(call, ("before", "after"))]
            points += [Point(how, call, nth) for how in ANSWERS.get(call, ())]
    return points


def sampled(points, size):
    """Evenly spread, and of each call and each way at least one."""
    first = {(p.how, p.call): p for p in reversed(points)}
    rest = [p for p in points if p not in first.values()]
    room = max(0, size - len(first))
    step = max(1.0, len(rest) / room) if room else len(rest) + 1
    chosen = {rest[int(i * step)] for i in range(room) if int(i * step) < len(rest)} | set(first.values())
    return [p for p in points if p in chosen]
