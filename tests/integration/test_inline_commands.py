# SPDX-License-Identifier: Apache-2.0
"""Every command line that stands in the running text of a document is typed, each on a copy of one deployment in which
everything has happened once; what cannot be typed here is in a table that says what does it instead. One that is neither
fails, and so does a row of a table that no document needs any more."""
import contextlib
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys

import pytest

from desk import Desk
from dovecot import free_port
from mails import PDF, part, plain, with_parts
from receiver import Receiver
from rig import PROGRAM, TOP, Rig, await_
from smtp_peer import SmtpPeer
from test_destination import REMOVE, everything
from token_endpoint import TokenEndpoint

sys.path.insert(0, str(TOP / "tests"))
import documents  # noqa: E402

COMMANDS = {line.split()[1] for line in re.findall(r"^\| `(onecase [a-z-]+)", (TOP / "README.md").read_text(), re.M)}
INLINE = documents.inline(COMMANDS)
BY = ("--by", "ann", "--reason", "tried")

# What a document leaves out since its sentence says it: the option alone, of which command.
WHOLE = {
    "--acknowledgement not-sent": "resolve DOUBT --acknowledgement not-sent",
    "--undo": "resolve DECIDED --undo",
    "--all-like": "resolve FLOOD --flood mute --all-like",
    "--case not-made": "resolve REFUSED --case not-made",
    "--case none": "resolve REFUSED --case none",
    "--format table": "report replays --format table",
    "--since D --until D": "export --since 7d --until D --to FILE",
    "--format html": "export KEY --format html --to FILE",
    "--json": "status --json",
    "--keep": "backup FOLDER --keep 3",
    "--read-all": "backup FOLDER --read-all",
    "--list": "restore BACKUPS --list",
    "--backup NAME": "restore BACKUPS --backup NAME",
    "--dry-run": "retain --dry-run",
    "--release": "case REFERENCE --release",
    "--mailbox M": "pause --mailbox M",
    "--effect acknowledgement": "pause --effect acknowledgement",
    "--different": "suspects SUSPECT --different",
    "onecase replay --state": "replay --state needs_reconciliation",
    "doctor --send-to": "doctor --send-to ADDRESS",
    "template test": "template test mail.eml",
    "onecase first-import": "first-import MAILBOX cases",
    "onecase backup": "backup FOLDER",
    "run --mailbox M": "run --mailbox M --once",
    "runuser -u onecase -- onecase": "status",
}

# What looks like a command line and is none.
NAMES = {"onecase key": "a ticket field, at Freshdesk", "token 1-14-0123456789abcdef0123456789abcdef": "what a file holds"}

