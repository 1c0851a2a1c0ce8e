# SPDX-License-Identifier: Apache-2.0
"""What a message costs, in counts that do not depend on the machine's mood, and that it costs the same when there is much already."""
import re
import sys

import pytest

import counts
from imap_proxy import ImapProxy
from mails import part, plain, with_parts
from rig import PROGRAM, TOP, await_
from smtp_peer import SmtpPeer

sys.path.insert(0, str(TOP / "tests" / "console"))
sys.path.insert(0, str(TOP / "tests" / "bench" / "goals"))
from corpus import fill  # noqa: E402
from large_ledger import enlarge  # noqa: E402

MAILS = 60

# Of each of 60 mails that come at once, over one connection: at most. Measured: 113.1, 6902, 6.9, 24.0 and 4.2. The
# slack is for what is counted once a run, and not for one more a message of what a turn does for each.
MOST = {"statements": 113.9, "steps of statements": 7000, "rows walked past": 7, "pages written": 26, "waits for the disk": 4.9}

# How many pages more a message writes in a large ledger (measured: 5.5): one for each index that it enters at random, which
# tests/rules/test_random_entries.py counts, and their upper pages.
PAGES_MORE = 7


@pytest.fixture(name="peer")
def make_peer():
    with SmtpPeer() as peer:
        yield peer


def counted(rig, number, mails):
    """What a run costs that finds so many mails in the inbox."""
    path = rig.folder / f"counts{number}"
    for mail in mails:
        rig.deliver(mail)
    rig.extra = counts.preloaded(PROGRAM, path)
    assert rig.once()["completed"] == len(mails)
    rig.extra = {}
    return counts.read(path)


def some(name):
    return [plain(f"{name}{number}") for number in range(MAILS)]


@pytest.fixture(name="desk")
def make_desk(rig, peer):
    rig.send_to(peer.port)
    rig.letters["connections"] = 1
    rig.settings["lease"] = "5m"
    rig.once()
    return rig


def test_a_message_costs_no_more_than_this_and_the_same_in_a_large_ledger(desk):
    each = counted(desk, 1, some("first")).each(MAILS)
    print("\na message: " + ", ".join(f"{value:.1f} {what}" for what, value in each.items()))
    dear = [f"{what}: {each[what]:.1f} a message, {most} are allowed" for what, most in MOST.items() if each[what] > most]
    assert not dear, "\n".join(dear)
    before = counted(desk, 2, some("second"))
    enlarge(desk.data / "ledger.db", 4000, 4000, uidvalidity=desk.uidvalidity(), busy=0)
    after = counted(desk, 3, some("third"))
    few, many = before.each(MAILS), after.each(MAILS)
    for what in ("statements", "steps of statements", "waits for the disk"):
        assert many[what] <= few[what] * 1.03 + 1, f"{what}: {many[what]:.1f} and not {few[what]:.1f}\n" + after.dearest(before)
    print(f"{few['pages written']:.1f} pages written a message, {many['pages written']:.1f} in a large ledger")
    assert many["pages written"] <= few["pages written"] + PAGES_MORE
    assert many["rows walked past"] <= few["rows walked past"] + 1, after.dearest(before)


def test_the_octets_of_a_large_mail_are_hashed_once_for_each_that_is_to_be_known(desk):
    """All of them and the body, for who it is; each file before it gets its name, and before its mail leaves the inbox."""
    files = [bytes(range(256)) * 800, bytes(reversed(range(256))) * 400]
    mail = with_parts("large", *(part(f'attachment; filename="file{number}.pdf"', octets) for number, octets in enumerate(files)))
    cost = counted(desk, 4, [mail])
    wanted = 2 * len(mail) + 2 * sum(map(len, files))
    print(f"\na mail of {len(mail)} octets: {cost.octets_hashed} hashed in {cost.times_hashed} pieces, {wanted} are looked at")
    assert cost.octets_hashed <= wanted * 1.05 + 90_000  # the ledger is opened twice, and its migrations compared
    assert cost.times_hashed <= len(mail) / 100, "line by line, which costs more than the hashing itself"


def test_one_mail_into_a_large_inbox_asks_for_that_mail_alone(rig):
    """Whatever else stands there: of that only the UIDs are asked for, by one command."""
    rig.mailbox.update(mode="look-only", poll_interval="1h")
    rig.deliver(*(plain(f"stays{number}") for number in range(230)))  # more than are asked for at once
    with ImapProxy(rig.box.imap) as proxy:
        rig.through(proxy)
        service = rig.serve()
        await_(lambda: len(rig.items()) == 230, "all are seen", 60)
        await_(lambda: proxy.said("IDLE"), "it waits")
        at = len(proxy.commands)
        rig.deliver(plain("comes"))
        await_(lambda: len(rig.items()) == 231, "the new one is seen")
        asked = [line for line in proxy.commands[at:] if "INTERNALDATE" in line]
        assert asked and all(line.split()[2].isdecimal() for line in asked), asked
        assert sum("UNDELETED" in line for line in proxy.commands[at:]) <= 2, proxy.commands[at:]
        assert service.end() == 0


def test_where_mail_is_filed_to_is_looked_at_once_a_turn(rig):
    """Also for more mail than one batch: what was filed says where the folder ends."""
    rig.letters["enabled"] = False
    rig.deliver(plain("makes the folder"))
    assert rig.once()["completed"] == 1
    fill(rig.box, rig.user, [(plain(f"filed{number}"), []) for number in range(201)])
    with ImapProxy(rig.box.imap) as proxy:
        rig.through(proxy)
        assert rig.once()["completed"] == 201
    assert [sum(line.startswith(what) for line in proxy.commands) for what in ("UID MOVE", "EXAMINE Processed", "SELECT INBOX")] \
        == [2, 1, 1], proxy.commands


def test_mail_is_answered_in_the_order_in_which_it_came_also_under_a_backlog(rig, peer):
    """What comes meanwhile waits for what was there, and for nothing that comes after it."""
    rig.send_to(peer.port)
    rig.mailbox["poll_interval"] = "1h"
    rig.settings["lease"] = "5m"
    rig.deliver(*(plain(f"n{number:03}e") for number in range(150)))
    service = rig.serve()
    await_(lambda: len(peer.accepted) > 20, "the backlog is under way", 60)
    for first in (150, 160, 170):
        rig.deliver(*(plain(f"n{number:03}e") for number in range(first, first + 10)))
    await_(lambda: len(peer.accepted) == 180, "all are answered", 60)
    order = [int(re.search(rb"n(\d\d\d)e", letter)[1]) for letter in peer.accepted]
    assert sorted(order) == list(range(180))
    late = {number: place for place, number in enumerate(order) if abs(place - number) > 20}
    assert not late, f"mail: place in which it was answered: {late}"
    assert service.end() == 0
