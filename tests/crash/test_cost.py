# SPDX-License-Identifier: Apache-2.0
"""What a backlog costs in waiting for the disk, counted in calls: it does not depend on the machine's mood."""
from collections import Counter

from mails import plain

MAILS = 60  # less than one batch


def test_a_batch_waits_for_the_disk_together_and_for_each_letter_alone(make):
    deployment = make()
    deployment.letters["connections"] = 1
    for number in range(MAILS):
        deployment.deliver(plain(f"asks{number}"))
    called = Counter(call for mark, call, *_ in deployment.crash(None, status=0) if mark == ">")
    assert len(deployment.acknowledgements()) == MAILS
    assert called["files.sync"] == MAILS, "each mail's octets"
    assert called["files.sync_folders"] <= 3, "what came, what is kept, and what the next look finds"
    # one commit arms a letter and settles the one before it; the rest is for all of a batch
    assert MAILS <= called["work.commit"] <= MAILS + 15, called
