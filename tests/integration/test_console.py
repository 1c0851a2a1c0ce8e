# SPDX-License-Identifier: Apache-2.0
"""The console beside the workers: whoever holds it up holds up no mail."""
import http.client
import resource
import socket

import pytest

from mails import plain
from rig import assert_invariants, await_


@pytest.fixture
def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_a_thousand_slow_connections_to_the_console_stop_no_worker(rig, port):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    rig.settings["console"] = {"listen": f"127.0.0.1:{port}"}
    rig.deliver(plain("before"))
    service, slow = rig.serve(), []

    def answers():
        try:
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            link.request("GET", "/healthz")
            return link.getresponse().status == 200
        except OSError:
            return False

    try:
        await_(answers, "the console answers", 30)
        for n in range(1000):
            link = socket.create_connection(("127.0.0.1", port), 20)
            link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-" if n % 2 else b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nna")
            slow.append(link)
        rig.deliver(plain("meanwhile"))
        await_(lambda: [i["state"] for i in rig.items()] == ["complete"] * 2, "both mails are complete while the connections hang", 40)
        assert answers(), "and others are served"
    finally:
        for link in slow:
            link.close()
    assert service.end() == 0
    assert len(rig.acknowledgements()) == 2
    assert_invariants(rig)
