#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A private Courier: its own folder, free ports of 127.0.0.1, any user with the password "secret".

    courier.py [certificate=FILE key=FILE]

prints one line `folder=… imap=PORT imaps=PORT` and runs until its standard input ends. Its imapd is the real
one, a process for each session; what stands before it in an installation (couriertcpd, imaplogin and
authdaemond, whose paths are built in) is played here: connections, TLS and sign-in. Folders are under
"INBOX.". Needs root. For a test: `with Courier(…) as server`.
"""
import base64
import os
import re
import selectors
import shutil
import socket
import ssl
import subprocess
import sys
import threading

from imap_server import UNPACKED, ImapServer
from listening import Listener, hang_up

TOP = UNPACKED / "courier"
LIBRARIES = f"{TOP}/usr/lib/x86_64-linux-gnu:{TOP}/usr/lib:{TOP}/lib/x86_64-linux-gnu"
# Its imapd asks for a helper by a path of its own and waits a second for it at each session: without one it
# looks for new mail itself while it idles.
NO_HELPER = """
int FAMOpen(void *c) { (void)c; return -1; }
int FAMOpen2(void *c, const char *n) { (void)c; (void)n; return -1; }
"""
CAPABILITIES = "IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=ORDEREDSUBJECT THREAD=REFERENCES SORT QUOTA IDLE"


class Over(Exception):
    """The client has left, or was sent away."""


class Session:
    """One connection: its sign-in, then the octets between it and an imapd of its own."""

    def __init__(self, server, sock):
        self.server, self.sock, self.rest = server, sock, b""

    def line(self):
        while b"\n" not in self.rest:
            octets = self.sock.recv(4096)
            if not octets:
                raise Over
            self.rest += octets
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode("utf-8", "replace").rstrip("\r")

    def say(self, text):
        self.sock.sendall(text.encode() + b"\r\n")

    def secret(self, verb, words):
        if verb == "LOGIN":
            return [re.sub(r"\\(.)", r"\1", w.strip('"')) for w in re.findall(r'"(?:\\.|[^"\\])*"|[^ ]+', words)]
        if not re.match(r"PLAIN\b", words, re.I):
            return None
        initial = words.partition(" ")[2]
        if not initial:
            self.say("+ ")
            initial = self.line()
        return base64.b64decode(initial).decode().split("\0")[1:]

    def sign_in(self):
        """The user and the tag whose answer is still owed."""
        self.say(f"* OK [CAPABILITY {CAPABILITIES} AUTH=PLAIN] Courier-IMAP ready.")
        while True:
            tag, _, rest = self.line().partition(" ")
            verb, _, words = rest.partition(" ")
            verb = verb.upper()
            if verb == "CAPABILITY":
                self.say(f"* CAPABILITY {CAPABILITIES} AUTH=PLAIN")
            elif verb == "LOGOUT":
                raise Over
            elif verb in ("LOGIN", "AUTHENTICATE"):
                given = self.secret(verb, words)
                if given and given[1] == self.server.password:
                    return given[0], tag
                self.say(f"{tag} NO Login failed.")
                continue
            self.say(f"{tag} OK {verb} completed")

    @staticmethod
    def begin(near):
        """Its own greeting says PREAUTH; it is the end of our sign-in."""
        said = b""
        while b"* PREAUTH" not in said or not said.endswith(b"\n"):
            octets = near.recv(4096)
            if not octets:
                raise Over
            said += octets

    def relay(self, near):
        with selectors.DefaultSelector() as both:
            both.register(self.sock, selectors.EVENT_READ, near)
            both.register(near, selectors.EVENT_READ, self.sock)
            while True:
                for key, _ in both.select():
                    octets = key.fileobj.recv(65536)
                    while isinstance(key.fileobj, ssl.SSLSocket) and key.fileobj.pending():
                        octets += key.fileobj.recv(65536)
                    if not octets:
                        return
                    key.data.sendall(octets)

    @staticmethod
    def end(process):
        """It ends with its socket. Killed in the middle of its work it would leave a lock that others wait for."""
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def run(self):
        process = None
        try:
            if self.server.is_secure(self.sock):
                self.sock = self.server.context.wrap_socket(self.sock, server_side=True)
            user, tag = self.sign_in()
            near, far = socket.socketpair()
            with near:
                with far:
                    process = self.server.imapd(user, far)
                self.begin(near)
                self.say(f"{tag} OK LOGIN Ok.")
                near.sendall(self.rest)
                self.relay(near)
        except (Over, OSError):
            pass
        finally:
            self.sock.close()
            if process:
                self.end(process)


class Courier(ImapServer):
    name = "courier"

    def __init__(self, **more):
        super().__init__(prefix="INBOX.", separator=".", **more)
        self.listeners, self.context, self.sessions = [], None, set()

    def write_config(self):
        pass

    def is_secure(self, sock):
        return self.context is not None and sock.getsockname()[1] == self.imaps

    def start(self):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", self.folder / "no_helper.so"], input=NO_HELPER,
                       text=True, check=True)
        if self.certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(self.certificate, self.key)
        return self.begin()

    def begin(self):
        """Again on the same ports, where it had any."""
        ports = [self.imap, self.imaps] if self.certificate else [self.imap]
        self.listeners = [Listener(self.taken, port=port) for port in ports]
        self.imap, self.imaps, *_ = [one.port for one in self.listeners] + [0]
        for listener in self.listeners:
            listener.start()
        return True

    def taken(self, sock):
        threading.Thread(target=self.session, args=(sock,), daemon=True).start()

    def session(self, sock):
        self.sessions.add(sock)
        Session(self, sock).run()
        self.sessions.discard(sock)

    def imapd(self, user, sock):
        home = self.folder / "mail" / user
        for part in ("", "cur", "new", "tmp"):
            if not (home / part).exists():
                (home / part).mkdir(exist_ok=True)
                shutil.chown(home / part, "mail", "mail")
        environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": LIBRARIES, "AUTHENTICATED": user,
                       "LD_PRELOAD": str(self.folder / "no_helper.so"),
                       "HOME": str(home), "PROTOCOL": "IMAP", "IMAP_CAPABILITY": CAPABILITIES,
                       "IMAP_USELOCKS": "1", "IMAP_ENHANCEDIDLE": "0", "IMAP_IDLE_TIMEOUT": "1", "IMAP_CHECK_ALL_FOLDERS": "0",
                       "IMAP_OBSOLETE_CLIENT": "0", "IMAP_UMASK": "022", "IMAP_TRASHFOLDERNAME": "Trash",
                       "IMAP_EMPTYTRASH": "", "IMAP_MOVE_EXPUNGE_TO_TRASH": "0", "IMAP_ACL": "0", "SENDMAIL": "/bin/false"}
        return subprocess.Popen([TOP / "usr/bin/imapd", "."], cwd=home, env=environment, stdin=sock, stdout=sock,
                                stderr=subprocess.DEVNULL, user="mail", group="mail", extra_groups=[])

    def stop(self):
        for listener in self.listeners:
            listener.end()
        for sock in list(self.sessions):
            hang_up(sock)


def main():
    if os.geteuid() != 0:
        sys.exit("courier.py: needs root")
    with Courier(**dict(word.split("=", 1) for word in sys.argv[1:])) as server:
        print(f"folder={server.folder} imap={server.imap} imaps={server.imaps}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
