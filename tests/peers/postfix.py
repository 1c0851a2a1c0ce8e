#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A private Postfix: its own configuration, queue and mail store, free ports of 127.0.0.1.

    postfix.py [certificate=FILE key=FILE] [sasl=PORT] [lmtp=PORT]

prints one line `folder=… smtp=PORT` and runs until its standard input ends; then nothing of it is left.
It takes mail for anybody and delivers it into one Maildir; mail for box.example.org goes on to the port of
a Dovecot's LMTP service, where there is one. With a certificate it offers STARTTLS; with the port of a
Dovecot's auth service it wants a sign-in, and that only under TLS. Needs root, as its processes run as
other accounts. For a test: `with Postfix(…) as server`.
"""
import email
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = Path("/usr/lib/postfix/sbin")

MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
daemon_directory = {programs}
maillog_file = {folder}/log/mail
maillog_file_prefixes = {folder}/log
inet_protocols = ipv4
inet_interfaces = 127.0.0.1
myhostname = localhost.localdomain
mynetworks = 127.0.0.0/8
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
relay_domains =
smtp_dns_support_level = disabled
smtpd_peername_lookup = no
smtpd_delay_reject = no
default_process_limit = 20
smtpd_client_connection_count_limit = 0
message_size_limit = 0
mailbox_size_limit = 0
virtual_mailbox_limit = 0
virtual_mailbox_domains = regexp:{folder}/conf/any
virtual_mailbox_maps = static:sink/
virtual_mailbox_base = {folder}/mail
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
virtual_minimum_uid = 1
lmtp_destination_recipient_limit = 1
{boxes}
smtpd_relay_restrictions = {restrictions}
{security}
"""

SECURITY = """
smtpd_tls_security_level = may
smtpd_tls_chain_files = {key}, {certificate}
smtpd_tls_session_cache_database =
"""

SIGN_IN = """
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{sasl}
smtpd_tls_auth_only = {tls}
"""

BOXES = """
transport_maps = regexp:{folder}/conf/boxes
"""

MASTER = """
{port}    inet  n - n - -   smtpd
cleanup   unix  n - n - 0   cleanup
qmgr      unix  n - n 300 1 qmgr
tlsmgr    unix  - - n 1000? 1 tlsmgr
rewrite   unix  - - n - -   trivial-rewrite
bounce    unix  - - n - 0   bounce
defer     unix  - - n - 0   bounce
trace     unix  - - n - 0   bounce
verify    unix  - - n - 1   verify
flush     unix  n - n 1000? 0 flush
proxymap  unix  - - n - -   proxymap
showq     unix  n - n - -   showq
error     unix  - - n - -   error
retry     unix  - - n - -   error
discard   unix  - - n - -   discard
virtual   unix  - n n - -   virtual
lmtp      unix  - - n - -   lmtp
anvil     unix  - - n - 1   anvil
postlog   unix-dgram n - n - 1 postlogd
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as probe:
            return probe.recv(4) == b"220 "
    except OSError:
        return False


class Postfix:
    """port         where it takes mail; 0 before the first start
    accepted()   the messages that it has taken and not passed on, as email.message.Message, once none is on
                 its way any more"""

    def __init__(self, certificate=None, key=None, sasl=None, lmtp=None):
        self.certificate, self.key, self.sasl, self.lmtp = certificate, key, sasl, lmtp
        self.folder, self.port, self.process = None, 0, None

    def write_config(self):
        owner = pwd.getpwnam("mail")
        security = ""
        if self.certificate:
            security += SECURITY.format(certificate=self.certificate, key=self.key)
        if self.sasl:
            security += SIGN_IN.format(sasl=self.sasl, tls="yes" if self.certificate else "no")
        conf = self.folder / "conf"
        (conf / "any").write_text("/./ any\n")
        (conf / "boxes").write_text(f"/@box\\.example\\.org$/ lmtp:inet:127.0.0.1:{self.lmtp}\n")
        (conf / "main.cf").write_text(MAIN.format(
            folder=self.folder, programs=PROGRAMS, uid=owner.pw_uid, gid=owner.pw_gid, security=security,
            boxes=BOXES.format(folder=self.folder) if self.lmtp else "",
            restrictions="permit_sasl_authenticated, reject" if self.sasl else "permit_mynetworks, reject"))
        (conf / "master.cf").write_text(MASTER.format(port=self.port))

    def make_folders(self):
        """What `postfix check` would make, but for its look at the rest of the machine."""
        post, drop = pwd.getpwnam("postfix"), shutil.chown
        for name in ("conf", "data", "log", "mail", "queue", "queue/pid"):
            (self.folder / name).mkdir(exist_ok=True)
        drop(self.folder / "data", "postfix", "postfix")
        drop(self.folder / "mail", "mail", "mail")
        for name in ("active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "private",
                     "saved", "trace", "public", "maildrop"):
            path = self.folder / "queue" / name
            path.mkdir(exist_ok=True)
            os.chown(path, post.pw_uid, -1)
            path.chmod(0o700)

    def start(self):
        """Starts it, on the port that it had before."""
        if not self.port:
            self.port = free_port()
        self.write_config()
        self.process = subprocess.Popen([PROGRAMS / "master", "-c", self.folder / "conf", "-s"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        until = time.monotonic() + 10
        while time.monotonic() < until and self.process.poll() is None:
            if answers(self.port):
                return True
            time.sleep(0.02)
        self.stop()
        return False

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def pending(self):
        """How many taken messages are not in the sink yet."""
        return sum(len(files) for name in ("incoming", "active", "deferred", "maildrop")
                   for _, _, files in os.walk(self.folder / "queue" / name))

    def accepted(self):
        until = time.monotonic() + 20
        while self.pending():
            assert time.monotonic() < until, "postfix does not deliver: " + self.log()
            time.sleep(0.02)
        sink = self.folder / "mail" / "sink" / "new"
        names = sorted(sink.iterdir(), key=lambda path: path.stat().st_mtime_ns) if sink.exists() else []
        return [email.message_from_bytes(path.read_bytes()) for path in names]

    def log(self):
        path = self.folder / "log" / "mail"
        return path.read_text() if path.exists() else "no log"

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="postfix."))
        self.folder.chmod(0o755)
        self.make_folders()
        for _ in range(3):  # somebody may take the port between our look and its bind
            if self.start():
                return self
            self.port = 0
        raise RuntimeError("postfix does not start: " + self.log())

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if os.geteuid() != 0:
        sys.exit("postfix.py: needs root")
    with Postfix(**dict(word.split("=", 1) for word in sys.argv[1:])) as server:
        print(f"folder={server.folder} smtp={server.port}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