# What no suite types as it stands here: it needs a service manager, a network, or minutes. What does it instead, and the words there
# that do it; of a script of the sources its words are looked at here, too.
ELSEWHERE = [  # (pattern, file, what stands there)
    (r"onecase init",                             "tests/integration/test_init.py",           '"init"'),
    (r"(onecase )?decide",                        "tests/cli/test_decide.py",                 '"decide"'),
    (r"(onecase )?migrate-ledger --to '?postgresql:.*", "tests/integration/test_moved_ledger.py",   '"migrate-ledger", "--to", url'),
    (r"--to sqlite",                              "tests/integration/test_moved_ledger.py",   '"migrate-ledger", "--to", "sqlite"'),
    (r"--abandon",                                "tests/integration/test_moved_ledger.py",   '"migrate-ledger", "--abandon"'),
    (r"(onecase )?migrate-blobs --to s3:.*",      "tests/integration/test_object_store.py",   '"migrate-blobs", "--to", place'),
    (r"--no-privileges",                          "tests/integration/test_postgres.py",       "--no-privileges"),
    (r"(onecase restore )?--(key|passphrase-file)( FILE)?", "tests/integration/test_sealed.py", '"--key", str(keys'),
    (r"openssl cms -decrypt .*",                  "tests/integration/test_sealed.py",         '"cms", "-decrypt"'),
    (r"--wrap",                                   "tests/crash/CMakeLists.txt",               "--wrap"),
    (r"cat config/destinations/request-tracker.yaml >>.*", "tests/integration/test_request_tracker.py", 'yaml(rig.settings) + "\\n" + preset'),
    (r"systemctl reload onecase",                 "tests/package/readme",                     "README's shell blocks"),
    (r"cmake --preset dev",                       "CMakePresets.json",                        '"dev"'),
    (r"man onecase-console",                      "tests/cli/test_man.py",                    '"onecase-console.7"'),
    (r"doveadm pw -s SHA512-CRYPT",               "tests/integration/test_pages.py",          '"pw", "-s", "SHA512-CRYPT"'),
    (r"promtool check rules onecase.rules.yml",   "tests/cli/test_monitoring.py",             'promtool("check", "rules", RULES)'),
    (r"python3 -m pytest -s tests/differential",  "tests/run",                                "run_pytest tests/differential"),
    (r"deploy/demo",                              "tests/integration/test_demo.py",           'TOP / "deploy" / "demo"'),
    (r"(deploy/practice )?--browser",             "tests/integration/test_practice.py",       '"practice", "--browser"'),
    (r"deploy/practice",                          "tests/integration/test_practice.py",       'TOP / "deploy" / "practice"'),
    (r"deploy/known-vulnerabilities",             "tests/cli/test_threats.py",                "deploy/known-vulnerabilities"),
    (r"tests/check_pages --fix( .*)?",            "tests/cli/test_man.py",                    '"check_pages"'),
    (r"tests/check_spec --fix( .*)?",             "tests/spec/CMakeLists.txt",                "tests/check_spec"),
    (r"tests/format --fix",                       "tests/run",                                "tests/format"),
    (r"tests/check_layers",                       "tests/run",                                "tests/check_layers"),
    (r"tests/tidy src/core/\*.c",                 "tests/run",                                "tests/tidy"),
    (r"tests/fuzz/run --search 300 header",       "tests/run",                                "tests/fuzz/run"),
    (r"tests/model/run",                          "tests/run",                                "tests/model/run"),
    (r"tests/sim/(run|plant)",                    "tests/run",                                "tests/sim/plant"),
    (r"build/tests/onecase-sim --schedules .*",   "tests/sim/run",                            "--schedules"),
    (r"build/tests/onecase-sim --crash --pairs.*", "tests/sim/run",                           "--crash --pairs"),
    (r"tests/figures",                            "README.md",                                "<!-- reliability begin -->"),
    (r"tests/crash/figures",                      "README.md",                                "How much is tried (`tests/crash/figures`)"),
    (r"tests/bench/(console|desk|latency|pathological|reader)( .*)?", "README.md",            "| `tests/bench/"),
    (r"tests/integration/(soak|history)",         "README.md",                                "| `tests/integration/"),
    (r"tests/package/(run|reproduce|readme|boot|container)", "CONTRIBUTING.md",               "by a command of its own"),
    (r"tests/console/(axe|screenshots FOLDER)", "CONTRIBUTING.md",                       "looks at it"),
]

# Scripts that take minutes and say by argparse what they take: each is begun, and stopped once it has understood its words.
UNDERSTOOD = r"tests/(bench/(run|scale)|crash/run (\"|--)|integration/endurance|package/upgrade)"
OF_SCRIPTS = {"--grow 100000": "tests/bench/scale 1000 '' --grow 100000",
              "--grow 100000,1000000": "tests/bench/scale 1000 '' --grow 100000,1000000",
              "--rows": "tests/bench/run --rows throughput", "--json FILE": "tests/bench/run --json FILE", "--folder": "tests/bench/run --folder FOLDER"}
UNDERSTAND = """
import argparse, contextlib, json, runpy, sys

class Understood(Exception):
    pass

def stop(self, *args, parse=argparse.ArgumentParser.parse_args, **more):
    parse(self, *args, **more)
    raise Understood

argparse.ArgumentParser.parse_args = stop
for words in json.load(sys.stdin):
    sys.argv = words
    try:
        with contextlib.suppress(Understood):
            runpy.run_path(words[0], run_name="__main__")
            print(words, "takes no words")
    except SystemExit:
        print(words, "is not understood")
"""

