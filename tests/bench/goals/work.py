# SPDX-License-Identifier: Apache-2.0
"""Goals 1, 3 and 6: how much gets done, with how much memory, processor and waiting for the disk."""
import statistics

import corpus
import raw
from goal import Goal
from scene import MB, run_once

# Measured on other programs in the same rig, by hand; not measured again here.
OTHERS = {"osTicket": (6.3, 50), "mbsync, which only copies": (105, 2)}


def raw_figures(scene, mails):
    user = scene.user()
    corpus.fill(scene.dovecot, user, mails)
    fetch, move = raw.fetch_and_move(scene, user, len(mails))
    found = {"fetch": fetch, "parse": raw.parse(mails), "store": raw.store(scene.folder, mails), "commit": raw.commit(scene.folder),
             "send": raw.send_to_sink(scene, len(mails)), "send_postfix": raw.send_to_postfix(scene, user, len(mails)), "move": move}
    serial = sum(found[step] for step in ("fetch", "parse", "store", "commit", "move"))
    return {**found, "limit_sink": 1 / (serial + found["send"]), "limit_postfix": 1 / (serial + found["send_postfix"])}


def onecase(scene, mails, into, **how):
    rig = scene.rig(into)
    scene.fill(rig, mails)
    before = scene.sink.count()
    ran = run_once(rig, **how)
    assert ran.summary["completed"] == len(mails), ran.summary
    if into == "sink":
        assert scene.sink.count() - before == len(mails), "not one acknowledgement each"
    else:
        assert len(rig.acknowledgements()) == len(mails), "not one acknowledgement each"
    rig.end()
    return ran


def throughput(scene, options):
    mails, rounds = corpus.mixed(options.messages), []
    for _ in range(options.rounds):
        figures = raw_figures(scene, mails)
        for into in ("sink", "postfix"):
            ran = onecase(scene, mails, into)
            figures[into], figures[f"cpu_{into}"] = len(mails) / ran.seconds, ran.cpu / len(mails)
        rounds.append(figures)
    return {"corpus": corpus.sizes(mails), "rounds": rounds,
            **{name: statistics.median(one[name] for one in rounds) for name in rounds[0]},
            **{f"ratio_{into}": statistics.median(one[into] / one[f"limit_{into}"] for one in rounds) for into in ("sink", "postfix")}}


def throughput_goals(found):
    yield Goal(1, "of the strict serial limit, into a sink", found["ratio_sink"] * 100, "%", at_least=70)
    yield Goal(1, "of the strict serial limit, into Postfix", found["ratio_postfix"] * 100, "%", at_least=85)
    for name, (rate, times) in OTHERS.items():
        yield Goal(1, f"times {name} ({rate} a second, measured elsewhere)", found["sink"] / rate, "times", at_least=times)


def throughput_text(found):
    size = found["corpus"]
    lines = [f"{size['messages']} messages, {size['octets'] / MB:.0f} MB, {size['mean'] / 1000:.0f} kB at the mean, "
             f"{size['median'] / 1000:.1f} kB in the middle; milliseconds a message, bare:"]
    steps = ("fetch", "parse", "store", "commit", "send", "send_postfix", "move")
    lines.append("   ".join(f"{step} {found[step] * 1000:.2f}" for step in steps))
    for into in ("sink", "postfix"):
        lines.append(f"into {'a sink' if into == 'sink' else 'Postfix'}: limit {found['limit_' + into]:.0f} a second, onecase {found[into]:.0f}, "
                     f"{found['ratio_' + into] * 100:.0f} %, {found['cpu_' + into] * 1000:.2f} ms of processor a message")
    return lines


def memory(scene, options):
    found = {}
    for name, mails in (("many", corpus.mixed(options.many)), ("large", corpus.mixed(20) + corpus.large(45 * MB))):
        peaks = onecase(scene, mails, "sink", watch=True).peaks
        found[name] = {"messages": len(mails), "together": peaks.together, "counted_whole": peaks.counted_whole, "largest": peaks.largest}
    return found


def memory_goals(found):
    many, large = found["many"], found["large"]
    yield Goal(3, f"memory of all processes together, {many['messages']} messages", many["together"] / MB, "MB", at_most=48)
    yield Goal(3, "the same, one message of 45 MB among them", large["together"] / MB, "MB", at_most=64)


def memory_text(found):
    return [f"{name}: together {one['together'] / MB:.1f} MB (shared pages counted once), {one['counted_whole'] / MB:.1f} MB with "
            f"shared pages counted for each process, largest process {one['largest'] / MB:.1f} MB" for name, one in found.items()]


def cost(scene, options):
    mails = corpus.mixed(options.messages)
    ran, counted = [onecase(scene, mails, "sink") for _ in range(options.rounds)], onecase(scene, mails, "sink", count=True)
    return {"messages": len(mails), "cpu": min(one.cpu for one in ran) / len(mails), "user": min(one.user for one in ran) / len(mails),
            "syncs": counted.syncs}


def cost_goals(found):
    yield Goal(6, "processor a message", found["cpu"] * 1000, "ms", at_most=1.5)
    yield Goal(6, "waits for the disk a message (fsync, fdatasync, syncfs)", sum(found["syncs"].values()) / found["messages"], "")


def cost_text(found):
    each = ", ".join(f"{count} {name}" for name, count in sorted(found["syncs"].items()))
    return [f"{found['messages']} messages: {each}; {found['user'] * 1000:.2f} ms of the processor time is the program's own, "
            f"{(found['cpu'] - found['user']) * 1000:.2f} the kernel's"]
