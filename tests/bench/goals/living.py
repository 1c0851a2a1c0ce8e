# SPDX-License-Identifier: Apache-2.0
"""Goals 5 and 6: how soon a mail is answered, also behind a backlog, and what waiting costs."""
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import corpus
from cyrus import Cyrus
from goal import Goal
from imap_proxy import ImapProxy
from mails import plain
from rig import PASSWORD, Rig, await_
from scene import below
from smtp_peer import SmtpPeer


def one_at_a_time(rig, peer, count):
    """Milliseconds from the arrival of each in an idle mailbox until its acknowledgement is taken."""
    service, took = rig.serve(), []
    await_(lambda: rig.uids("onecase"), "the first turn")
    for number in range(count):
        rig.imap().append("INBOX", "", None, plain(f"latency{number}"))
        began = time.monotonic()
        while len(peer.accepted) <= number:
            assert time.monotonic() - began < 20, "no acknowledgement came"
            time.sleep(0.0005)
        took.append((time.monotonic() - began) * 1000)
        await_(lambda: len(rig.uids("Processed")) > number, "it is filed")
        time.sleep(0.05)  # the service waits again
    service.end()
    return took


def idle_mailbox(count):
    """On Cyrus, which tells of news at once; Dovecot gathers them for half a second."""
    scratch = Path(tempfile.mkdtemp(prefix="latency.", dir="/dev/shm" if Path("/dev/shm").exists() else None))
    try:
        with Cyrus() as box, SmtpPeer() as peer:
            box.password = PASSWORD
            servers = SimpleNamespace(dovecot=box, postfix=SimpleNamespace(port=25), authority=SimpleNamespace(file="/dev/null"))
            (scratch / "rig").mkdir()
            rig = Rig(servers, scratch / "rig", "latency")
            rig.through(SimpleNamespace(port=box.imap))
            rig.send_to(peer.port)
            rig.mailbox["poll_interval"] = "1h"
            try:
                return one_at_a_time(rig, peer, count)
            finally:
                rig.end()
    finally:
        shutil.rmtree(scratch)


def behind_backlog(scene, options):
    """Seconds until each of some mails is taken that come once the backlog is being worked on, and the backlog's own."""
    with SmtpPeer() as peer:
        rig = scene.rig(peer.port)
        scene.fill(rig, corpus.small(options.backlog))
        service, began, came = rig.serve(), time.monotonic(), {}
        await_(lambda: len(peer.accepted) > options.backlog // 10, "the backlog is under way", 120)
        for number in range(5):
            octets = plain(f"late{number}")
            rig.imap().append("INBOX", "", None, octets)
            came[number] = time.monotonic()
        late, seen, ended = {}, 0, began
        while seen < options.backlog + 5:
            for letter in peer.accepted[seen:]:
                seen += 1
                number = next((number for number in came if f"late{number}".encode() in letter), None)
                if number is None:
                    ended = time.monotonic()  # of the backlog
                else:
                    late[number] = time.monotonic() - came[number]
            assert time.monotonic() - began < 900, "it does not come to an end"
            time.sleep(0.01)
        service.end()
        rig.end()
    return {"backlog": options.backlog, "seconds": ended - began, "left": ended - came[0], "late": sorted(late.values())}


def latency(scene, options):
    took = sorted(idle_mailbox(options.mails))
    return {"mails": len(took), "median": statistics.median(took), "p99": took[max(0, len(took) * 99 // 100 - 1)], "slowest": took[-1],
            "behind": behind_backlog(scene, options)}


def latency_goals(found):
    behind = found["behind"]
    yield Goal(5, "from arrival in an idle mailbox to acknowledgement, median", found["median"], "ms", at_most=50)
    yield Goal(5, "the same, 99 of 100", found["p99"], "ms", at_most=200)
    yield Goal(5, f"times as long as the rest of a backlog of {behind['backlog']:,} takes waits what comes behind it", behind["late"][-1] / behind["left"],
               "times", at_most=1.2)


def latency_text(found):
    behind = found["behind"]
    return [f"{found['mails']} mails one at a time: median {found['median']:.0f} ms, 99 of 100 within {found['p99']:.0f}, slowest {found['slowest']:.0f}",
            f"backlog of {behind['backlog']}: {behind['seconds']:.1f} s; what came when a tenth was done was told after "
            f"{behind['late'][0]:.1f} to {behind['late'][-1]:.1f} s, the rest took {behind['left']:.1f} s"]


def wakes(pid):
    total = 0
    for one in below(pid):
        text = Path(f"/proc/{one}/status").read_text()
        total += int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return total


def written(rig):
    """What the ledger's files show of a write: its log grows, or its events."""
    return [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(rig.data.glob("ledger.db*")) if "shm" not in path.name]


def idle(scene, options):
    """Looking every second at a server without IDLE, and waiting for one that has it."""
    found = {"seconds": options.idle}
    for name, without in (("polling", {"IDLE"}), ("waiting", ())):
        with ImapProxy(scene.dovecot.imap, without=without) as proxy:
            rig = scene.rig()
            scene.fill(rig, [])
            rig.through(proxy)
            rig.settings["lease"] = "5m"
            rig.mailbox["poll_interval"] = "1s" if without else "1h"
            try:
                service = rig.serve()
                await_(lambda: rig.uids("onecase"), "the first turn")
                time.sleep(3)
                before, files = (len(proxy.commands), wakes(service.process.pid)), written(rig)
                time.sleep(options.idle)
                after = (len(proxy.commands), wakes(service.process.pid))
                found[name] = {"said": [str(line) for line in proxy.commands[before[0]:after[0]]][:8], "commands": after[0] - before[0],
                               "wakes": after[1] - before[1], "wrote": files != written(rig)}
                service.end()
            finally:
                rig.end()
    return found


def idle_goals(found):
    polls = found["seconds"]
    yield Goal(6, "commands an idle poll says", found["polling"]["commands"] / polls, "", at_most=1.1)
    yield Goal(6, "idle polls that write to the ledger", float(found["polling"]["wrote"]), "", at_most=0)
    yield Goal(6, "wake-ups a minute of all processes, waiting by IDLE", found["waiting"]["wakes"] * 60 / found["seconds"], "", at_most=200)


def idle_text(found):
    return [f"{name} for {found['seconds']} s: {found[name]['commands']} commands, {found[name]['wakes']} wake-ups, "
            f"{'wrote' if found[name]['wrote'] else 'wrote nothing'}" for name in ("polling", "waiting")]