# Scripts that are quick enough to be run.
QUICK = r"tests/crash/figures --rows|build/tests/onecase-sim --(seed|crash-at) .*"

SUITES = r"tests/run( .*)?"

# How it ends where that is not 0, and why.
ENDS = [
    (r"check$",               1, "something waits for a person: to say so it is asked"),
    (r"erase ADDRESS --list", 1, "nobody of that address was erased"),
]

# What goes on until it is ended.
SERVICES = ["run", "console"]


# ---- the deployment -----------------------------------------------------------------------------------------------


def in_doubt(rig, *mails):
    """Their confirmations are taken, and the answers lost."""
    with SmtpPeer("\n".join(["after end-of-data take, then close"] * len(mails))) as peer:
        rig.send_to(peer.port)
        rig.deliver(*mails)
        await_(lambda: rig.once()["deferred"] == 0, "all asked")


def prepare(rig, desk, receiver):
    """All that a command of the documents is about: what it calls KEY, REFERENCE and the like, by those names."""
    everything(rig, desk, remove=REMOVE)
    rig.settings["console"] = {"listen": f"127.0.0.1:{free_port()}"}
    rig.settings["case"]["per_sender_limit"] = "3/1h"
    rig.settings["webhooks"] = [receiver.settings(rig.folder)]
    rig.letters.update(final_timeout="1s", evidence={"wait": "0s"}, connections=1)
    rig.deliver(plain("before"), age=86_400)
    smtp = dict(rig.letters["smtp"])
    receiver.answers = [422]
    in_doubt(rig, plain("doubt"), plain("decided"))
    with SmtpPeer("on RCPT reply 550 5.1.1 who?") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("not told"))
        rig.once()
    rig.letters["smtp"] = smtp
    desk.faults = [400]
    rig.deliver(plain("refused"))
    rig.once()
    first = with_parts("done", part('attachment; filename="offer.pdf"', PDF))
    rig.deliver(first, first, plain("one", message_id="<1@example.net>"), plain("other", "Not the same.", "<1@example.net>"),
                plain("same"), plain("same"), plain("closed"), *(plain("flood", f"thing {n}") for n in range(4)))
    rig.once()
    about = {}
    for item in rig.items():
        name = re.search(rb"Subject: About ([a-z ]+?) X", rig.octets_of(f"items/{item['key'][:2]}/{item['key']}/original.eml"))[1].decode()
        about.setdefault(name if item["reason"] != "case-flood" else "many", item)
    rig.run("resolve", about["decided"]["key"], "--acknowledgement", "sent", *BY)
    rig.run("case", about["closed"]["case"], "--close", *BY)
    rig.run("case", about["same"]["case"], "--hold", *BY)
    rig.run("backup", str(rig.folder / "backups"))
    rig.run("user", "add", "bob", "--role", "viewer", typed="correct horse battery\n")
    (rig.folder / "mail.eml").write_bytes(first)
    return about


