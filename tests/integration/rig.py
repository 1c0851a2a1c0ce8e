# SPDX-License-Identifier: Apache-2.0
"""One mailbox on a real Dovecot, acknowledgements through a real Postfix, and the program between them.

The servers are shared by all tests (conftest.py); every rig has an account, a data folder and a
configuration of its own. What a rig knows it has looked up from outside: folders over IMAP, files on the
disk, letters where Postfix left them, and the program's own `--json`.
"""
import base64
import collections
import email
import hashlib
import imaplib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ONECASE", TOP / "build" / "onecase"))
sys.path.insert(0, str(TOP / "tests" / "peers"))

from dovecot import Dovecot, free_port  # noqa: E402

PASSWORD = "Fagott-4711"  # stands in no log
LINE = 10_000_000

MORE = """
protocols = imap lmtp
postmaster_address = postmaster@box.example.org
lda_mailbox_autocreate = yes
lmtp_save_to_detail_mailbox = no
recipient_delimiter = +
auth_username_format = %Ln
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
service auth {{
  inet_listener sasl {{
    address = 127.0.0.1
    port = {sasl}
  }}
}}
"""


class MailServer(Dovecot):
    """Dovecot that also takes mail by LMTP and lets Postfix ask it about passwords."""

    lmtp = sasl = 0
    password = PASSWORD

    def write_config(self):
        super().write_config()
        self.lmtp, self.sasl = free_port(), free_port()
        path = self.folder / "dovecot.conf"
        path.write_text(path.read_text() + MORE.format(lmtp=self.lmtp, sasl=self.sasl))


def yaml(value, indent=0):
    """A dict as block YAML, as a person would write it; leaves and small dicts on one line."""
    lines = []
    for key, one in value.items():
        margin = " " * indent
        if isinstance(one, dict) and indent > 0:
            lines.append(f"{margin}{key}: {flow(one)}")
        elif isinstance(one, dict):
            lines += [f"{margin}{key}:", yaml(one, indent + 2)]
        elif isinstance(one, list) and one and isinstance(one[0], dict):
            lines.append(f"{margin}{key}:")
            for element in one:
                block = yaml(element, indent + 4)
                lines.append(f"{margin}  - {block[indent + 4:]}")
        else:
            lines.append(f"{margin}{key}: {flow(one)}")
    return "\n".join(lines)


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    return json.dumps(value)


def sha256(octets):
    return hashlib.sha256(octets).hexdigest()


def as_stored(octets):
    """What is left of a mail in Dovecot: lines end with CRLF, and a NUL is not kept."""
    return re.sub(rb"\r?\n|\r", b"\r\n", octets).replace(b"\0", b"\x80")


def reference_of(key, prefix="HD-"):
    """Crockford base 32 of the key's first 40 bits."""
    bits = int(key, 16) >> (len(key) * 4 - 40)
    return prefix + "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[bits >> (35 - 5 * n) & 31] for n in range(8))


def acknowledgement_of(key, completion):
    return sha256(f"{key}:acknowledgement:{completion}".encode())[:32]


def await_(condition, what, seconds=20):
    """Until `condition` gives something true, which is returned."""
    until = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < until, f"not in {seconds} s: {what}"
        time.sleep(0.02)


class Service:
    """`onecase run`, going on until told to end; what it says is collected."""

    def __init__(self, process):
        self.process, self.log = process, []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.log.append(line)

    def said(self, text):
        return any(text in line for line in self.log)

    def end(self, how=signal.SIGTERM, seconds=20):
        """SIGKILL is for all of it: a worker that outlives its supervisor ends what it has in hand."""
        if self.process.poll() is None and how == signal.SIGKILL:
            os.killpg(self.process.pid, how)
        elif self.process.poll() is None:
            self.process.send_signal(how)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise
        self.reader.join(5)
        return status


