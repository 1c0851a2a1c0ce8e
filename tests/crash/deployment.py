# SPDX-License-Identifier: Apache-2.0
"""One deployment for one kill: an account of the shared Dovecot, a scripted SMTP server, and the program
with points to be killed at (onecase-crash). What is seen of it is seen from outside."""
import collections
import email
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / "integration"), str(TOP / "tests" / "peers")]

import mails  # noqa: E402
import rig  # noqa: E402
from dovecot import Dovecot, PASSWORD as DEFAULT_PASSWORD  # noqa: E402
from smtp_peer import SmtpPeer  # noqa: E402

CRASHING = Path(os.environ.get("ONECASE_CRASHING", rig.PROGRAM.parent / "tests" / "onecase-crash"))

FAST = """
service imap-login {
  service_count = 0
  process_min_avail = 2
  process_limit = 4
}
service imap {
  service_count = 200
  process_min_avail = 2
  process_limit = 100
}
"""


class MailServer(Dovecot):
    """One Dovecot for all runs, quick to sign in to; `more` stands at the end of its configuration."""

    more = ""

    def write_config(self):
        super().write_config()
        path = self.folder / "dovecot.conf"
        path.write_text(path.read_text().replace(f"password={DEFAULT_PASSWORD}", f"password={rig.PASSWORD}") + FAST
                        + self.more)


def servers_of(dovecot):
    """What a rig wants to know of servers; letters go to a scripted one."""
    return SimpleNamespace(dovecot=dovecot, postfix=SimpleNamespace(port=1), authority=SimpleNamespace(file=""))


