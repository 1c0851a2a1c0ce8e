#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A private Dovecot: its own folder, free ports of 127.0.0.1, any user with the password "secret".

    dovecot.py [prefix=INBOX.] [separator=.] [certificate=FILE key=FILE]

prints one line `folder=… imap=PORT imaps=PORT` and runs until its standard input ends; then nothing of
it is left. Needs root, as the mail belongs to another account. For a test: `with Dovecot(…) as server`.
"""
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

PASSWORD = "secret"

CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = {ssl}
{certificate}
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:{folder}/mail/%u
first_valid_uid = 1
login_greeting = ready
mail_max_userip_connections = 100
mail_fsync = never
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
namespace inbox {{
  inbox = yes
  separator = {separator}
  prefix = {prefix}
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service stats {{
  chroot =
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as probe:
            return probe.recv(1) != b""
    except OSError:
        return False


class Dovecot:
    def __init__(self, prefix="", separator="/", certificate=None, key=None):
        self.prefix, self.separator, self.certificate, self.key = prefix, separator, certificate, key
        self.folder, self.imap, self.imaps, self.process = None, 0, 0, None

    def write_config(self):
        owner = pwd.getpwnam("mail")
        pair = f"ssl_cert = <{self.certificate}\nssl_key = <{self.key}" if self.certificate else ""
        self.imap, self.imaps = free_port(), free_port()
        (self.folder / "dovecot.conf").write_text(CONFIG.format(
            folder=self.folder, ssl="yes" if self.certificate else "no", certificate=pair, password=PASSWORD,
            uid=owner.pw_uid, gid=owner.pw_gid, separator=self.separator, prefix=self.prefix,
            imap=self.imap, imaps=self.imaps if self.certificate else 0))

    def start(self):
        self.write_config()
        self.process = subprocess.Popen(["dovecot", "-F", "-c", self.folder / "dovecot.conf"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 10
        while time.monotonic() < until and self.process.poll() is None:
            if answers(self.imap):
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

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="dovecot."))
        self.folder.chmod(0o755)
        mail = self.folder / "mail"
        mail.mkdir()
        shutil.chown(mail, "mail", "mail")
        for _ in range(3):  # somebody may take a port between our look and its bind
            if self.start():
                return self
        log = (self.folder / "log")
        raise RuntimeError("dovecot does not start: " + (log.read_text() if log.exists() else "no log"))

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if os.geteuid() != 0:
        sys.exit("dovecot.py: needs root")
    with Dovecot(**dict(word.split("=", 1) for word in sys.argv[1:])) as server:
        print(f"folder={server.folder} imap={server.imap} imaps={server.imaps}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