def kill_at(rig, number, *words):
    """Runs a command that dies by SIGKILL where it gives a file a name, or takes it away, for the n-th time."""
    rig.write()
    preload = {"LD_PRELOAD": str(PROGRAM.resolve().parent / "tests" / "die_at.so"), "DIE_AT": str(number)}
    done = subprocess.run([PROGRAM, *words], env={**rig.environment(), **preload}, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, f"point {number} was not reached: {done.returncode} {done.stderr}"


def modified_utf7(name):
    return re.sub(r"[^ -~]+|&", lambda m: "&-" if m[0] == "&" else "&" + base64.b64encode(m[0].encode("utf-16-be"))
                  .decode().rstrip("=").replace("/", ",") + "-", name)


class Rig:
    """`box` is the server of its mailbox where that is not the Dovecot that all share."""

    def __init__(self, servers, folder, user, box=None):
        self.servers, self.folder, self.user = servers, Path(folder), user
        self.box = box or servers.dovecot
        self.postfix = servers.postfix
        self.data, self.config = self.folder / "data", self.folder / "onecase.yaml"
        self.address = f"{user}@box.example.org"
        self.delivered = []   # octets that tests put into the inbox
        self.said = ""        # everything that the program wrote to its error output
        self.services, self.connection = [], None
        self.extra = {}       # in the program's environment
        self.store = self.bucket = None  # where files are kept, if not in data_dir
        (self.folder / "password").write_text(PASSWORD + "\n")
        (self.folder / "password").chmod(0o600)
        authority = str(servers.authority.file)
        self.settings = {
            "name": user, "environment": "test", "owner": "tests@example.org",
            "data_dir": str(self.data), "templates_dir": str(TOP / "templates"),
            "mailboxes": [{
                "id": "help",
                "imap": {"host": "localhost", "port": self.box.imaps, "username": user,
                         "password_file": "password", "ca_file": authority, "timeout": "30s"},
                "addresses": [self.address, "help@example.org"],
                "poll_interval": "1s",
            }],
            "acknowledgement": {
                "smtp": {"host": "localhost", "port": servers.postfix.port, "security": "starttls",
                         "username": user, "password_file": "password", "ca_file": authority},
                "from": f"Service Desk <{self.address}>",
                "timeout": "5s", "final_timeout": "5s",
                "evidence": {"wait": "1s"},
            },
            "retry": {"first_delay": "100ms", "max_delay": "1s"},
            "lease": "5s", "stop_timeout": "5s",
            "disk": {"reserve": "0B"}, "console": {"listen": ""},
        }

    # configuration

    @property
    def mailbox(self):
        return self.settings["mailboxes"][0]

    @property
    def letters(self):
        return self.settings["acknowledgement"]

    def send_to(self, port, **smtp):
        """Acknowledgements go to another server, such as a scripted one, without TLS and sign-in."""
        self.letters["smtp"] = {"host": "localhost", "port": port, "security": "none", **smtp}

    def through(self, proxy):
        """The mailbox is reached by a proxy, without TLS."""
        self.mailbox["imap"].update(host="127.0.0.1", port=proxy.port, security="none")

    def write(self):
        self.config.write_text(yaml(self.settings) + "\n")

    # the program

    def environment(self):
        return {**os.environ, "LC_ALL": "C.UTF-8", "ONECASE_CONFIG": str(self.config), "TZ": "UTC", **self.extra}

    def run(self, *words, status=0, seconds=60, typed=""):
        """Runs a command; fails unless it ends with `status` (None: any)."""
        self.write()
        done = subprocess.run([PROGRAM, *words], env=self.environment(), capture_output=True, text=True,
                              input=typed, timeout=seconds)
        self.said += done.stderr
        assert status is None or done.returncode == status, \
            f"onecase {' '.join(words)}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done

    def json(self, *words, **more):
        return json.loads(self.run(*words, "--json", **more).stdout)

    def once(self, **more):
        return self.json("run", "--once", **more)

    def popen(self, *words, program=None, before=(), **environment):
        """Starts a command in a process group of its own, so that all of it can be killed."""
        self.write()
        return subprocess.Popen([*before, program or PROGRAM, *words], env={**self.environment(), **environment}, text=True, start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def serve(self, **program):
        service = Service(self.popen("run", **program))
        self.services.append(service)
        return service

    def items(self, *words):
        return self.json("items", *words)

    def item_of(self, octets):
        """The item that took this mail as its first, whole."""
        for item in self.items():
            if self.octets_of(f"items/{item['key'][:2]}/{item['key']}/original.eml") == as_stored(octets):
                return self.json("item", item["key"])
        raise AssertionError("no item has this mail")

    def status(self):
        return self.json("status")["mailboxes"][0]

    def counts(self):
        """Items by state, also before anything has run."""
        return (self.json("status")["mailboxes"] or [{"states": collections.Counter()}])[0]["states"]

    # the mailbox

    def imap(self):
        if self.connection is None:
            self.connection = imaplib.IMAP4("127.0.0.1", self.box.imap)
            self.connection._maxline = LINE  # pylint: disable=protected-access
            self.connection.login(self.user, PASSWORD)
        return self.connection

    def wire(self, folder):
        """The folder's name as its server has it."""
        if folder.upper() == "INBOX":
            return folder
        prefix = "" if folder.startswith(self.box.prefix) else self.box.prefix
        return f'"{prefix}{modified_utf7(folder.replace("/", self.box.separator))}"'

    def forget(self):
        """The next look makes a connection of its own."""
        if self.connection is not None:
            self.connection.shutdown()
        self.connection = None

    def deliver(self, *mails, age=0, folder="INBOX", flags=""):
        """Puts mails (octets or Mail) into a folder, `age` seconds and a little more old, each a second after the
        one before."""
        for mail in mails:
            when = imaplib.Time2Internaldate(time.time() - age - 600 + len(self.delivered))
            octets = getattr(mail, "octets", mail)
            typ, said = self.imap().append(self.wire(folder), flags, when, octets)
            assert typ == "OK", said
            self.delivered.append(as_stored(octets))

    def uids(self, folder="INBOX"):
        """UIDs with flags of a folder; empty where it does not exist."""
        typ, _ = self.imap().select(self.wire(folder), readonly=True)
        if typ != "OK":
            return {}
        _, lines = self.imap().uid("FETCH", "1:*", "(FLAGS)")
        found = {}
        for line in filter(None, lines):
            uid = int(re.search(rb"UID (\d+)", line)[1])
            found[uid] = re.search(rb"FLAGS \(([^)]*)\)", line)[1].decode()
        return found

    def uidvalidity(self, folder="INBOX"):
        _, said = self.imap().status(self.wire(folder), "(UIDVALIDITY)")
        return int(re.search(rb"UIDVALIDITY (\d+)", said[0])[1])

    def mails(self, folder="INBOX"):
        """UID -> octets."""
        if not self.uids(folder):
            return {}
        _, lines = self.imap().uid("FETCH", "1:*", "(BODY.PEEK[])")
        found = {}
        for line, rest in zip(lines, [*lines[1:], b""]):
            if isinstance(line, tuple):  # some servers say the UID behind the octets
                uid = re.search(rb"UID (\d+)", line[0]) or re.search(rb"UID (\d+)", rest)
                found[int(uid[1])] = line[1]
        return found

    def folders(self):
        _, lines = self.imap().list()
        return sorted(re.search(rb' "?([^"]+)"?$', line)[1].decode() for line in lines)

    def remove(self, folder, uid):
        self.imap().select(self.wire(folder))
        self.imap().uid("STORE", str(uid), "+FLAGS.SILENT", r"(\Deleted)")
        self.imap().uid("EXPUNGE", str(uid))
        self.imap().select("INBOX", readonly=True)

    def snapshot(self):
        """All that can be seen of the account: folders with UIDs, flags and octets."""
        return {folder: (self.uids(folder), {u: sha256(o) for u, o in self.mails(folder).items()})
                for folder in self.folders()}

    # what senders got

    def acknowledgements(self):
        """Letters that Postfix took for senders, copies to the own mailbox not among them."""
        return [m for m in self.postfix.accepted() if self.address in (m["From"] or "")]

    # where files are kept

    def on_store(self, store, bucket, port=None):
        """Files are kept in an object store, which may be reached by another port."""
        self.store, self.bucket = store, bucket
        self.settings["blobs"], self.settings["s3"] = f"s3://{bucket}/{self.user}", store.settings(port)

    def kept_as(self, path):
        """An attachment's name is none of the store's."""
        return re.sub(r"(/attachments/\d+)-.*", r"\1", path, flags=re.S) if self.store else path

    def octets_of(self, path):
        """Of a stored file, or None."""
        if self.store:
            return self.store.get(self.bucket, f"{self.user}/{self.kept_as(path)}")
        return (self.data / path).read_bytes() if (self.data / path).exists() else None

    def files(self):
        """Everything that is a mail's, as path -> SHA-256."""
        if self.store:
            return {name.removeprefix(f"{self.user}/"): sha256(octets)
                    for name, octets in self.store.objects(self.bucket, f"{self.user}/").items()}
        top = self.data / "items"
        return {str(path.relative_to(self.data)): sha256(path.read_bytes())
                for path in sorted(top.rglob("*")) if path.is_file()}

    def end(self):
        for service in self.services:
            if service.process.poll() is None:
                os.killpg(service.process.pid, signal.SIGKILL)
                service.process.wait()
        if self.connection is not None:
            self.connection.shutdown()


# ---- the invariants of the fault matrix, seen from outside ---------------------------------------------------


def assert_invariants(rig, letters=None, killed=False):
    """V1 to V9, once the program has run and no fault is left. `letters`: what another server than Postfix
    accepted. `killed`: a run was, and what it left under tmp/ is removed a day later."""
    view = View(rig, letters, killed)
    for check in (v1_all_is_recorded, v2_one_case, v3_files_are_the_plan, v4_one_acknowledgement,
                  v6_filed_only_when_due, v7_waiting_is_visible, v8_tries_are_recorded, v9_nothing_is_stuck,
                  report_adds_up, nothing_private_is_said):
        check(rig, view)


class View:
    def __init__(self, rig, letters, killed):
        self.killed = killed
        self.items = rig.items()
        some = self.items[::max(1, len(self.items) // 25)]  # each costs a process
        self.whole = {item["key"]: rig.json("item", item["key"]) for item in some}
        self.cases = rig.json("cases")
        self.deliveries = rig.json("deliveries")
        self.status = rig.status()
        self.inbox = rig.mails("INBOX")
        self.flags = rig.uids("INBOX")
        self.processed = rig.mails("Processed")
        self.letters = rig.acknowledgements() if letters is None else letters
        self.files = rig.files()
        self.of_key = {item["key"]: item for item in self.items}


def effects(item, kind):
    return [effect for effect in item["effects"] if effect["kind"] == kind]


def v1_all_is_recorded(rig, view):
    recorded = {(d["folder"], d["uidvalidity"], d["uid"]): d for d in view.deliveries if d["class"] != "replayed"}
    validity = rig.uidvalidity()
    missing = [uid for uid, flags in view.flags.items()
               if ("INBOX", validity, uid) not in recorded and r"\Deleted" not in flags]
    assert len(missing) == view.status["awaiting_choice"], f"V1: UIDs {missing} are recorded nowhere"
    for d in view.deliveries:
        assert d["key"] in view.of_key, f"V1: the arrival {d['id']} names no item"
    assert len(recorded) == len({d["id"] for d in view.deliveries if d["class"] != "replayed"})


def v2_one_case(rig, view):
    made = {item["key"]: item["case"] for item in view.items if item["disposition"] == "case"}
    cases = {case["reference"]: case for case in view.cases}
    assert len(cases) == len(view.cases), "V2: a reference stands twice"
    assert sorted(made.values()) == sorted(cases), "V2: cases and items of disposition case differ"
    for key, reference in made.items():
        assert reference == reference_of(key), f"V2: {reference} is not the reference of {key}"
        assert cases[reference]["key"] == key
    for item in view.items:
        if item["disposition"] == "append":
            assert item["case"] in cases
        if item["key_source"] == "message-id":
            assert item["key"] == sha256(f"help:{item['message_id']}".encode()), "V2: the key is of something else"


def v3_files_are_the_plan(rig, view):
    expected = {}
    for item in view.items:
        if item["disposition"] not in ("evidence", "adopted"):
            folder = f"items/{item['key'][:2]}/{item['key']}"
            expected[f"{folder}/original.eml"] = None
    for case in view.cases:
        for a in case["attachments"]:
            assert a["status"] in ("stored", "refused", "quarantined")
            if a["status"] == "stored":
                expected[a["path"]] = a["sha256"]
                assert len(rig.octets_of(a["path"])) == a["size"]
    on_disk = {path for path in view.files if view.of_key[path.split("/")[2]]["disposition"] not in ("evidence", "adopted")}
    assert on_disk == {rig.kept_as(path) for path in expected}, "V3: files on the disk and planned ones differ"
    for path, digest in expected.items():
        assert digest is None or view.files[rig.kept_as(path)] == digest, f"V3: {path} holds something else"
    planned = collections.Counter((i["key"], e["target"]) for i in view.items for e in effects(i, "attachment"))
    assert all(count == 1 for count in planned.values()), "V3: an attachment is planned twice"
    for item in view.items:
        if item["state"] == "complete" and item["disposition"] == "case":
            names = {Path(path).name for path in expected if item["key"] in path and "/attachments/" in path}
            done = {e["target"] for e in effects(item, "attachment") if e["status"] == "done" and "/" not in e["target"]}
            assert names == done, f"V3: {item['key']}: {names} and {done}"
    left = [p.name for folder in (["incoming"] if view.killed else ["incoming", "tmp"]) if (rig.data / folder).exists() for p in (rig.data / folder).iterdir()]
    assert left == [], f"V3: left over: {left}"


def v4_one_acknowledgement(rig, view):
    domain = rig.address.split("@")[1]
    told = collections.Counter(m["Message-ID"] for m in view.letters)
    assert all(count == 1 for count in told.values()), f"V4: sent more than once: {told}"
    due = {}
    for item in view.items:
        for effect in effects(item, "acknowledgement"):
            assert effect["status"] not in ("skipped", "refused") or effect["reason"] or effect["error"], \
                f"V4: no reason: {effect}"
            if effect["target"]:
                due[f"<ack.{acknowledgement_of(item['key'], effect['target'])}@{domain}>"] = (item, effect)
    for message_id in told:
        assert message_id in due, f"V4: {message_id} is no item's"
    for message_id, (item, effect) in due.items():
        if effect["status"] == "done":
            assert told[message_id] == 1, f"V4: recorded as done and never accepted: {message_id}"
        if effect["status"] in ("planned", "deferred", "skipped"):
            assert told[message_id] == 0, f"V4: accepted, and recorded as {effect['status']}: {message_id}"
    for letter in view.letters:
        item, effect = due[letter["Message-ID"]]
        assert f"[{item['case']}]" in str(email.header.make_header(email.header.decode_header(letter["Subject"])))
        assert letter["Auto-Submitted"] == "auto-replied" and letter["X-Auto-Response-Suppress"] == "All"
        assert letter["X-Onecase-Acknowledgement"] == acknowledgement_of(item["key"], effect["target"])
        assert letter["X-Onecase-Proof"]
        if item["key_source"] == "message-id" and len(item["message_id"]) < 900 and item["message_id"].isascii():
            assert letter["In-Reply-To"] == item["message_id"] and item["message_id"] in letter["References"]


def v6_filed_only_when_due(rig, view):
    def ours(octets):
        return b"\nX-Onecase-Acknowledgement:" in octets.split(b"\r\n\r\n")[0]

    there = collections.Counter(sha256(o) for o in [*view.inbox.values(), *view.processed.values()] if not ours(o))
    put = collections.Counter(sha256(o) for o in rig.delivered)
    assert there == put, "V6: mail has vanished or doubled"
    state = {(d["folder"], d["uid"]): d for d in view.deliveries}
    validity = rig.uidvalidity()
    for uid in view.inbox:
        arrival = state.get(("INBOX", uid))
        if arrival and arrival["uidvalidity"] == validity and arrival["state"] == "complete":
            assert view.of_key[arrival["key"]]["disposition"] == "adopted", f"V6: UID {uid} should have been filed"
    complete = collections.Counter()
    for item in view.items:
        if item["state"] == "complete":
            path = f"items/{item['key'][:2]}/{item['key']}/original.eml"
            if path in view.files:
                complete[view.files[path]] += 1
            if item["disposition"] in ("case", "append") and item["key"] in view.whole:
                acceptance = view.whole[item["key"]]["acceptance"]
                assert acceptance and all(c["holds"] for c in acceptance), f"V6: {acceptance}"
    duplicates = {d["key"] for d in view.deliveries if d["state"] == "duplicate"}
    for octets in view.processed.values():
        if not ours(octets) and not complete[sha256(octets)]:
            assert duplicates, "V6: a mail was filed whose item is not complete"


def v7_waiting_is_visible(rig, view):
    states = collections.Counter(item["state"] for item in view.items)
    for state in ("received", "in_progress", "complete", "needs_reconciliation"):
        assert view.status["states"][state] == states[state], f"V7: status counts {state} otherwise"
        assert {i["key"] for i in rig.items("--state", state)} == \
            {i["key"] for i in view.items if i["state"] == state}
    waiting = collections.Counter(i["reason"] for i in view.items if i["state"] == "needs_reconciliation")
    assert None not in waiting, "V7: something waits for a person and does not say why"
    for reason, count in waiting.items():
        assert view.status["waiting"].get(reason) == count, f"V7: {reason} is not in status"
    assert view.status["not_told"] == len(rig.items("--not-told"))
    assert view.status["states"]["duplicate"] == sum(d["state"] == "duplicate" for d in view.deliveries)


def v8_tries_are_recorded(rig, view):
    for key, item in view.whole.items():
        for effect in item["effects"]:
            tries = [a for a in item["attempt_list"] if (a["kind"], a["target"]) == (effect["kind"], effect["target"])]
            if effect["kind"] not in ("acknowledgement", "webhook"):  # an empty target until it is armed; posts count their own
                assert effect["attempts"] == len(tries), f"V8: {key}: {effect}"
            if effect["kind"] == "acknowledgement" and effect["status"] in ("done", "unknown"):
                tries = [a for a in item["attempt_list"] if a["kind"] == "acknowledgement"]
                assert any(a["armed_at"] for a in tries), f"V8: {key}: sent without a record"
        assert all(a["run"] and a["started_at"] for a in item["attempt_list"])


def v9_nothing_is_stuck(rig, view):
    for item in view.items:
        assert item["state"] != "received", f"V9: {item['key']} was never looked at"
        for effect in item["effects"]:
            assert effect["status"] != "attempting", f"V9: {item['key']}: {effect}"
            if item["state"] == "complete":
                assert effect["status"] in ("done", "skipped", "refused"), f"V9: complete with {effect}"


def report_adds_up(rig, _):
    report = rig.json("report", "duplicates")
    assert_adds_up(report)


CLASSES = ["redelivered", "reobserved", "returned", "list_copy", "gateway_copy", "replayed", "conflict"]
ARRIVALS = ["new_cases", "appended", "reports", "evidence", "adopted", "held"]


def assert_adds_up(report):
    totals = report["totals"]
    assert totals["deliveries"] == totals["first"] + sum(totals[c] for c in CLASSES)
    assert totals["first"] == sum(totals[a] for a in ARRIVALS)
    assert totals["held"] + totals["conflict"] + totals["gateway_copy"] == sum(totals["decided"].values())
    assert sum(report["boundaries"].values()) >= totals["cases_prevented"]
    assert sum(d["duplicates"] for d in report["by_day"]) == sum(d["duplicates"] for d in report["by_mailbox"]) \
        == sum(d["duplicates"] for d in report["by_sender_domain"])


def nothing_private_is_said(rig, _):
    from mails import MARKER
    said = rig.said + "".join(line for service in rig.services for line in service.log)
    for private in (MARKER, PASSWORD, "senders.example"):
        assert private not in said, f"the log says {private}: {said[max(0, said.find(private) - 300):][:400]}"
