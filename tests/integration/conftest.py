# SPDX-License-Identifier: Apache-2.0
"""The servers that all tests share, and a rig for each test that asks for one."""
import itertools
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

numbers = itertools.count(1)


SHARED_MEMORY, ENOUGH = Path("/dev/shm"), 2 << 30


@pytest.fixture(scope="session", autouse=True)
def scratch():
    """Where mail servers and rigs live: in memory where there is room, so that no test waits for a disk that
    others use; what must be durable is the crash suite's matter."""
    room = SHARED_MEMORY.exists() and shutil.disk_usage(SHARED_MEMORY).free > ENOUGH
    before, tempfile.tempdir = tempfile.tempdir, str(SHARED_MEMORY) if room else None
    folder = Path(tempfile.mkdtemp(prefix="rigs."))
    yield folder
    shutil.rmtree(folder)
    tempfile.tempdir = before


@pytest.fixture(scope="session")
def servers(scratch, tmp_path_factory):
    """Dovecot and Postfix with certificates of one authority; Postfix asks Dovecot about passwords."""
    from authority import Authority
    from postfix import Postfix
    from rig import MailServer
    if os.geteuid() != 0:
        pytest.skip("the mail servers need root")
    authority = Authority(tmp_path_factory.mktemp("authority"))
    certificate, key = authority.issue("server")
    with MailServer(certificate=certificate, key=key) as dovecot, \
            Postfix(certificate, key, dovecot.sasl, dovecot.lmtp) as postfix:
        yield SimpleNamespace(authority=authority, dovecot=dovecot, postfix=postfix)


@pytest.fixture
def make_rig(servers, scratch):
    """A function that makes rigs, each with an account of its own."""
    from rig import PROGRAM, Rig
    assert PROGRAM.exists(), f"{PROGRAM} is not built; ONECASE says which program to test"
    made = []

    def make(box=None):
        number = next(numbers)
        folder = scratch / f"rig{number}"
        folder.mkdir()
        made.append(Rig(servers, folder, f"user{number}", box))
        return made[-1]

    yield make
    for rig in made:
        rig.end()
        shutil.rmtree(rig.folder)


@pytest.fixture
def rig(make_rig):
    return make_rig()


def pytest_terminal_summary(terminalreporter):
    """How many of the case files came out as expected."""
    count = {"passed": 0, "failed": 0, "error": 0}
    for outcome in count:
        for report in terminalreporter.getreports(outcome):
            count[outcome] += sum(n for key, n in getattr(report, "user_properties", [])
                                  if key == "case files" and report.when == "call")
    if any(count.values()):
        terminalreporter.write_line(f"case files: {count['passed']} of {sum(count.values())}")
