#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An IMAP server that does what a script says, and otherwise what it should.

    imap_peer.py SCRIPT-FILE      listens on a free port of 127.0.0.1 and prints it

A script is lines. Several lines about one thing take their turns, one each time that it comes; the last
one stays.

    have IMAP4rev1 AUTH=PLAIN     the capabilities, in place of all that it can
    separator .                   of folders
    prefix INBOX.                 of the personal namespace
    missing says no               a folder that is missing gets a plain NO, without a code
    bodies nil                    or: empty, quoted, uid last, without uid
    sizes 5                       what RFC822.SIZE says of every message
    read-only                     every folder

    on connect ACTION             connect CAPABILITY LOGIN AUTHENTICATE NAMESPACE LIST SELECT EXAMINE
                                  STATUS SEARCH LINES BODIES MOVE COPY STORE EXPUNGE APPEND CREATE SUBSCRIBE
                                  IDLE DONE NOOP; LINES is a FETCH without bodies, BODIES one with

An ACTION is one of

    no [OVERQUOTA] full           the tagged answer, and nothing is done (bad: likewise)
    say * 3 EXISTS                a line before what comes
    raw OCTETS                    as they are (\\r \\n \\xHH, %T is the tag), and nothing is done
    proceed                       what should be done
    perform                       the same without an answer
    cut 40                        the same, of the answer only so many octets, and the connection closed
    hold 40 | drip 40             the same, then nothing more, or an octet in 0.2 s
    wait 1.5 | stall | close | reset
    uidvalidity 9                 of the folder, from now on

