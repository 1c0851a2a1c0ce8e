#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A mail server that does what a script says.

    smtp_peer.py SCRIPT-FILE [FOLDER]      listens on a free port of 127.0.0.1 and prints it

It runs until its standard input ends, and keeps what it takes in FOLDER, a file a message.

A script is lines; what it does not mention goes well. Several lines about one thing take their
turns, one each time that it comes; the last one stays.

    offer SIZE 1000               in place of what EHLO offers otherwise; may stand several times
    offer nothing
    tls                           TLS from the first octet; without it STARTTLS is offered where
                                  there is a certificate

    on connect ACTION             connect EHLO HELO STARTTLS AUTH MAIL RCPT DATA RSET QUIT NOOP
    after 2000 octets ACTION      in the middle of a message
    after end-of-data ACTION      the message is complete, and not accepted by this alone
    after accepting ACTION        when 250 was said

An ACTION is one of

    reply 450 4.7.1 greylisted    one line; "|" between lines makes a reply of several
    reply slowly 250 ok           the same, one octet in 50 ms
    send 25                       these octets as they are (\\r \\n \\xHH), no more
    accept                        takes the message and says 250
    take                          takes the message and says nothing
    wait 1.5                      goes on after so many seconds
    await DATA                    reads on until this has come, too
    stall                         says nothing more, reads nothing more
    close | reset                 the connection, by FIN or RST

