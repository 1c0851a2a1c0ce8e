# SPDX-License-Identifier: Apache-2.0
"""The server that all tests here share, in memory where there is room."""
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))

SHARED_MEMORY, ENOUGH = Path("/dev/shm"), 1 << 30


@pytest.fixture(scope="session")
def server():
    from postgres import Postgres
    room = SHARED_MEMORY.exists() and shutil.disk_usage(SHARED_MEMORY).free > ENOUGH
    before, tempfile.tempdir = tempfile.tempdir, str(SHARED_MEMORY) if room else None
    with Postgres() as postgres:
        tempfile.tempdir = before
        yield postgres