class Deployment(rig.Rig):
    def __init__(self, servers, folder, user, script=""):
        super().__init__(servers, folder, user)
        self.peer = SmtpPeer(script)
        self.trace, self.clock = self.folder / "trace", {}
        self.address = "help@box.example.org"
        self.settings["name"] = "help-desk"
        self.mailbox["imap"] = {"host": "127.0.0.1", "port": servers.dovecot.imap, "security": "none",
                                "username": user, "password_file": "password", "timeout": "5s"}
        self.mailbox["addresses"] = [self.address, "help@example.org"]
        self.letters["from"] = f"Service Desk <{self.address}>"
        self.letters.update(timeout="2s", final_timeout="1s", evidence={"wait": "0s"})
        self.send_to(self.peer.port)
        self.settings["retry"] = {"first_delay": "20ms", "max_delay": "50ms"}

    def __enter__(self):
        self.peer.__enter__()
        return self

    def __exit__(self, *_):
        if self.peer.stop.is_set():
            return
        self.end()
        self.peer.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)

    def acknowledgements(self):
        return [email.message_from_bytes(octets) for octets in self.peer.accepted]

    def write(self):
        """Only what is new: other processes may be reading it."""
        text = rig.yaml(self.settings) + "\n"
        if not self.config.exists() or self.config.read_text() != text:
            self.config.write_text(text)

    # running

    def crash(self, point, status=None):
        """`run --once` with one point; the words of its trace, a line each."""
        self.write()
        extra = {"ONECASE_CRASH_TRACE": str(self.trace), "ONECASE_CRASH_DISK": str(self.data)}
        extra |= {"ONECASE_CRASH": point} if point else {}
        done = subprocess.run([CRASHING, "run", "--once", "--json"], env={**self.environment(), **extra}, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        self.said += done.stderr
        assert status is None or done.returncode == status, done.stderr[-2000:]
        return [line.split() for line in self.trace.read_text().splitlines()]

    def stop_at(self, point, **more):
        """Starts `run --once` and comes back when its worker is stopped there; gives both processes."""
        self.write()
        run = subprocess.Popen([CRASHING, "run", "--once", "--json"], text=True, start_new_session=True,
                               env={**self.environment(), "ONECASE_CRASH": point, **more},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.services.append(rig.Service(run))
        return run, rig.await_(lambda: stopped_child(run.pid), f"the worker stops at {point}")

    def settle(self, seconds=20):
        """Runs until nothing moves any more (V9)."""
        until = time.monotonic() + seconds
        while True:
            done = self.run("run", "--once", "--json", status=None)
            if done.returncode == 0:
                summary = rig.json.loads(done.stdout)
                if not any(summary[word] for word in ("deliveries", "completed", "deferred")):
                    return
            assert time.monotonic() < until, f"V9: it does not come to rest: {done.stdout} {done.stderr[-3000:]}"

    def environment(self):
        return {**super().environment(), **self.clock}

    def set_clock(self, offset):
        """From now on the program's wall clock is wrong by so much; boot time goes on as it is."""
        library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
        self.clock = {"LD_PRELOAD": str(library), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                      "DONT_FAKE_MONOTONIC": "1"}

    # what people do

    def asked(self, reason):
        return [item for item in self.items("--state", "needs_reconciliation") if item["reason"] == reason]

    def resolve(self, key, *words, seconds=15):
        """A person's decision, repeated while the answer is `not yet`."""
        until = time.monotonic() + seconds
        while True:
            done = self.run("resolve", key, *words, "--by", "Ada", "--reason", "test", status=None)
            if done.returncode != 75:
                assert done.returncode == 0, f"resolve {words}: {done.returncode} {done.stdout}{done.stderr}"
                return
            assert time.monotonic() < until, done.stdout + done.stderr
            time.sleep(0.1)

    def settle_doubts(self):
        """For each acknowledgement in doubt a person looks at the server and says what is so."""
        taken = {letter["Message-ID"] for letter in self.acknowledgements()}
        for item in self.asked("acknowledgement-unknown"):
            effect, = rig.effects(item, "acknowledgement")
            word = f"<ack.{rig.acknowledgement_of(item['key'], effect['target'])}@box.example.org>"
            self.resolve(item["key"], "--acknowledgement", "sent" if word in taken else "not-sent")

    # what is seen

    def check(self):
        """V1 to V9."""
        rig.assert_invariants(self, self.acknowledgements(), killed=True)

    def end_state(self):
        """What must be the same however often it was killed: states, references, effects, files, letters."""
        folders = {folder: sorted(rig.sha256(octets) for octets in self.mails(folder).values())
                   for folder in self.folders() if folder != "onecase"}
        return {"items": {item["key"]: item_state(item) for item in self.items()},
                "cases": {case["reference"]: {k: v for k, v in case.items() if k != "created_at"}
                          for case in self.json("cases")},
                "deliveries": sorted((d["uid"], d["key"], d["folder"], d["class"], d["state"])
                                     for d in self.json("deliveries")),
                "letters": sorted(letter["Message-ID"] for letter in self.acknowledgements()),
                "files": self.files(), "folders": folders, "deeds": self.deeds()}

    def deeds(self):
        return sum(b"Subject: onecase: deed" in octets for octets in self.mails("onecase").values())


def stopped_child(parent):
    """The process of that parent which SIGSTOP has stopped, or None."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if words[0] == "T" and int(words[1]) == parent:
            return int(stat.parent.name)
    return None


def item_state(item):
    """An item without what tells of its way: times, tries, errors, and where it was moved to."""
    steps = sorted((e["kind"], "" if e["kind"] == "move" else e["target"], e["status"], e["reason"] or "")
                   for e in item["effects"])
    return {word: item[word] for word in ("key_source", "state", "disposition", "reason", "case",
                                          "completion_state", "deliveries", "duplicates")} | {"effects": steps}


def difference(expected, found, path=""):
    """Where two end states differ, a line each."""
    if isinstance(expected, dict) and isinstance(found, dict):
        lines = [difference(expected.get(k), found.get(k), f"{path}/{k}") for k in sorted({*expected, *found})]
        return "\n".join(filter(None, lines))
    if expected == found:
        return ""
    return f"{path}:\n    undisturbed: {expected}\n    now:         {found}"


def in_doubt(trace):
    """How many acknowledgements a killed run may have left in doubt: armed, or about to be, and not recorded."""
    doubt, begun = 0, {}
    for word, call, nth, *note in trace:
        if call != "work.commit":
            continue
        counts = dict(part.split("=") for part in note if "=" in part)
        if word == ">":
            begun[nth] = counts
            doubt += int(counts.get("arms", 0))
        elif word == "<" and note == ["ok"]:
            doubt -= int(begun[nth].get("settles", 0))
    return doubt


def letters_of_scenario():
    """Four mails: one with an attachment, one delivered twice, and another one under the first one's id."""
    date = mails.now()
    plain = mails.plain("asks", "It does not work.", "<asks@senders.example>", Date=date)
    with_file = mails.composed("file", message_id="<file@senders.example>", Date=date)
    with_file.add_attachment(mails.PDF, "application", "pdf", filename="offer.pdf", cte="base64")
    with_file.set_boundary("=_crash")
    other = mails.plain("asks", "Something else.", "<asks@senders.example>", Date=date)
    return [plain, with_file.as_bytes(), plain, other]


def count_by_call(trace):
    """How often each call was reached, in the order of the first time."""
    counts = collections.OrderedDict()
    for word, call, *_ in trace:
        counts[call] = counts.get(call, 0) + (word == ">")
    return counts