and ", then" strings actions together:  after end-of-data take, then close
"""
import re
import socket
import ssl
import struct
import sys
import threading
import time
from pathlib import Path

from listening import Listening

OFFERS = ["PIPELINING", "SIZE 50000000", "8BITMIME", "SMTPUTF8", "DSN", "AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER"]

REPLIES = {
    "connect": "220 peer ESMTP", "HELO": "250 peer", "STARTTLS": "220 2.0.0 go ahead",
    "AUTH": "235 2.7.0 welcome", "MAIL": "250 2.1.0 ok", "RCPT": "250 2.1.5 ok", "DATA": "354 go ahead",
    "RSET": "250 2.0.0 ok", "NOOP": "250 2.0.0 ok", "QUIT": "221 2.0.0 bye",
}


class Over(Exception):
    """The connection has ended, as the script or the client wants."""


class Script:
    def __init__(self, text):
        self.offers, self.offered, self.tls, self.octets = list(OFFERS), False, False, None
        self.turns = {}
        for line in filter(None, (row.split("#")[0].strip() for row in text.splitlines())):
            self.read(line)

    def read(self, line):
        words = line.split(" ")
        if words[0] == "offer":
            self.offers = [] if not self.offered else self.offers
            self.offered = True
            self.offers += [] if words[1] == "nothing" else [line.removeprefix("offer ")]
        elif line == "tls":
            self.tls = True
        elif words[0] == "on":
            self.add(words[1], " ".join(words[2:]))
        elif words[0] == "after" and words[2:3] == ["octets"]:
            self.octets = int(words[1])
            self.add("octets", " ".join(words[3:]))
        elif words[0] == "after" and words[1] in ("end-of-data", "accepting"):
            self.add(words[1], " ".join(words[2:]))
        else:
            raise ValueError(f"not understood: {line}")

    def add(self, event, actions):
        self.turns.setdefault(event, []).append(actions.split(", then "))

    def actions(self, event):
        turns = self.turns.get(event)
        if not turns:
            return [f"reply {REPLIES[event]}"] if event in REPLIES else []
        return turns.pop(0) if len(turns) > 1 else turns[0]


class Dialogue:
    def __init__(self, peer, sock):
        self.peer, self.sock, self.buffer, self.encrypted = peer, sock, b"", False
        self.commands, self.message, self.arrived = [], None, 0
        self.sender, self.recipients = False, 0

    # octets

    def receive(self):
        octets = self.sock.recv(65536)
        if not octets:
            raise Over
        self.buffer += octets

    def line(self):
        while b"\n" not in self.buffer:
            self.receive()
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.rstrip(b"\r").decode("latin-1")

    def send(self, octets):
        self.sock.sendall(octets)

    # actions

    def reply(self, text, slowly=False):
        lines = text.split("|")
        code, texts = lines[0][:3], [lines[0][4:]] + lines[1:]
        octets = "".join(f"{code}{'-' if i < len(texts) - 1 else ' '}{one}\r\n" for i, one in enumerate(texts))
        for octet in octets if slowly else [octets]:
            self.send(octet.encode("latin-1"))
            time.sleep(0.05 if slowly else 0)

    def accept(self):
        self.peer.accepted.append(self.message)
        self.reply("250 2.0.0 taken")

    def close(self):
        self.sock.close()
        raise Over

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def act(self, action):
        verb, _, rest = action.partition(" ")
        if verb == "reply" and rest.startswith("slowly "):
            self.reply(rest.removeprefix("slowly "), slowly=True)
        elif verb == "reply":
            self.reply(rest)
        elif verb == "send":
            self.send(rest.encode().decode("unicode_escape").encode("latin-1"))
        elif verb == "take":
            self.peer.accepted.append(self.message)
        elif verb == "wait":
            time.sleep(float(rest))
        elif verb == "await":
            while rest.encode() not in self.buffer:
                self.receive()
        elif verb == "stall":
            self.peer.stop.wait()
            raise Over
        elif verb in ("accept", "close", "reset"):
            getattr(self, verb)()
        else:
            raise ValueError(f"not understood: {action}")

    def happen(self, event):
        """Does what the script says about it; true where a reply with 2xx or 3xx was the end of that."""
        actions = self.peer.script.actions(event)
        for action in actions:
            self.act(action)
        return bool(actions) and re.match(r"reply (slowly )?[23]|accept", actions[-1]) is not None

    # the protocol

    def offer(self):
        if "EHLO" in self.peer.script.turns:
            self.happen("EHLO")
            return
        offers = list(self.peer.script.offers)
        if self.peer.context and not self.encrypted and "STARTTLS" not in self.peer.stripped:
            offers.append("STARTTLS")
        self.reply("|".join(["250 peer"] + offers))

    def encrypt(self):
        self.sock = self.peer.context.wrap_socket(self.sock, server_side=True)
        self.encrypted, self.buffer = True, b""

    def sign_in(self, line):
        self.peer.secrets.append(line)
        words = line.split(" ")
        wanted = {"LOGIN": 2, "PLAIN": 1}.get(words[1].upper(), 1) - (len(words) - 2)
        for _ in range(wanted):
            self.reply("334 " + ("VXNlcm5hbWU6" if words[1].upper() == "LOGIN" else ""))
            self.peer.secrets.append(self.line())
        self.happen("AUTH")

    def envelope(self, verb):
        """Who is not let in stays out: commands come in groups, before the one in front was answered."""
        if verb == "RCPT" and not self.sender:
            self.reply("503 5.5.1 MAIL first")
            return
        good = self.happen(verb)
        if verb == "MAIL":
            self.peer.waiting = len(self.buffer)
        if verb == "RCPT":
            self.recipients += good
        else:
            self.sender, self.recipients = verb == "MAIL" and good, 0

    def data(self):
        if self.recipients == 0 and "DATA" not in self.peer.script.turns:
            self.reply("554 5.5.1 no valid recipients")
            return
        if not self.happen("DATA"):
            return
        watched = "octets" in self.peer.script.turns
        while True:
            if watched and len(self.buffer) >= self.peer.script.octets:
                watched = False
                try:
                    self.happen("octets")
                finally:
                    self.peer.interrupted.set()
            end = (b"\r\n" + self.buffer).find(b"\r\n.\r\n")
            if end >= 0:
                break
            self.receive()
        self.message, self.buffer = self.buffer[:end], self.buffer[end + 3:]
        self.peer.ended += 1
        if "end-of-data" in self.peer.script.turns:
            self.happen("end-of-data")
        else:
            self.accept()
        self.happen("accepting")

    def command(self, line):
        verb = line.split(" ")[0].upper()
        self.commands.append(line if verb != "AUTH" else "AUTH")
        if verb == "EHLO":
            self.offer()
        elif verb == "AUTH":
            self.sign_in(line)
        elif verb == "DATA":
            self.data()
        elif verb == "STARTTLS" and self.happen("STARTTLS"):
            self.encrypt()
        elif verb == "QUIT":
            self.happen("QUIT")
            self.close()
        elif verb in ("MAIL", "RCPT", "RSET"):
            self.envelope(verb)
        elif verb in REPLIES and verb != "STARTTLS":
            self.happen(verb)
        elif verb not in REPLIES:
            self.reply("500 5.5.2 what?")

    def run(self):
        try:
            if self.peer.script.tls:
                self.encrypt()
            self.happen("connect")
            while True:
                self.command(self.line())
        except (Over, OSError):
            pass
        finally:
            self.sock.close()


class SmtpPeer(Listening):
    """The server, for a test: `with SmtpPeer("on RCPT reply 450 later") as peer: … peer.port …`

    accepted   messages taken, dots undoubled no more than on the wire
    ended      end-of-data lines seen
    secrets    lines of AUTH seen, whatever became of them
    dialogues  one a connection, with its commands
    interrupted  an event: what the script says "after N octets" has been done
    waiting    octets that had come behind the last MAIL when it was answered
    """

    def __init__(self, script="", certificate=None, stripped=()):
        super().__init__()
        self.script, self.stripped, self.context = Script(script), stripped, None
        self.accepted, self.ended, self.secrets, self.dialogues = [], 0, [], []
        self.stop, self.interrupted = threading.Event(), threading.Event()
        self.waiting = 0
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)

    @property
    def commands(self):
        return [command for dialogue in self.dialogues for command in dialogue.commands]

    def taken(self, sock):
        dialogue = Dialogue(self, sock)
        self.dialogues.append(dialogue)
        threading.Thread(target=dialogue.run, daemon=True).start()

    def __exit__(self, *_):
        self.stop.set()
        super().__exit__()


class Kept(list):
    """A list of messages that are files, too."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)

    def append(self, message):
        super().append(message)
        (self.folder / f"{len(self)}.eml").write_bytes(message)


def main():
    with SmtpPeer(Path(sys.argv[1]).read_text()) as server:
        if len(sys.argv) > 2:
            server.accepted = Kept(sys.argv[2])
        print(server.port, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
