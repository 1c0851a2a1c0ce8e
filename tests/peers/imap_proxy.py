# SPDX-License-Identifier: Apache-2.0
"""A way to an IMAP server that reads what passes, and changes it: a server that can less, or answers oddly.

    with ImapProxy(port, without={"MOVE", "UIDPLUS"}) as proxy: … proxy.port …

without      words taken out of every list of capabilities, and their commands refused as a server would
             that lacks them; UIDPLUS takes COPYUID and APPENDUID with it, IDLE the command
no_keywords  PERMANENTFLAGS without \\*, and STORE and APPEND of keywords refused (Exchange)
utf8_only    UTF8=ONLY: names are UTF-8 both ways, and nothing is done before ENABLE UTF8=ACCEPT
answers      function of an untagged or tagged line (octets, without its end) that returns what takes its
             place: None for nothing, or a list of lines
empty        a pattern of the end of a line; what it matches gets "" in place of the literal that it announces
on(pattern, *acts)
             once for each act, when a command matches: "no [LIMIT] slower" | "bye [UNAVAILABLE] down" (then it
             closes) | "say * 1 EXISTS" (then it passes on) | "stall" | "close" | "lose" (it passes on, and the
             connection ends instead of the answer) | a function, called before it passes on

`commands` has every line that came, without tags and literals; `connections` counts; `cut()` ends them all, and
`silence()` lets nothing pass any more, in connections that stay open, as a router does that forgot them.
"""
import base64
import queue
import re
import socket
import threading

from listening import Listening, hang_up

CAPABILITIES = re.compile(rb"(?i)^(\* CAPABILITY |.*\[CAPABILITY )([^\]]*)(.*)$", re.S)
LITERAL = re.compile(rb"\{(\d+)(\+?)\}$")
OF = {b"UIDPLUS": re.compile(rb"(?i)\[(?:COPYUID|APPENDUID) [^\]]*\] ?"), b"MOVE": re.compile(rb"(?i)\[COPYUID [^\]]*\] ?")}
COMMAND = {b"MOVE": rb"(?i)(UID )?MOVE\b", b"UIDPLUS": rb"(?i)UID EXPUNGE\b", b"IDLE": rb"(?i)IDLE\b",
           b"NAMESPACE": rb"(?i)NAMESPACE\b", b"SPECIAL-USE": rb"(?i)LIST \(", b"UNSELECT": rb"(?i)UNSELECT\b"}


class Over(Exception):
    """The connection has ended."""


class Side:
    """One end: lines with their literals, whole."""

    def __init__(self, sock):
        self.sock, self.rest = sock, b""

    def more(self):
        octets = self.sock.recv(65536)
        if not octets:
            raise Over
        self.rest += octets

    def line(self):
        while b"\n" not in self.rest:
            self.more()
        line, self.rest = self.rest.split(b"\n", 1)
        return line.rstrip(b"\r")

    def octets(self, count):
        while len(self.rest) < count:
            self.more()
        octets, self.rest = self.rest[:count], self.rest[count:]
        return octets

    def send(self, octets):
        self.sock.sendall(octets)

    def hang_up(self):
        hang_up(self.sock)


