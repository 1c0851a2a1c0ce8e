#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A private Cyrus: its own folder, free ports of 127.0.0.1, any user with the password "secret".

    cyrus.py [prefix=INBOX.] [separator=.] [certificate=FILE key=FILE]

prints one line `folder=… imap=PORT imaps=PORT` and runs until its standard input ends. With the prefix
"INBOX." it has its namespaces as they were until 2.5; without, those of 3.x. Who asks about passwords is
answered by us, as saslauthd would. Needs root. For a test: `with Cyrus(…) as server`.
"""
import os
import socket
import struct
import sys
import threading

from imap_server import UNPACKED, ImapServer, free_port
from listening import Listener

TOP = UNPACKED / "cyrus"
BIN = TOP / "usr/lib/cyrus/bin"
LIBRARIES = TOP / "usr/lib/x86_64-linux-gnu"

IMAPD = """
configdirectory: {folder}/config
partition-default: {folder}/mail
defaultpartition: default
sievedir: {folder}/config
cyrus_user: mail
servername: localhost
admins: cyrus
allowplaintext: yes
sasl_mech_list: PLAIN LOGIN
sasl_pwcheck_method: saslauthd
sasl_saslauthd_path: {folder}/mux
unixhierarchysep: {slash}
altnamespace: {alternative}
autocreate_quota: 0
autocreate_users: anyone
duplicatesuppression: no
skiplist_unsafe: yes
idlesocket: {folder}/config/idle
mboxname_lockpath: {folder}/config/lock
proc_path: {folder}/config/proc
temp_path: {folder}/config
maxlogins_per_user: 0
maxlogins_per_host: 0
timeout: 30
{certificate}
"""

CYRUS = """
START {{
  recover cmd="{bin}/ctl_cyrusdb -C {folder}/imapd.conf -r"
}}
SERVICES {{
  imap cmd="{bin}/imapd -C {folder}/imapd.conf" listen="127.0.0.1:{imap}" prefork=1 maxchild=200
  {secure}
}}
DAEMON {{
  idled cmd="{bin}/idled -C {folder}/imapd.conf"
}}
EVENTS {{
}}
"""


class Cyrus(ImapServer):
    name, mux = "cyrus", None

    def write_config(self):
        self.imap = free_port()
        self.imaps = free_port() if self.certificate else 0
        pair = f"tls_server_cert: {self.folder}/certificate\ntls_server_key: {self.folder}/key" if self.certificate else ""
        secure = f'imaps cmd="{BIN}/imapd -s -C {self.folder}/imapd.conf" listen="127.0.0.1:{self.imaps}" prefork=1'
        (self.folder / "imapd.conf").write_text(IMAPD.format(
            folder=self.folder, certificate=pair, slash="yes" if self.separator == "/" else "no",
            alternative="no" if self.prefix else "yes"))
        (self.folder / "cyrus.conf").write_text(CYRUS.format(
            bin=BIN, folder=self.folder, imap=self.imap, secure=secure if self.certificate else ""))

    def copy(self, name, path):
        """Its processes are not root when they read them."""
        (self.folder / name).write_bytes(open(path, "rb").read())
        (self.folder / name).chmod(0o644)

    def command(self):
        return [BIN / "master", "-C", self.folder / "imapd.conf", "-M", self.folder / "cyrus.conf",
                "-p", self.folder / "config" / "master.pid"]

    def environment(self):
        return {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES), "SASL_PATH": str(LIBRARIES / "sasl2")}

    def start(self):
        if self.mux is None:
            self.own("config", "config/db", "config/proc", "config/lock", "config/log", "config/msg", "config/socket")
            if self.certificate:
                self.copy("certificate", self.certificate)
                self.copy("key", self.key)
            self.listen()
        return super().start()

    # what saslauthd does: user, password, service and realm come as counted texts, and so does the answer

    def listen(self):
        mux = socket.socket(socket.AF_UNIX)
        mux.bind(str(self.folder / "mux"))
        (self.folder / "mux").chmod(0o666)
        mux.listen(50)
        self.mux = Listener(self.taken, mux)
        self.mux.start()

    def taken(self, asker):
        threading.Thread(target=self.answer, args=(asker,), daemon=True).start()

    def answer(self, asker):
        with asker, asker.makefile("rb") as said:
            try:
                self.judge(said, asker)
            except (OSError, ValueError, struct.error) as why:  # to the asker it is a generic failure
                print(f"cyrus: a question about a password was not answered: {why!r}", file=sys.stderr)

    def judge(self, said, asker):
        def text():
            length, = struct.unpack("!H", said.read(2))
            return said.read(length).decode()

        _, password, _, _ = (text() for _ in range(4))
        answer = b"OK" if password == self.password else b"NO"
        asker.sendall(struct.pack("!H", len(answer)) + answer)

    def __exit__(self, *rest):
        super().__exit__(*rest)
        self.mux.end()


def main():
    if os.geteuid() != 0:
        sys.exit("cyrus.py: needs root")
    with Cyrus(**dict(word.split("=", 1) for word in sys.argv[1:])) as server:
        print(f"folder={server.folder} imap={server.imap} imaps={server.imaps}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
