# SPDX-License-Identifier: Apache-2.0
"""One Dovecot for all tests of this folder, and deployments of their own."""
import itertools
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from deployment import CRASHING, Deployment, MailServer, rig, servers_of  # noqa: E402

numbers = itertools.count(1)


@pytest.fixture(scope="session")
def servers():
    if os.geteuid() != 0:
        pytest.skip("the mail server needs root")
    assert rig.PROGRAM.exists() and CRASHING.exists(), f"{rig.PROGRAM} or {CRASHING} is not built"
    with MailServer() as dovecot:
        yield servers_of(dovecot)


@pytest.fixture
def make(servers, tmp_path):
    """A function that makes deployments; what it is told is the script of its SMTP server."""
    made = []

    def one(script=""):
        user = f"row{next(numbers)}"
        (tmp_path / user).mkdir()
        made.append(Deployment(servers, tmp_path / user, user, script))
        return made[-1].__enter__()

    yield one
    for deployment in made:
        deployment.__exit__()


@pytest.fixture
def deployment(make):
    return make()
