# SPDX-License-Identifier: Apache-2.0
"""A test program of tests/tools, worked by lines: what it is told goes in, what it says comes out."""
import json
import os
import subprocess
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ONECASE_BUILD", TOP / "build" / "asan"))


PATIENCE = 30


def eventually(holds):
    """Waits for what another thread is about to do."""
    until = time.monotonic() + 5
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()


class Tool:
    def __init__(self, name, **settings):
        words = [f"{key}={value}" for key, value in settings.items() if value is not None]
        self.process = subprocess.Popen([BUILD / "tests" / name, *words], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        pass_fds=[fd for key, fd in settings.items() if key == "wake_fd"])

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        hung = threading.Timer(PATIENCE, self.process.kill)
        hung.start()
        line = self.process.stdout.readline()
        hung.cancel()
        assert line, f"the tool ended with {self.process.wait()}"
        return json.loads(line)

    def ask(self, line):
        self.tell(line)
        return self.hear()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        try:
            status = self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        assert kind is not None or status == 0, f"the tool ended with {status}"