class Deployment:
    """What all commands are typed on: each has a copy of it."""

    def __init__(self, rig, mails):
        self.rig, self.count, self.port = rig, 0, int(rig.settings["console"]["listen"].split(":")[1])
        saved, = rig.json("restore", str(rig.folder / "backups"), "--list")
        self.named = {
            "KEY": mails["done"]["key"][:12], "HD-7K3M9QWX": mails["doubt"]["case"], "REFERENCE": mails["done"]["case"], "OTHER": mails["one"]["case"],
            "DOUBT": mails["doubt"]["case"], "DECIDED": mails["decided"]["case"], "REFUSED": mails["refused"]["case"], "FLOOD": mails["many"]["key"],
            "SUSPECT": mails["same"]["case"], "NAME": "ann", "R": "operator", "ID": "T-77", "M": "help", "MAILBOX": "help", "D": "1d", "TEXT": "tried",
            "ADDRESS": "nobody@senders.example", "FILE": "new", "FOLDER": "saved", "BACKUPS": "backups", "/var/backups/onecase": "backups", "request-tracker": "desk", "BACKUP": saved["backup"], "CLOSED": mails["closed"]["case"],
        }

    # Which of them a word means depends on what is done with it.
    MEANS = [
        (r"resolve KEY .*--flood", "KEY", "FLOOD"), (r"resolve KEY .*--case", "KEY", "REFUSED"), (r"suspects REFERENCE", "REFERENCE", "SUSPECT"),
        (r"case REFERENCE --reopen", "REFERENCE", "CLOSED"), (r"case REFERENCE --release", "REFERENCE", "SUSPECT"), (r"destination test NAME", "NAME", "desk"), (r"report duplicates --rows NAME", "NAME", "redelivered"),
        (r"--backup NAME", "NAME", "BACKUP"), (r"(identify|template test) ", "FILE", "mail.eml"),
    ]

    def type(self, line):
        """(what was typed, how it ended)."""
        with self.copied() as here:
            words = self.fill(line)
            if words[0] == "restore" and "--list" not in words:
                shutil.rmtree(here / "data")
            done = self.ended(here, words)
            if done.returncode == 64 and "--by" in done.stderr:  # what changes something wants them, and a sentence need not say so
                done = self.ended(here, [*words, *BY])
            return words, done

    @contextlib.contextmanager
    def copied(self):
        self.count += 1
        here = self.rig.folder.parent / f"{self.rig.folder.name}-{self.count}"
        shutil.copytree(self.rig.folder, here)
        try:
            config = here / "onecase.yaml"
            config.write_text(config.read_text().replace(str(self.rig.folder), str(here)))
            yield here
        finally:
            shutil.rmtree(here)

    def fill(self, line):
        meant = {word: stands for pattern, word, stands in self.MEANS if re.search(pattern, line)}
        words = shlex.split(line)
        return [self.named.get(meant.get(word, word), meant.get(word, word)) for word in words]

    def ended(self, here, words):
        return subprocess.run([PROGRAM, *words], cwd=here, capture_output=True, text=True, input="correct horse battery\n", timeout=60,
                              env=self.environment(here))

    def environment(self, here):
        return {**self.rig.environment(), "ONECASE_CONFIG": str(here / "onecase.yaml")}


@pytest.fixture(scope="module")
def deployment(servers, scratch):
    (folder := scratch / "inline").mkdir()
    rig = Rig(servers, folder, "inline")
    with Desk() as desk, Receiver() as receiver:
        yield Deployment(rig, prepare(rig, desk, receiver))
    rig.end()
    shutil.rmtree(folder)


# ---- what is typed ------------------------------------------------------------------------------------------------


def whole(text):
    """The command as the program takes it, or None where it is not the program's."""
    text = WHOLE.get(text, text)
    first = text.split()[0]
    return text.removeprefix("onecase ") if first == "onecase" or first in COMMANDS else None


def elsewhere(text):
    return next((row for row in ELSEWHERE if re.fullmatch(row[0], text)), None)


def kind(text):
    """How a command line of a document is tried."""
    if text in NAMES:
        return "name"
    if elsewhere(text):
        return "elsewhere"
    if whole(text):
        return "service" if whole(text) in SERVICES else "typed"
    for name, pattern in (("understood", UNDERSTOOD), ("quick", QUICK), ("suites", SUITES)):
        if re.match(pattern + ("" if name == "understood" else "$"), OF_SCRIPTS.get(text, text)):
            return name
    return ("agreement" if "oauth2" in text else "curl") if text.startswith("curl ") else None


KINDS = {text: kind(text) for text in {one.text for one in INLINE}}


def of_kind(name):
    return sorted(text for text in KINDS if KINDS[text] == name)


def test_every_command_line_of_a_document_is_tried_in_one_way_and_no_row_is_left_over():
    assert [str(one) for one in INLINE if KINDS[one.text] is None] == [], "typed by no test"
    there = set(KINDS)
    assert [text for text in [*WHOLE, *OF_SCRIPTS, *NAMES] if text not in there] == [], "no document has them"
    used = {elsewhere(text) for text in of_kind("elsewhere")}
    assert [row[0] for row in ELSEWHERE if row not in used] == [], "no document has them"
    assert {whole(text) for text in of_kind("service")} == set(SERVICES)
    typed = [whole(text) for text in of_kind("typed")]
    assert [pattern for pattern, _, _ in ENDS if not any(re.match(pattern, line) for line in typed)] == []
    assert len(typed) > 60, "the documents are read as they are written"