class Dialogue:
    def __init__(self, proxy, near, far):
        self.proxy, self.near, self.far = proxy, Side(near), Side(far)
        self.enabled, self.losing, self.silent = not proxy.utf8_only, False, False
        self.verdicts, self.announced, self.ended = queue.SimpleQueue(), False, 0

    # what the client says

    def act(self, act, tag):
        """True where the command is answered."""
        if callable(act):
            act()
            return False
        verb, _, rest = act.partition(" ")
        if verb == "no":
            self.near.send(tag + b" NO " + rest.encode() + b"\r\n")
        elif verb == "bye":
            self.near.send(b"* BYE " + rest.encode() + b"\r\n")
            raise Over
        elif verb == "say":
            self.near.send(rest.encode() + b"\r\n")
            return False
        elif verb == "lose":
            self.losing = True
            return False
        elif verb == "stall":
            self.proxy.stop.wait()
        if verb in ("stall", "close"):
            raise Over
        return True

    def refused(self, words):
        for name in self.proxy.without:
            if name in COMMAND and re.match(COMMAND[name], words):
                return True
        keyword = self.proxy.no_keywords and re.match(rb"(?i)(UID STORE|APPEND) .*\((?!\\)[^)]+\)", words)
        return keyword or not self.enabled and words and not re.match(rb"(?i)(CAPABILITY|LOGIN|AUTHENTICATE|ENABLE|LOGOUT|NOOP)", words)

    @staticmethod
    def modified(line):
        """The same line with its UTF-8 names as the server behind wants them."""
        return re.sub(rb"&|[\x80-\xff]+", lambda name: b"&-" if name[0] == b"&" else b"&" + base64.b64encode(
            name[0].decode().encode("utf-16-be")).rstrip(b"=").replace(b"/", b",") + b"-", line)

    @staticmethod
    def plain(line):
        """The same line with its names as this server has them: no modified UTF-7."""
        def name(found):
            text = base64.b64decode(found[1].replace(b",", b"/") + b"===").decode("utf-16-be").encode()
            return text or b"&"
        named = re.match(rb"(?i)\* (LIST|LSUB|STATUS) ", line)
        return re.sub(rb"&([A-Za-z0-9+,]*)-", name, line) if named else line

    def command(self, line):
        tag, _, words = line.partition(b" ")
        self.proxy.commands.append(words.decode("utf-8", "replace"))
        act = self.proxy.turn(words.decode("utf-8", "replace"))
        if act is not None and self.act(act, tag):
            self.verdicts.put(b"no")
            return
        if self.proxy.utf8_only and re.match(rb"(?i)ENABLE .*UTF8=ACCEPT", words):
            self.enabled = True
            self.near.send(b"* ENABLED UTF8=ACCEPT\r\n" + tag + b" OK done\r\n")
            return
        if self.refused(words):
            self.near.send(tag + b" BAD it is not known here\r\n")
            return
        self.announced = bool(LITERAL.search(line)) and not line.endswith(b"+}")
        self.far.send((self.modified(line) if self.proxy.utf8_only else line) + b"\r\n")

    def upward(self):
        line = self.near.line()
        self.command(line)
        while (found := LITERAL.search(line)) and (found[2] or self.may_go_on()):
            self.far.send(self.near.octets(int(found[1])))
            line = self.near.line()
            self.far.send(line + b"\r\n")

    def may_go_on(self):
        """Whether the server wants the literal that was announced, or has refused the command."""
        return self.verdicts.get(timeout=30) == b"+"

    # what the server says

    def less(self, line):
        if found := CAPABILITIES.match(line):
            words = [w for w in found[2].split() if w.upper() not in self.proxy.without]
            words += [b"UTF8=ONLY"] if self.proxy.utf8_only else []
            line = found[1] + b" ".join(words) + found[3]
        for name in self.proxy.without & OF.keys():
            line = OF[name].sub(b"", line)
        if self.proxy.utf8_only:
            line = self.plain(line)
        if self.proxy.no_keywords:
            line = line.replace(rb" \*)", b")")
        return line

    def downward(self):
        line = self.less(self.far.line())
        if self.losing and not line.startswith((b"* ", b"+")):
            raise Over
        if self.announced and line[:1] != b"*":
            self.announced = False
            self.verdicts.put(line[:1])
        if self.proxy.empty and self.proxy.empty.search(line):
            self.far.octets(int(LITERAL.search(line)[1]))
            self.near.send(self.proxy.empty.sub(rb'\1 ""', line) + self.far.line() + b"\r\n")
            return
        for one in self.proxy.answered(line):
            self.near.send(one + b"\r\n")
            while found := LITERAL.search(one):
                self.near.send(self.far.octets(int(found[1])))
                one = self.far.line()
                self.near.send(one + b"\r\n")

    def run(self, step):
        try:
            while True:
                step()
        except (Over, OSError):
            if self.silent:
                return
        self.near.hang_up()
        self.far.hang_up()
        if self.last():
            self.near.sock.close()
            self.far.sock.close()

    def last(self):
        """Whether the other of the two threads has ended already."""
        with self.proxy.lock:
            self.ended += 1
            return self.ended == 2


class ImapProxy(Listening):
    def __init__(self, port, without=(), no_keywords=False, utf8_only=False, answers=None, empty=None):
        super().__init__()
        self.target, self.without = port, {word.encode() for word in without}
        self.no_keywords, self.utf8_only, self.answers, self.empty = no_keywords, utf8_only, answers, empty
        self.acts, self.commands, self.connections, self.dialogues = [], [], 0, []
        self.stop, self.lock = threading.Event(), threading.Lock()

    def on(self, pattern, *acts):
        self.acts.append((re.compile(pattern, re.I), list(acts)))
        return self

    def turn(self, words):
        for pattern, acts in self.acts:
            if acts and pattern.match(words):
                return acts.pop(0)
        return None

    def answered(self, line):
        if self.answers is None:
            return [line]
        lines = self.answers(line)
        return [] if lines is None else lines if isinstance(lines, list) else [lines]

    def said(self, pattern):
        return sum(bool(re.match(pattern, words, re.I)) for words in self.commands)

    def cut(self):
        for one in self.dialogues:
            one.near.hang_up()
            one.far.hang_up()

    def silence(self):
        """What the client says falls into a hole; its side of the connection stays open."""
        for one in self.dialogues:
            one.silent = True
            one.far.hang_up()

    def taken(self, sock):
        try:
            self.join(sock)
        except OSError:  # either end has left already
            sock.close()

    def join(self, near):
        far = socket.create_connection(("127.0.0.1", self.target))
        for sock in (near, far):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connections += 1
        dialogue = Dialogue(self, near, far)
        self.dialogues.append(dialogue)
        for step in (dialogue.upward, dialogue.downward):
            threading.Thread(target=dialogue.run, args=(step,), daemon=True).start()

    def __exit__(self, *_):
        self.stop.set()
        super().__exit__()
        self.cut()
