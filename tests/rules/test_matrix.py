# SPDX-License-Identifier: Apache-2.0
"""Each row of the fault matrix that tests/crash/figures assigns has a test that carries its id, and those of several
machines have one on the real servers and a place in the simulator."""
import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def load_figures():
    loader = importlib.machinery.SourceFileLoader("figures", str(TESTS / "crash/figures"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("figures", loader))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


FIGURES = load_figures()
IN_SIMULATOR = {path.name: path.read_text() for path in (TESTS / "sim").glob("*.c")}
REACHED = set(re.findall(r'"([A-Z]\d\d[ab]?)"', IN_SIMULATOR.pop("reached.c")))


def test_each_assigned_row_has_a_test_that_carries_its_id():
    carried = FIGURES.carried()
    assert [row for those in FIGURES.ASSIGNED.values() for row in those if row not in carried] == []


@pytest.mark.parametrize("row", FIGURES.ON_SERVERS)
def test_a_row_of_several_machines_is_shown_on_real_servers_and_in_the_simulator(row):
    assert [name for name in FIGURES.SERVERS if row in {found for found, _ in FIGURES.tests_of(TESTS / name)}], "on real servers"
    assert row in REACHED, "tests/sim/reached.c"
    assert [name for name, text in IN_SIMULATOR.items() if f'"{row}"' in text], "what causes it there"
