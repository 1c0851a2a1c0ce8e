# SPDX-License-Identifier: Apache-2.0
"""Debian's Request Tracker with its REST 2 interface, unprivileged, on loopback, in a folder of its own; and a gate
before it, which knows where one request to make a ticket begins and its answer ends.

    with RequestTracker() as desk, Gate(desk.port) as gate:    desk.authorization, desk.tickets(), gate.port
"""
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

from listening import Listening

PROGRAMS = Path("/usr/share/request-tracker5/libexec")

SITE = """\
Set($rtname, 'desk');
Set($Organization, 'desk.example.org');
Set($WebDomain, '127.0.0.1');
Set($WebPort, {port});
Set($DatabaseType, 'SQLite');
Set($DatabaseName, '{folder}/rt.db');
Set($LogToSyslog, undef);
Set($LogToSTDERR, 'error');
Set($CorrespondAddress, 'rt@desk.example.org');
Set($CommentAddress, 'rt@desk.example.org');
Set($MailCommand, 'testfile');
Set($WebSessionClass, 'Apache::Session::File');
Set($MasonDataDir, '{folder}/mason');
Set($MasonSessionDir, '{folder}/session');
Set($BcryptCost, 4);
1;
"""

# What the preset's comment asks for, and no more.
DATA = r"""
@Queues = ({{ Name => 'Support', CorrespondAddress => 'support@desk.example.org' }});
@CustomFields = ({{ Name => 'onecase-key', Type => 'FreeformSingle', LookupType => 'RT::Queue-RT::Ticket',
                    ApplyTo => ['Support'] }});
@Users = ({{ Name => 'onecase', EmailAddress => 'onecase@desk.example.org', Privileged => 1 }});
@ACL = map {{ {{ UserId => 'onecase', Queue => 'Support', Right => $_ }} }}
    qw(ShowTicket CreateTicket SeeCustomField ModifyCustomField);
@Final = (sub {{
    my $scrip = RT::Scrip->new(RT->SystemUser);
    $scrip->LoadByCols(Description => 'On Create Autoreply To Requestors');
    $scrip->SetDisabled(1);
    my $token = RT::AuthToken->new(RT->SystemUser);
    my ($made, $said, $secret) = $token->Create(Owner => RT::CurrentUser->new('onecase')->Id, Description => 'onecase');
    open my $file, '>', '{folder}/token' or die; print $file "token $secret\n"; close $file;
}});
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class RequestTracker:
    """Runs as nobody. `guests` may make tickets by mail (rt-mailgate), too."""

    def __init__(self, workers=2, guests=False):
        self.folder, self.port, self.workers = Path(tempfile.mkdtemp(prefix="rt.")), free_port(), workers
        self.url, self.process = f"http://127.0.0.1:{self.port}", None
        for name in ("mason", "session", "none"):
            (self.folder / name).mkdir()
        (self.folder / "RT_SiteConfig.pm").write_text(SITE.format(port=self.port, folder=self.folder))
        more = "\n@ACL = (@ACL, { GroupType => 'Everyone', GroupDomain => 'SystemInternal', Queue => 'Support'," \
               " Right => 'CreateTicket' });\n" if guests else ""
        (self.folder / "desk").write_text(DATA.format(folder=self.folder) + more)
        for path in (self.folder, *self.folder.rglob("*")):
            shutil.chown(path, "nobody")

    def environment(self):
        return {**os.environ, "RT_SITE_CONFIG": str(self.folder / "RT_SiteConfig.pm"),
                "RT_SITE_CONFIG_DIR": str(self.folder / "none"), "HOME": str(self.folder), "TMPDIR": str(self.folder)}

    def setup(self, *words):
        done = subprocess.run(["/usr/sbin/rt-setup-database-5", *words, "--skip-create", "--dba", "", "--dba-password", ""],
                              env=self.environment(), user="nobody", group="nogroup", extra_groups=[], cwd=self.folder,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr

    def __enter__(self):
        try:
            self.setup("--action", "init")
            self.setup("--action", "insert", "--datafile", str(self.folder / "desk"))
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        self.authorization = (self.folder / "token").read_text().strip()
        self.log = open(self.folder / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [PROGRAMS / "rt-server", "--host", "127.0.0.1", "--port", str(self.port), "--server", "Starlet",
             "--max-workers", str(self.workers)], env=self.environment(), user="nobody", group="nogroup",
            extra_groups=[], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            start_new_session=True)
        self.await_up()
        return self

    def await_up(self):
        until = time.monotonic() + 60
        while True:
            try:
                return self.get("rt")
            except OSError as why:
                assert self.process.poll() is None and time.monotonic() < until, why
                time.sleep(0.1)

    def get(self, path):
        request = urllib.request.Request(f"{self.url}/REST/2.0/{path}", headers={"Authorization": self.authorization})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)

    def sql(self, text):
        with sqlite3.connect(f"file:{self.folder}/rt.db?mode=ro", uri=True, timeout=30) as db:
            return db.execute(text).fetchall()

    def tickets(self):
        """(id, key) of every ticket, whatever onecase says of it."""
        return self.sql("SELECT Tickets.id, ObjectCustomFieldValues.Content FROM Tickets LEFT JOIN ObjectCustomFieldValues"
                        " ON ObjectType = 'RT::Ticket' AND ObjectId = Tickets.id AND ObjectCustomFieldValues.Disabled = 0"
                        " ORDER BY Tickets.id")

    def count(self):
        return self.sql("SELECT COUNT(*) FROM Tickets")[0][0]


class Gate(Listening):
    """A way to RT. `arm` makes one fault happen to the next ticket after `after` others, and then `happened` is set:

    "half"      half of the request has passed, and no more will
    "working"   the whole request has passed, and no answer
    "answered"  RT has answered, and the answer is kept back

    What was kept goes nowhere, once the client has left: whoever armed the gate kills it in the meantime."""

    def __init__(self, port):
        super().__init__()
        self.target, self.lock, self.how, self.after = port, threading.Lock(), None, 0
        self.happened, self.busy = threading.Event(), 0

    def arm(self, how, after=0):
        with self.lock:
            self.happened.clear()
            self.how, self.after = how, after

    def fault(self):
        with self.lock:
            if self.how is None:
                return None
            if self.after > 0:
                self.after -= 1
                return None
            how, self.how = self.how, None
            return how

    def talk(self, near):
        """Each request and its answer in turn: whoever asks waits for its answer."""
        try:
            with near, socket.create_connection(("127.0.0.1", self.target)) as far:
                while self.one(near, far):
                    pass
        except OSError:
            pass

    def ask(self, request, far):
        """RT has a whole request in hand until it has answered."""
        with self.lock:
            self.busy += 1
        try:
            far.sendall(request)
            return message(far, of_server=True)
        finally:
            with self.lock:
                self.busy -= 1

    def one(self, near, far):
        request = message(near)
        if not request:
            return False
        how = self.fault() if request.startswith(b"POST /REST/2.0/ticket") else None
        if how == "half":
            far.sendall(request[:len(request) // 2])
            return self.keep(near)
        if how == "working":  # the next fault may be armed before RT has answered
            self.happened.set()
        answer = self.ask(request, far)
        if how == "answered":
            return self.keep(near)
        if how:
            return False
        near.sendall(answer)
        return bool(answer) and b"connection: close" not in answer.lower().split(b"\r\n\r\n")[0]

    def keep(self, near):
        self.happened.set()
        while near.recv(65536):
            pass
        return False


def message(peer, of_server=False):
    """One whole message of HTTP/1.1; b"" where the other side has left before its end."""
    octets = b""
    while b"\r\n\r\n" not in octets:
        more = peer.recv(65536)
        if not more:
            return b""
        octets += more
    head, body = octets.split(b"\r\n\r\n", 1)
    fields = dict(line.split(b":", 1) for line in head.lower().split(b"\r\n")[1:])
    if fields.get(b"transfer-encoding", b"").strip() == b"chunked":
        def whole():
            return body.endswith(b"0\r\n\r\n")
    elif of_server and b"content-length" not in fields:
        def whole():
            return False  # until it closes
    else:
        length = int(fields.get(b"content-length", b"0"))

        def whole():
            return len(body) >= length
    while not whole():
        more = peer.recv(65536)
        if not more:
            return head + b"\r\n\r\n" + body if of_server else b""
        body += more
    return head + b"\r\n\r\n" + body
