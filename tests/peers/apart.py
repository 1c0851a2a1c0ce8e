# SPDX-License-Identifier: Apache-2.0
"""A machine of its own: a network namespace whose only way to the servers of this one can be taken away.

    with Apart(database, imap, smtp) as apart: … apart.before … apart.cut_off(); … apart.back()

`before` is put before a command that shall run there. `address` is this machine there, and `database` its name for
the ledger's URL: what is sent to one of those ports arrives at the same port of 127.0.0.1 here. `cut_off` is a cable that is pulled: nothing is refused and
nothing ends, octets are lost, and the system sends them again once it is `back`.

Where nobody may make namespaces (some containers), its processes run here and reach the servers by 127.0.0.2, on which
nothing passes while they are cut off.
"""
import os
import random
import shutil
import socket
import subprocess
from pathlib import Path

from gate import Gate
from listening import Listener


class Way(Gate):
    """To the same port of 127.0.0.1, from an address of this machine."""

    def __init__(self, address, port):
        super().__init__(port)
        self.listener.sock.close()
        self.listener = Listener(self.taken, sock=socket.create_server((address, port), backlog=100))


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Apart:
    def __init__(self, *ports):
        self.name, self.ports, self.ways = f"oc{os.getpid() % 10 ** 6}n{random.randrange(1000)}", ports, []
        self.net = f"10.213.{random.randrange(1, 255)}"
        self.address, self.database = f"{self.net}.1", "localhost"
        self.before = ["ip", "netns", "exec", self.name]
        self.hosts = Path("/etc/netns") / self.name / "hosts"

    @property
    def real(self):
        return bool(self.before)

    def cut_off(self):
        if self.real:
            ip("link", "set", self.name, "down")
        for way in () if self.real else self.ways:
            way.stall(3600)

    def back(self):
        if self.real:
            ip("link", "set", self.name, "up")
        for way in self.ways:
            way.pass_on()

    def make(self):
        ip("netns", "add", self.name)
        self.hosts.parent.mkdir(parents=True)
        self.hosts.write_text(f"{self.address} localhost\n")
        ip("link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        ip("address", "add", f"{self.address}/30", "dev", self.name)
        ip("-n", self.name, "address", "add", f"{self.net}.2/30", "dev", "eth0")
        for words in (["link", "set", self.name, "up"], ["-n", self.name, "link", "set", "eth0", "up"],
                      ["-n", self.name, "link", "set", "lo", "up"]):
            ip(*words)

    def unmake(self):
        for words in (["netns", "delete", self.name], ["link", "delete", self.name]):
            subprocess.run(["ip", *words], check=False, capture_output=True)
        shutil.rmtree(self.hosts.parent, ignore_errors=True)

    def __enter__(self):
        try:
            self.make()
        except (OSError, subprocess.CalledProcessError):
            self.unmake()
            self.before, self.address, self.database = [], "127.0.0.2", "127.0.0.2"
        self.ways = [Way(self.address, port).__enter__() for port in self.ports]
        return self

    def __exit__(self, *_):
        self.back()
        for way in self.ways:
            way.__exit__()
        if self.real:
            self.unmake()
