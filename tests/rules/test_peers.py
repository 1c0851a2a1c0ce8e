# SPDX-License-Identifier: Apache-2.0
"""The peers of the tests keep to tests/peers/listening.py: who accepts there, ends before his socket is closed."""
import re
import socket
import sys
import threading
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "peers"))

from listening import Listening, hang_up  # noqa: E402


def test_one_place_accepts():
    found = {str(path.relative_to(TESTS)) for folder in ("peers", "bench") for path in (TESTS / folder).rglob("*.py")
             if re.search(r"(?<!\bself)\.accept\(\)", path.read_text())}
    assert found == {"peers/listening.py"}


class Silent(Listening):
    """Keeps what it is given, and says nothing."""

    def __init__(self):
        super().__init__()
        self.given = []

    def talk(self, sock):
        self.given.append(sock)
        sock.recv(1)
        sock.close()


def test_when_it_has_ended_nobody_waits_on_its_descriptors():
    before = threading.active_count()
    with Silent() as peer:
        with socket.create_connection(("127.0.0.1", peer.port)):
            while not peer.given:
                pass
            hang_up(peer.given[0])
    assert not peer.listener.thread.is_alive() and peer.listener.sock.fileno() == -1
    while threading.active_count() > before:  # the talk's own
        pass
    assert peer.given[0].fileno() == -1
