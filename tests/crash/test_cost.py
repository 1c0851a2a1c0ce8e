# SPDX-License-Identifier: Apache-2.0
"""What a backlog costs in waiting for the disk, counted in calls: it does not depend on the machine's mood."""
from collections import Counter

from mails import part, plain, with_parts

MAILS = 60  # less than one batch
WITH_FILES = 10


def test_a_batch_waits_for_the_disk_together_and_for_each_letter_alone(make):
    deployment = make()
    deployment.letters["connections"] = 1
    for number in range(MAILS - WITH_FILES):
        deployment.deliver(plain(f"asks{number}"))
    for number in range(WITH_FILES):
        deployment.deliver(with_parts(f"sends{number}", part(f'attachment; filename="{number}.pdf"', bytes([number]) * 100_000)))
    called = Counter(call for mark, call, *_ in deployment.crash(None, status=0) if mark == ">")
    assert len(deployment.acknowledgements()) == MAILS
    assert called["files.sync_files"] <= 2, "what came, and the attachments"
    assert called["files.sync_folders"] <= 4, "what came, what is kept, the attachments, what the next look finds"
    assert called["reader.read"] + called["reader.look"] == MAILS, "each is read once, and decoded then"
    assert called["mailbox.fetch"] <= 4 and called["mailbox.move"] == 1, "by sets"
    assert called["files.create"] == MAILS and called["files.append"] <= MAILS + 2 * WITH_FILES, "64 kB at once"
    assert called["files.read"] <= 3 * MAILS and called["disk.sync"] <= 3 * MAILS, called
    assert called["sqlite.write"] <= 80 * MAILS, called
    # one commit arms a letter and settles the one before it; the rest is for all of a batch
    assert MAILS <= called["work.commit"] <= MAILS + 15, called
