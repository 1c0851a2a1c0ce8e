# SPDX-License-Identifier: Apache-2.0
"""Real servers, and the program between them, watched from outside: time, processors, memory, calls."""
import json
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

TOP = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TOP / "tests" / "integration"), str(TOP / "tests" / "peers")]

from authority import Authority  # noqa: E402
from corpus import fill  # noqa: E402
from dovecot import free_port  # noqa: E402
from postfix import Postfix  # noqa: E402
from rig import PROGRAM, MailServer, Rig  # noqa: E402

CONNECTIONS = 2
KB, MB = 1024, 1024 * 1024
SYNCS = ("fsync", "fdatasync", "syncfs")


class Sink:
    """Postfix's smtp-sink: takes everything and keeps nothing; it counts."""

    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen(["/usr/sbin/smtp-sink", "-u", "nobody", "-c", f"127.0.0.1:{self.port}", "100"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.said = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while more := self.process.stdout.read1(65536):
            self.said = (self.said + more)[-200:]

    def count(self):
        found = re.findall(rb"mesg=(\d+)", self.said)
        return int(found[-1]) if found else 0

    def end(self):
        self.process.kill()
        self.process.wait()


def below(pid):
    """A process and all that it has started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid] + [one for child in children for one in below(int(child))]


def memory_of(pid):
    """Octets of a process: what it shares counted by its share, and counted whole."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0, 0
    value = {name: int(kb) * KB for name, kb in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}
    return value.get("Pss", 0), value.get("Rss", 0)


class Peaks(threading.Thread):
    """The most that a process and all below it had at one time."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.together, self.counted_whole, self.largest, self.over = pid, 0, 0, 0, threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.02):
            each = [memory_of(pid) for pid in below(self.pid)]
            self.together = max(self.together, sum(pss for pss, _ in each))
            self.counted_whole = max(self.counted_whole, sum(rss for _, rss in each))
            self.largest = max([self.largest, *(rss for _, rss in each)])


class Scene:
    def __init__(self, folder=None):
        self.scratch = tempfile.TemporaryDirectory(prefix="bench.", dir=folder)
        self.folder, self.number = Path(self.scratch.name), 0
        self.authority = Authority(self.folder / "authority")
        certificate, key = self.authority.issue("server")
        self.dovecot = MailServer(certificate=certificate, key=key)
        self.certificate, self.key = certificate, key

    def __enter__(self):
        self.dovecot.__enter__()
        self.postfix = Postfix(self.certificate, self.key, self.dovecot.sasl, self.dovecot.lmtp)
        self.postfix.__enter__()
        self.sink = Sink()
        return self

    def __exit__(self, *why):
        self.sink.end()
        self.postfix.__exit__(*why)
        self.dovecot.__exit__(*why)
        self.scratch.cleanup()

    def user(self):
        self.number += 1
        return f"box{self.number}"

    def rig(self, into="sink", user=None):
        """A deployment of its own, with acknowledgements into the sink, Postfix or a port."""
        user = user or self.user()
        (self.folder / user).mkdir()
        servers = SimpleNamespace(authority=self.authority, dovecot=self.dovecot, postfix=self.postfix)
        rig = Rig(servers, self.folder / user, user)
        rig.letters.update(connections=CONNECTIONS, total_limit="1000000/1h", timeout="30s", final_timeout="30s")
        rig.settings["case"] = {"per_sender_limit": 0}
        del rig.settings["lease"]  # the tests' own is short; here it is what everybody has
        rig.settings["attachments"] = {"max_size": "100MB"}
        if into != "postfix":
            rig.send_to(self.sink.port if into == "sink" else into)
        return rig

    def fill(self, rig, mails, mark=""):
        fill(self.dovecot, rig.user, mails, mark)


def run_once(rig, watch=False, count=False, seconds=3600):
    """`run --once`: seconds, seconds of processors, the summary; watched, its peaks; counted, its calls."""
    rig.write()
    calls = rig.folder / "calls"
    words = ["strace", "-f", "-qq", "-c", "--seccomp-bpf", "-e", "trace=" + ",".join(SYNCS), "-o", calls] if count else []
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.Popen([*words, PROGRAM, "run", "--once", "--json"], env=rig.environment(), text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    peaks = Peaks(run.pid) if watch else None
    out, said = run.communicate(timeout=seconds)
    took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run.returncode == 0, said[-3000:]
    if peaks:
        peaks.over.set()
        peaks.join()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return SimpleNamespace(seconds=took, cpu=cpu, user=after.ru_utime - before.ru_utime, summary=json.loads(out), peaks=peaks,
                           syncs=syncs_of(calls) if count else None)


def syncs_of(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    return {row[-1]: int(row[3]) for row in rows if len(row) > 4 and row[-1] in SYNCS}
