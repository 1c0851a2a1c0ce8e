# SPDX-License-Identifier: Apache-2.0
"""Goal 1: the same mailbox by what Debian ships for the job: fetchmail and Request Tracker's mail gate."""
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import corpus
from goal import Goal
from request_tracker import RequestTracker
from rig import PASSWORD
from scene import below, run_once

RC = """poll 127.0.0.1 with protocol imap service {port} auth password
  user "{user}" there with password "{password}" is root here fetchall nokeep sslproto ""
  mda "/usr/bin/rt-mailgate-5 --queue Support --action correspond --url {url}/"
"""


def spent(pids):
    total = 0
    for pid in pids:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(words[11]) + int(words[12]) + int(words[13]) + int(words[14])
    return total / os.sysconf("SC_CLK_TCK")


def by_fetchmail(scene, tracker, mails):
    user, home = scene.user(), scene.folder / "fetchmail"
    corpus.fill(scene.dovecot, user, mails)
    home.mkdir(exist_ok=True)
    (home / "rc").write_text(RC.format(port=scene.dovecot.imap, user=user, password=PASSWORD, url=tracker.url))
    (home / "rc").chmod(0o600)
    before, made = resource.getrusage(resource.RUSAGE_CHILDREN), tracker.count()
    work, began = spent(below(tracker.process.pid)), time.monotonic()
    done = subprocess.run(["fetchmail", "-f", home / "rc", "--pidfile", home / "pid", "--idfile", home / "ids", "-s"],
                          env={**os.environ, "FETCHMAILHOME": str(home)}, capture_output=True, text=True, check=False)
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert tracker.count() - made == len(mails), f"{tracker.count() - made} tickets of {len(mails)}: {done.stdout}{done.stderr}"
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime + spent(below(tracker.process.pid)) - work
    return took / len(mails), cpu / len(mails)


def by_onecase(scene, mails):
    rig = scene.rig()
    scene.fill(rig, mails)
    ran = run_once(rig)
    assert ran.summary["completed"] == len(mails), ran.summary
    rig.end()
    return ran.seconds / len(mails), ran.cpu / len(mails)


def others(scene, options):
    folder = tempfile.tempdir
    tempfile.tempdir = "/dev/shm" if Path("/dev/shm").exists() else None  # RT's account must reach what is its own
    try:
        with RequestTracker(guests=True) as tracker:
            by_fetchmail(scene, tracker, corpus.small(2, first=1))  # it has loaded what it needs
            theirs = by_fetchmail(scene, tracker, corpus.small(options.tickets, first=100))
    finally:
        tempfile.tempdir = folder
    ours = by_onecase(scene, corpus.small(options.few, first=200))
    return {"tickets": options.tickets, "theirs": 1 / theirs[0], "their_cpu": theirs[1], "messages": options.few, "ours": 1 / ours[0],
            "our_cpu": ours[1]}


def others_goals(found):
    yield Goal(1, "times fetchmail with Request Tracker's mail gate, in the same run", found["ours"] / found["theirs"], "times", at_least=200)


def others_text(found):
    return [f"fetchmail and rt-mailgate: {found['theirs']:.1f} tickets a second, nobody told; onecase: {found['ours']:.0f} cases a second, everybody "
            f"told; {found['their_cpu'] * 1000:.0f} and {found['our_cpu'] * 1000:.1f} ms of processor a message"]
