# SPDX-License-Identifier: Apache-2.0
"""What the private IMAP servers share: a folder of their own, free ports of 127.0.0.1, a life within `with`.

Whoever derives from ImapServer says how it is configured and started. It has imap and imaps (0 without a
certificate), takes any user with `password`, and keeps folders under `prefix`, with `separator` between levels.
"""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

UNPACKED = Path("/usr/local/lib/onecase-tests")  # by deploy/install-dependencies


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


class ImapServer:
    name, password = "imap", "secret"

    def __init__(self, prefix="", separator="/", certificate=None, key=None):
        self.prefix, self.separator, self.certificate, self.key = prefix, separator, certificate, key
        self.folder, self.imap, self.imaps, self.process = None, 0, 0, None

    def write_config(self):
        raise NotImplementedError

    def command(self):
        raise NotImplementedError

    def environment(self):
        return None

    def own(self, *names):
        """Makes folders that belong to the account of the mail."""
        for name in names:
            (self.folder / name).mkdir()
            shutil.chown(self.folder / name, "mail", "mail")

    def start(self):
        self.write_config()
        return self.begin()

    def begin(self):
        """Starts it as it is configured; false where it does not answer."""
        self.process = subprocess.Popen(self.command(), env=self.environment(), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        until = time.monotonic() + 10
        while time.monotonic() < until and self.process.poll() is None:
            if answers(self.imap):
                return True
            time.sleep(0.02)
        self.stop()
        return False

    def stop(self):
        """Its sessions end with it, also those that would wait for their clients."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def told(self):
        log = self.folder / "log"
        return log.read_text() if log.exists() else "no log"

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.name}."))
        self.folder.chmod(0o755)
        self.own("mail")
        for _ in range(3):  # somebody may take a port between our look and its bind
            if self.start():
                return self
        raise RuntimeError(f"{self.name} does not start: {self.told()}")

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