@pytest.mark.parametrize("line", sorted({whole(text) for text in of_kind("typed")}, key=lambda line: (line.startswith("run "), line)))
def test_a_command_of_a_document_does_what_it_says(deployment, line):
    words, done = deployment.type(line)
    status = next((status for pattern, status, _ in ENDS if re.match(pattern, line)), 0)
    assert done.returncode == status, f"onecase {shlex.join(words)}: {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-500:]}"


def options_of(text):
    return re.findall(r"(?<= )--[a-z-]+", text)


@pytest.mark.parametrize("text", of_kind("elsewhere"))
def test_what_is_not_typed_here_is_done_there(text):
    _, file, what = elsewhere(text)
    assert what in (TOP / file).read_text(), f"{file} does not do it: {text}"
    script = TOP / text.split()[0]
    if script.is_file() and "build" not in text.split("/")[0]:
        assert os.access(script, os.X_OK)
        assert [option for option in options_of(text) if option not in script.read_text()] == []


def test_scripts_that_take_minutes_understand_their_words():
    """By one process, as it is their modules that take the time."""
    typed = [shlex.split(OF_SCRIPTS.get(text, text)) for text in of_kind("understood")]
    done = subprocess.run([sys.executable, "-c", UNDERSTAND], cwd=TOP, capture_output=True, text=True, timeout=60, input=json.dumps(typed))
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert len(typed) > 10


@pytest.mark.parametrize("text", of_kind("quick"))
def test_a_script_that_is_quick_is_run(text):
    done = subprocess.run(shlex.split(text), cwd=TOP, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", of_kind("suites"))
def test_the_suites_that_are_named_are_those_of_the_run(text):
    rows = re.findall(r"^([a-z-]+) +\| ([a-z ]+?) +\|", (TOP / "tests/run").read_text(), re.M)
    names = {name for name, _ in rows} | {word for _, sets in rows for word in sets.split()}
    assert set(text.split()[1:]) <= names
    assert len(rows) > 15


@pytest.mark.parametrize("text", of_kind("service") + of_kind("curl"))
def test_what_serves_is_served_until_it_is_ended(deployment, text):
    with deployment.copied() as here:
        asks = text.startswith("curl ")
        words = ["console"] if asks else deployment.fill(whole(text))
        run = subprocess.Popen([PROGRAM, *words], cwd=here, env=deployment.environment(here), stderr=subprocess.PIPE, text=True)
        try:
            await_(lambda: answers(deployment.port), "the console answers")
            if asks:
                token = deployment.ended(here, ["token", "add", "reports", "--role", "viewer"]).stdout.strip()
                typed = text.replace("8025", str(deployment.port)).replace("curl ", "curl -sf ", 1)
                said = subprocess.run(["bash", "-euc", typed], env={**os.environ, "TOKEN": token}, capture_output=True, text=True)
                assert said.returncode == 0 and '"totals"' in said.stdout, said
        finally:
            run.terminate()
            _, said = run.communicate(timeout=60)
        assert run.returncode == 0, said


@pytest.mark.parametrize("text", of_kind("agreement"))
def test_what_an_account_agreed_to_is_exchanged_as_the_standard_has_it(servers, text):
    """RFC 6749, 4.1.3; what comes back is what `refresh_token_file` is to hold."""
    with TokenEndpoint(*servers.authority.issue("endpoint")) as endpoint:
        endpoint.rotates = True
        typed = text.replace("https://oauth2.googleapis.com/token", endpoint.url).replace("curl ", f"curl -sf --cacert {servers.authority.file} ", 1)
        said = json.loads(subprocess.run(["bash", "-euc", typed], capture_output=True, text=True, check=True).stdout)
        assert said["refresh_token"]
        assert endpoint.forms == [{"grant_type": "authorization_code", "code": "CODE", "client_id": "CLIENT", "client_secret": "SECRET",
                                   "redirect_uri": "http://127.0.0.1:9"}]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