and ", then" strings actions together.
"""
import re
import socket
import ssl
import struct
import sys
import threading
import time

from listening import Listening

ALL = "IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2 UIDPLUS MOVE IDLE NAMESPACE"


class Over(Exception):
    """The connection has ended, as the script or the client wants."""


class No(Exception):
    """The tagged answer of a command that is not done."""


class Message:
    def __init__(self, uid, octets):
        self.uid, self.octets, self.flags = uid, octets, set()


class Folder:
    def __init__(self, uidvalidity, octets=(), first_uid=11):
        self.uidvalidity, self.next, self.messages = uidvalidity, first_uid, []
        for one in octets:
            self.add(one)

    def add(self, octets):
        self.messages.append(Message(self.next, octets))
        self.next += 1
        return self.next - 1

    def find(self, uids):
        return [m for m in self.messages if any(a <= m.uid <= b for a, b in uids)]


class Script:
    def __init__(self, text):
        self.have, self.separator, self.prefix, self.plain_no = ALL, "/", "", False
        self.bodies, self.size, self.read_only, self.turns = "", None, False, {}
        for line in filter(None, (row.split("#")[0].strip() for row in text.splitlines())):
            self.read(line)

    def read(self, line):
        word, _, rest = line.partition(" ")
        if word in ("have", "separator", "prefix", "bodies"):
            setattr(self, word, rest)
        elif word == "sizes":
            self.size = int(rest)
        elif line == "missing says no":
            self.plain_no = True
        elif line == "read-only":
            self.read_only = True
        elif word == "on":
            event, _, actions = rest.partition(" ")
            self.turns.setdefault(event, []).append(actions.split(", then "))
        else:
            raise ValueError(f"not understood: {line}")

    def actions(self, event):
        turns = self.turns.get(event, [["proceed"]])
        return turns.pop(0) if len(turns) > 1 else turns[0]


def read_set(text):
    """"1,5:*" as pairs."""
    def number(word):
        return 2 ** 32 if word == "*" else int(word)
    pairs = [list(map(number, part.split(":"))) for part in text.split(",")]
    return [(min(pair), max(pair)) for pair in pairs]


def unquote(words):
    return [re.sub(r"\\(.)", r"\1", w[1:-1]) if w.startswith('"') else w for w in words]


class Dialogue:
    def __init__(self, peer, sock):
        self.peer, self.sock, self.buffer, self.encrypted = peer, sock, b"", False
        self.folder, self.writable, self.answer = None, False, b""

    # octets

    def receive(self):
        octets = self.sock.recv(65536)
        if not octets:
            raise Over
        self.buffer += octets

    def line(self):
        while b"\r\n" not in self.buffer:
            self.receive()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode("latin-1")

    def literal(self, size):
        while len(self.buffer) < size:
            self.receive()
        octets, self.buffer = self.buffer[:size], self.buffer[size:]
        return octets

    def command(self):
        """A line with its literals in their place, the last of them apart."""
        line, octets = self.line(), b""
        while match := re.search(r"\{(\d+)(\+?)\}$", line):
            if not match.group(2):
                self.sock.sendall(b"+ go on\r\n")
            octets = self.literal(int(match.group(1)))
            more = self.line()
            line = line[:match.start()] + ('"%s"' % octets.decode("latin-1") if more or "LOGIN" in line else "") + more
        return line, octets

    def say(self, line):
        self.answer += line.encode("latin-1") + b"\r\n"

    # commands: each says its untagged lines and gives the text of its OK

    def find_folder(self, name):
        if name not in self.peer.folders:
            raise No("no such folder" if self.peer.script.plain_no else "[NONEXISTENT] no such folder")
        return self.peer.folders[name]

    def target_folder(self, name):
        if name not in self.peer.folders:
            raise No("no such folder" if self.peer.script.plain_no else "[TRYCREATE] no such folder")
        return self.peer.folders[name]

    def do_capability(self, *_):
        have = self.peer.script.have
        if self.peer.context and not self.encrypted and "STARTTLS" not in self.peer.stripped:
            have += " STARTTLS"
        self.say(f"* CAPABILITY {have}")
        return "done"

    def do_starttls(self, *_):
        return "begin TLS"

    def do_authenticate(self, words, _):
        self.peer.secrets.append(" ".join(words))
        if len(words) < 2:
            self.sock.sendall(b"+ \r\n")
            self.peer.secrets.append(self.line())
        return "signed in"

    def do_login(self, words, _):
        self.peer.secrets.append(" ".join(words))
        return "signed in"

    def do_namespace(self, *_):
        script = self.peer.script
        self.say(f'* NAMESPACE (("{script.prefix}" "{script.separator}")) NIL NIL')
        return "done"

    def do_list(self, words, _):
        separator = self.peer.script.separator
        if words[1] == "":
            self.say(f'* LIST (\\Noselect) "{separator}" ""')
        elif words[1] == "*":
            for name in self.peer.folders:
                self.say(f'* LIST () "{separator}" "{name}"')
        elif words[1] in self.peer.folders:
            self.say(f'* LIST () "{separator}" "{words[1]}"')
        return "done"

    def open(self, name, writable):
        self.folder = self.find_folder(name)
        self.writable = writable and not self.peer.script.read_only
        self.say(f"* {len(self.folder.messages)} EXISTS")
        self.say("* FLAGS (\\Seen \\Deleted)")
        self.say(f"* OK [UIDVALIDITY {self.folder.uidvalidity}] here")
        self.say(f"* OK [UIDNEXT {self.folder.next}] next")
        return "[READ-WRITE] open" if self.writable else "[READ-ONLY] open"

    def do_select(self, words, _):
        return self.open(words[0], True)

    def do_examine(self, words, _):
        return self.open(words[0], False)

    def do_status(self, words, _):
        self.say(f'* STATUS "{words[0]}" (UIDNEXT {self.peer.folders[words[0]].next})')
        return "done"

    def do_search(self, words, _):
        text = " ".join(words).strip("()")
        found = list(self.folder.messages)
        if match := re.search(r"UID ([\d:,*]+)", text):
            found = self.folder.find(read_set(match.group(1)))
        if "UNDELETED" in text:
            found = [m for m in found if "\\Deleted" not in m.flags]
        if match := re.search(r"HEADER (\S+) (.+)", text):
            found = [m for m in found if match.group(2).encode() in m.octets]
        self.say(" ".join(["* SEARCH"] + [str(m.uid) for m in found]))
        return "done"

    def body(self, message, section):
        octets = message.octets.split(b"\r\n\r\n")[0] + b"\r\n\r\n" if "HEADER" in section else message.octets
        how = self.peer.script.bodies
        uid = b"" if how == "without uid" else b"UID %d" % message.uid
        value = {"nil": b"NIL", "empty": b"{0}\r\n",
                 "quoted": b'"%s"' % octets.replace(b"\r\n", b" ")}.get(how, b"{%d}\r\n%s" % (len(octets), octets))
        items = [uid, b"%s %s" % (section.encode(), value)]
        return b" ".join(filter(None, reversed(items) if how == "uid last" else items))

    def do_fetch(self, words, _):
        section = re.search(r"BODY\.PEEK(\[[A-Z]*\])", " ".join(words))
        for message in self.folder.find(read_set(words[0])):
            number = self.folder.messages.index(message) + 1
            if section:
                text = self.body(message, "BODY" + section.group(1))
            else:
                size = len(message.octets) if self.peer.script.size is None else self.peer.script.size
                text = (f'UID {message.uid} FLAGS ({" ".join(sorted(message.flags))}) INTERNALDATE '
                        f'" 1-Mar-2026 10:00:00 +0100" RFC822.SIZE {size}').encode()
            self.answer += b"* %d FETCH (%s)\r\n" % (number, text)
        return "done"

    def copy(self, words):
        target, found = self.target_folder(words[1]), self.folder.find(read_set(words[0]))
        pairs = [(m.uid, target.add(m.octets)) for m in found]
        code = "COPYUID %d %s %s" % (target.uidvalidity, *(",".join(str(p[i]) for p in pairs) for i in (0, 1)))
        return found, f"[{code}] " if pairs and "UIDPLUS" in self.peer.script.have else ""

    def expunge(self, messages):
        for message in messages:
            self.say(f"* {self.folder.messages.index(message) + 1} EXPUNGE")
            self.folder.messages.remove(message)

    def do_move(self, words, _):
        found, code = self.copy(words)
        if code:
            self.say(f"* OK {code}moved")
        self.expunge(found)
        return "done"

    def do_copy(self, words, _):
        return self.copy(words)[1] + "copied"

    def do_store(self, words, _):
        for message in self.folder.find(read_set(words[0])):
            message.flags |= {"\\Deleted"} if "\\Deleted" in " ".join(words) else set()
        return "done"

    def do_expunge(self, words, _):
        if not words:
            self.peer.plain_expunges += 1
        uids = read_set(words[0]) if words else [(0, 2 ** 32)]
        self.expunge([m for m in self.folder.find(uids) if "\\Deleted" in m.flags])
        return "done"

    def do_append(self, words, octets):
        self.target_folder(words[0]).add(octets)
        return "done"

    def do_create(self, words, _):
        if words[0] in self.peer.folders:
            raise No("[ALREADYEXISTS] there")
        self.peer.folders[words[0]] = Folder(len(self.peer.folders) + 100, first_uid=1)
        return "done"

    def do_delete(self, words, _):
        self.find_folder(words[0])
        del self.peer.folders[words[0]]
        return "done"

    def do_unsubscribe(self, *_):
        return "done"

    def do_subscribe(self, words, _):
        self.peer.subscribed.append(words[0])
        return "done"

    def do_idle(self, *_):
        self.sock.sendall(self.answer + b"+ waiting\r\n")
        self.answer = b""
        while self.line() != "DONE":
            pass
        self.act_on("DONE", "", lambda: "")
        return "done"

    def do_noop(self, *_):
        return "done"

    # actions

    def send(self, octets=None):
        octets, self.answer = self.answer if octets is None else octets, b""
        self.sock.sendall(octets)

    def part(self, verb, count):
        """Sends the first octets of an answer, and then no more, or little."""
        octets, self.answer = self.answer, b""
        self.send(octets[:count])
        if verb == "cut":
            self.sock.close()
            raise Over
        for octet in octets[count:] if verb == "drip" else b"":
            time.sleep(0.2)
            self.send(bytes([octet]))
        self.peer.stop.wait()
        raise Over

    def finish(self, tag, perform, verb, rest):
        try:
            text = perform()
            self.say(f"{tag} OK {text}" if tag else text) if text else None
        except No as no:
            self.say(f"{tag} NO {no}")
        if verb == "perform":
            self.answer = b""
        elif verb == "proceed":
            self.send()
        else:
            self.part(verb, int(rest))

    def act(self, action, tag, perform):
        verb, _, rest = action.partition(" ")
        if verb in ("no", "bad"):
            self.say(f"{tag} {verb.upper()} {rest}")
            self.send()
        elif verb == "say":
            self.say(rest)
        elif verb == "raw":
            octets = rest.replace("%T", tag).encode().decode("unicode_escape").encode("latin-1")
            self.send(self.answer + octets)
        elif verb == "uidvalidity":
            self.folder.uidvalidity = int(rest)
        elif verb == "wait":
            self.send()
            time.sleep(float(rest))
        elif verb in ("close", "reset", "stall"):
            self.send()
            if verb == "stall":
                self.peer.stop.wait()
            elif verb == "reset":
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.sock.close()
            raise Over
        elif verb in ("proceed", "perform", "cut", "hold", "drip"):
            self.finish(tag, perform, verb, rest)
        else:
            raise ValueError(f"not understood: {action}")

    def act_on(self, event, tag, perform):
        for action in self.peer.script.actions(event):
            self.act(action, tag, perform)

    def one(self):
        line, octets = self.command()
        if line == "DONE":  # of an IDLE that the script answered
            return
        self.peer.commands.append(line)
        tag, *words = unquote(re.findall(r'"(?:\\.|[^"\\])*"|[^ ]+', line))
        if words[0].upper() == "UID":
            words = words[1:]
        verb, words = words[0].upper(), words[1:]
        if verb == "LOGOUT":
            raise Over
        if self.folder is None and verb in ("SEARCH", "FETCH", "MOVE", "COPY", "STORE", "EXPUNGE", "IDLE"):
            self.send(f"{tag} BAD no folder is open\r\n".encode())
            return
        event = verb if verb != "FETCH" else "BODIES" if "BODY" in line else "LINES"
        self.act_on(event, tag, lambda: getattr(self, "do_" + verb.lower())(words, octets))
        if verb == "STARTTLS":
            self.encrypt()

    def encrypt(self):
        self.sock = self.peer.context.wrap_socket(self.sock, server_side=True)
        self.encrypted, self.buffer = True, b""

    def run(self):
        try:
            if self.peer.implicit:
                self.encrypt()
            self.act_on("connect", "*", lambda: "ready")
            while True:
                self.one()
        except (Over, OSError):
            pass
        finally:
            self.sock.close()


class ImapPeer(Listening):
    """The server, for a test: `with ImapPeer("on MOVE no [OVERQUOTA] full", INBOX=[b"…"]) as peer`

    folders         name on the wire -> Folder; INBOX has UIDVALIDITY 7, its first message UID 11
    commands        lines of all connections
    secrets         lines of LOGIN and AUTHENTICATE
    plain_expunges  EXPUNGE without UIDs: what must never happen
    """

    def __init__(self, script="", certificate=None, implicit=False, stripped=(), INBOX=(), **folders):
        super().__init__()
        self.script, self.implicit, self.stripped, self.context = Script(script), implicit, stripped, None
        self.folders = {"INBOX": Folder(7, INBOX)}
        self.folders.update({name: Folder(50 + i, octets, 1) for i, (name, octets) in enumerate(folders.items())})
        self.commands, self.secrets, self.subscribed, self.plain_expunges = [], [], [], 0
        self.connections, self.stop = 0, threading.Event()
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*certificate)

    def taken(self, sock):
        self.connections += 1
        threading.Thread(target=Dialogue(self, sock).run, daemon=True).start()

    def __exit__(self, *_):
        self.stop.set()
        super().__exit__()


if __name__ == "__main__":
    with ImapPeer(open(sys.argv[1]).read()) as server:
        print(server.port, flush=True)
        threading.Event().wait()
