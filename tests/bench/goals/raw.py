# SPDX-License-Identifier: Apache-2.0
"""The bare work, step by step, as quickly as it can be done without a program around it: seconds a message."""
import ctypes
import json
import os
import smtplib
import socket
import sqlite3
import ssl
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from rig import PASSWORD, TOP
from scene import CONNECTIONS

TOOL = Path(os.environ.get("ONECASE_BUILD", TOP / "build")) / "tests/reader_cost"
MOVED_AT_ONCE = 256
SYNCED_AT_ONCE = 64
LIBC = ctypes.CDLL(None, use_errno=True)
LETTER = ("From: Service Desk <{0}@box.example.org>\r\nTo: {1}\r\nSubject: We have received your mail\r\n"
          "Message-ID: <{2}@box.example.org>\r\n\r\n" + "Thank you for your mail. It has arrived.\r\n" * 14)


class Wire:
    """One signed-in IMAP connection, and how long each command takes; what comes is not looked at."""

    def __init__(self, scene, user):
        trust = ssl.create_default_context(cafile=scene.authority.file)
        plain = socket.create_connection(("localhost", scene.dovecot.imaps))
        self.line, self.number = trust.wrap_socket(plain, server_hostname="localhost"), 0
        self.say(f"LOGIN {user} {PASSWORD}")
        self.say("SELECT INBOX")

    def say(self, command):
        self.number += 1
        tag, tail, taken = f"A{self.number}", b"", 0
        began = time.monotonic()
        self.line.sendall(f"{tag} {command}\r\n".encode())
        while f"{tag} OK".encode() not in tail:
            octets = self.line.recv(262144)
            assert octets, "the server has gone"
            taken += len(octets)
            tail = (tail + octets)[-4096:]
        return time.monotonic() - began, taken


def fetch_and_move(scene, user, count):
    wire = Wire(scene, user)
    fetching, _ = wire.say("UID FETCH 1:* (UID INTERNALDATE RFC822.SIZE BODY.PEEK[])")
    wire.say("CREATE Processed")
    moving = sum(wire.say(f"UID MOVE {first}:{first + MOVED_AT_ONCE - 1} Processed")[0]
                 for first in range(1, count + 1, MOVED_AT_ONCE))
    wire.line.close()
    return fetching / count, moving / count


def parse(mails):
    """The reader, in one process, without a child."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (octets, _) in enumerate(mails):
            (Path(folder) / f"{number}.eml").write_bytes(octets)
        (Path(folder) / "tmp").mkdir()
        done = subprocess.run([TOOL, "1", folder], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["here_us"] / 1e6


def store(folder, mails):
    """Originals and attachments written and made durable: each by itself, or many by one syncfs; whichever is quicker."""
    def written(each):
        place = Path(tempfile.mkdtemp(dir=folder))
        top = os.open(place, os.O_RDONLY)
        began, pending = time.monotonic(), 0
        for number, (octets, files) in enumerate(mails):
            for n, content in enumerate([octets, *files]):
                file = os.open(place / f"{number}.{n}", os.O_WRONLY | os.O_CREAT, 0o600)
                os.write(file, content)
                if each:
                    os.fsync(file)
                os.close(file)
            pending += 1
            if not each and (pending == SYNCED_AT_ONCE or number == len(mails) - 1):
                assert LIBC.syncfs(top) == 0
                pending = 0
        os.close(top)
        return (time.monotonic() - began) / len(mails)
    return min(written(True), written(False))


def commit(folder, count=400):
    """One small transaction in SQLite, WAL and FULL: the middle of some."""
    took = []
    with sqlite3.connect(Path(folder) / "raw.db", isolation_level=None) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE IF NOT EXISTS letter (id INTEGER PRIMARY KEY, status TEXT, octets BLOB)")
        for number in range(count):
            began = time.monotonic()
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO letter (status, octets) VALUES ('armed', ?)", (bytes(900),))
            db.execute("UPDATE letter SET status = 'done' WHERE id = ?", (number,))
            db.execute("COMMIT")
            took.append(time.monotonic() - began)
    db.close()
    return statistics.median(took)


def send_to_sink(scene, count):
    """One kept connection."""
    before, began = scene.sink.count(), time.monotonic()
    subprocess.run(["/usr/sbin/smtp-source", "-d", "-m", str(count), "-s", "1", "-l", "900", "-f", "a@box.example.org", "-t",
                    "b@senders.example", f"127.0.0.1:{scene.sink.port}"], check=True)
    took = time.monotonic() - began
    assert scene.sink.count() - before <= count
    return took / count


def send_to_postfix(scene, user, count):
    """Signed in under TLS, over as many connections as the program has."""
    trust = ssl.create_default_context(cafile=scene.authority.file)

    def send(first):
        with smtplib.SMTP("localhost", scene.postfix.port) as client:
            client.starttls(context=trust)
            client.login(user, PASSWORD)
            for number in range(first, count, CONNECTIONS):
                to = f"bare{number}@senders.example"
                client.sendmail(f"{user}@box.example.org", [to], LETTER.format(user, to, f"{user}.{number}"))

    threads = [threading.Thread(target=send, args=(first,)) for first in range(CONNECTIONS)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    scene.postfix.accepted()  # what is under way does not count for the next
    return took / count
