# SPDX-License-Identifier: Apache-2.0
"""`onecase init`: what it asks, tries and writes, on a real Dovecot and Postfix."""
import os
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from rig import PASSWORD, PROGRAM, TOP

OWNER = 65534  # nobody: not who calls it


@pytest.fixture
def place(rig, monkeypatch):
    """Where it writes: an empty folder. All of it stands where another account may look, which will own the data."""
    top = Path(tempfile.mkdtemp(prefix="onecase-init."))
    top.chmod(0o755)
    shutil.copy(PROGRAM, top / "onecase")
    shutil.copytree(TOP / "templates", top / "templates")
    shutil.copy(rig.servers.authority.file, top / "authority")
    (folder := top / "etc").mkdir(mode=0o755)
    rig.data = top / "data"
    rig.data.mkdir(mode=0o700)
    os.chown(rig.data, OWNER, OWNER)
    monkeypatch.setenv("ONECASE_CONFIG", str(folder / "onecase.yaml"))
    monkeypatch.setenv("ONECASE_TEMPLATES", str(top / "templates"))
    rig.imap().create("Sent")
    (rig.folder / "wrong").write_text("no-such-password\n")
    yield folder
    shutil.rmtree(top)


def options(rig, **other):
    given = {"address": rig.address, "imap": f"localhost:{rig.box.imaps}", "imap-user": rig.user,
             "imap-password-file": rig.folder / "password", "smtp": f"localhost:{rig.postfix.port}", "smtp-security": "starttls",
             "data-dir": rig.data, "ca-file": rig.data.parent / "authority", **other}
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


