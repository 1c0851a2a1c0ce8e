# SPDX-License-Identifier: Apache-2.0
"""The program at a terminal, on a ledger in which everything has happened once, at half past six of the
same evening."""
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ONECASE", TOP / "build" / "onecase")).resolve()
TOOLS = PROGRAM.parent / "tests"
EVENING = 1772476200  # 2026-03-02T18:30:00Z

CONFIGURATION = """\
name: help-desk
environment: production
owner: service-desk@example.org
timezone: UTC
data_dir: data
templates_dir: {templates}
mailboxes:
  - id: help
    imap: {{host: 127.0.0.1, port: 1, security: none, username: help, password: secret}}
    addresses: [help@example.org]
  - id: sales
    imap: {{host: 127.0.0.1, port: 1, security: none, username: sales, password: secret}}
  - id: orders
    mode: look-only
    imap: {{host: 127.0.0.1, port: 1, security: none, username: orders, password: secret}}
acknowledgement:
  smtp: {{host: 127.0.0.1, port: 1, security: none}}
  from: Service Desk <help@example.org>
  evidence: {{folder: Sent}}
"""


class Desk:
    def __init__(self, folder):
        self.folder = folder
        self.config = folder / "onecase.yaml"
        self.config.write_text(CONFIGURATION.format(templates=TOP / "templates"))

    def environment(self, width=80, **more):
        return {"PATH": os.environ["PATH"], "TZ": "UTC", "LD_PRELOAD": str(TOOLS / "still_clock.so"),
                "STILL_CLOCK": str(EVENING), "ONECASE_CONFIG": str(self.config),
                **({"COLUMNS": str(width)} if width else {}), **more}

    def run(self, *words, status=0, width=80, said="", **environment):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, input=said,
                              env=self.environment(width, **environment))
        if status is not None:
            assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def ledger(self):
        """All that the ledger holds, as text."""
        with sqlite3.connect(f"file:{self.folder / 'data/ledger.db'}?mode=ro", uri=True) as db:
            return "\n".join(db.iterdump())


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    assert PROGRAM.exists(), f"{PROGRAM} is not built; ONECASE says which program to test"
    folder = tmp_path_factory.mktemp("ledger") / "data"
    folder.mkdir(mode=0o700)
    made = subprocess.run([TOOLS / "cli_ledger", folder / "ledger.db"], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def desk(ledger, tmp_path):
    shutil.copytree(ledger, tmp_path / "data")
    return Desk(tmp_path)


@pytest.fixture
def new_desk(tmp_path):
    """Nothing has happened yet."""
    return Desk(tmp_path)
