# SPDX-License-Identifier: Apache-2.0
"""The ledger's own tests, unchanged, on PostgreSQL: each program of tests/unit that opens a ledger by
ledger_place.h, and what concerns the driver alone."""
import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("ONECASE_UNIT", TOP / "build" / "asan" / "tests"))

LEDGER = ["commit", "floods", "intake", "listed", "lists", "mailboxes", "merged", "operators", "people", "replies", "runs", "steps", "webhooks", "work"]


@pytest.mark.parametrize("program", ["ledger_postgres", *(f"test_store_{name}" for name in LEDGER)])
def test_a_ledger_in_postgresql_keeps_what_one_in_sqlite_keeps(server, program):
    environment = {**os.environ, "ONECASE_TEST_LEDGER": server.make_database(program)}
    done = subprocess.run([PROGRAMS / program], env=environment, capture_output=True, text=True, cwd=TOP, timeout=300)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-6000:]
    assert len(re.findall(r"^\[       OK \]", said, re.M)) == len(re.findall(r"^\[ RUN      \]", said, re.M)) > 0
    assert server.sql(program, "SELECT COUNT(*) > 0 FROM pg_stat_user_tables WHERE relname = 'item'") == ["t"]