def init(*words):
    return subprocess.run([Path(os.environ["ONECASE_CONFIG"]).parents[1] / "onecase", "init", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)


def modes(folder):
    return {path.name: (oct(path.stat().st_mode & 0o777), path.stat().st_uid) for path in folder.iterdir()}


def test_by_options_it_tries_the_mailbox_and_writes_what_only_the_owner_of_the_data_can_read(rig, place):
    done = init(*options(rig))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "BAD" not in done.stdout and "sign-in" in done.stdout
    assert modes(place) == {"onecase.yaml": ("0o640", OWNER), "imap.password": ("0o600", OWNER), "smtp.password": ("0o600", OWNER)}
    assert all(path.stat().st_uid == OWNER for path in rig.data.iterdir()), "tried as the account that owns the data"
    text = (place / "onecase.yaml").read_text()
    assert PASSWORD not in text and (place / "imap.password").read_text() == PASSWORD + "\n"
    assert text.count("#") >= 8, "with comments"

    rig.deliver(b"From: a@example.net\r\nSubject: first\r\nMessage-ID: <init@example.net>\r\n\r\nhelp\r\n")
    ran = subprocess.run(["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups", rig.data.parent / "onecase", "run", "--once", "--dry-run"],
                         capture_output=True, text=True)
    assert ran.returncode == 0 and "new case" in ran.stdout, ran.stdout + ran.stderr

    before = {path.name: path.read_bytes() for path in place.iterdir()}
    again = init(*options(rig))
    assert again.returncode == 1 and "is there already and stays as it is" in again.stderr and again.stdout == ""
    (place / "onecase.yaml").unlink()
    assert "imap.password' is there already" in init(*options(rig)).stderr
    assert before["imap.password"] == (place / "imap.password").read_bytes()


def test_what_does_not_work_is_said_and_nothing_is_written(rig, place):
    done = init(*options(rig, imap="127.0.0.1:1"))
    assert done.returncode == 1 and "BAD" in done.stdout and "nothing was written" in done.stderr
    assert list(place.iterdir()) == []
    assert init(*options(rig, **{"imap-password-file": rig.folder / "wrong"}), "--untested").returncode == 0
    assert modes(place)["imap.password"] == ("0o600", OWNER)


@pytest.mark.parametrize("wrong, says", [
    ({"address": "help"}, "--address: expected an address such as help@example.org"),
    ({"imap": "imap.example.org:99999"}, "--imap: expected a host name, or HOST:PORT"),
    ({"data-dir": "data"}, "--data-dir: expected a whole path"),
    ({"from": "Desk <x>"}, "--from: expected a name"),
    ({"imap-password-file": "/nowhere"}, "--imap-password-file: '/nowhere' cannot be read"),
])
def test_an_option_that_cannot_be_is_said_in_one_line(rig, place, wrong, says):
    done = init(*options(rig, **wrong))
    assert done.returncode == 64 and says in done.stderr and len(done.stderr.splitlines()) == 1
    assert list(place.iterdir()) == []


def test_without_a_terminal_what_has_no_usual_answer_must_be_said(rig, place):
    done = init("--address", rig.address)
    assert done.returncode == 64 and "--imap-password-file is missing: there is no terminal to ask at" in done.stderr


class Terminal:
    """Somebody at a terminal: reads what is asked, types."""

    def __init__(self, *words):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.execv(Path(os.environ["ONECASE_CONFIG"]).parents[1] / "onecase", ["onecase", *words])
        self.pid, self.seen = pid, ""

    def until(self, text, seconds=30):
        end, start = time.monotonic() + seconds, len(self.seen)
        while text not in self.seen[self.mark if hasattr(self, "mark") else 0:]:
            assert time.monotonic() < end, f"{text!r} was not said: {self.seen[start:]}"
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096).decode()
                except OSError:
                    pytest.fail(f"it ended before {text!r}: {self.seen}")
        self.mark = len(self.seen)

    def type(self, line):
        os.write(self.fd, (line + "\n").encode())

    def end(self, seconds=30):
        end = time.monotonic() + seconds
        while True:
            if not select.select([self.fd], [], [], 0.1)[0]:
                if time.monotonic() > end:
                    os.kill(self.pid, signal.SIGKILL)
                    pytest.fail(f"it waits for something: {self.seen}")
                continue
            try:
                octets = os.read(self.fd, 4096)
            except OSError:
                break
            if not octets:
                break
            self.seen += octets.decode()
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_at_a_terminal_it_asks_again_what_cannot_be_and_what_did_not_work(rig, place):
    terminal = Terminal("init", "--imap-security", "none", "--smtp-security", "none", "--data-dir", str(rig.data))
    for asks, typed in [
        ("Address of the mailbox: ", "nobody"), ("expected an address such as help@example.org.\r\nAddress of the mailbox: ", rig.address),
        ("Its IMAP server [imap.box.example.org]: ", "127.0.0.1:1"),
        (f"User name there [{rig.address}]: ", rig.user), ("Password: ", "a-wrong-word"),
        ("[smtp.box.example.org]: ", f"127.0.0.1:{rig.postfix.port}"), (f"[{rig.user}]: ", "-"),
        ("[Service Desk]: ", ""), (f"[{rig.address}]: ", ""), ("[Sent]: ", ""), ("Ctrl-D stops: ", ""),
        (f"[{rig.address}]: ", ""), ("[127.0.0.1:1]: ", f"127.0.0.1:{rig.box.imap}"), (f"[{rig.user}]: ", ""), ("Password: ", PASSWORD),
        ("]: ", ""), ("none [-]: ", ""), ("[Service Desk]: ", "Front Desk"),
        (f"[{rig.address}]: ", ""), ("[Sent]: ", ""), ("Folder for the data ", ""),
    ]:
        terminal.until(asks)
        terminal.type(typed)
    assert terminal.end() == 0, terminal.seen
    assert "Written: " in terminal.seen
    assert PASSWORD not in terminal.seen and "a-wrong-word" not in terminal.seen, "what is typed is not shown"
    assert sorted(modes(place)) == ["imap.password", "onecase.yaml"]
    assert "Front Desk" in (place / "onecase.yaml").read_text()


def test_at_the_end_of_the_input_it_stops_and_leaves_nothing(rig, place):
    terminal = Terminal("init")
    terminal.until("Address of the mailbox: ")
    os.write(terminal.fd, b"\x04")
    assert terminal.end() == 1 and "nothing was written" in terminal.seen
    assert list(place.iterdir()) == []
