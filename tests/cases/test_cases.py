# SPDX-License-Identifier: Apache-2.0
"""Every case of the folder, through the reader, the identity and the policy."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import case_files

BUILD = Path(os.environ.get("ONECASE_BUILD", case_files.TOP / "build/asan"))


@pytest.fixture
def judge(tmp_path):
    """A function from files to what is said of each."""

    def run(files):
        for file in files:
            shutil.copy(file, tmp_path / file.name)
        done = subprocess.run(
            [BUILD / "tests/judge_mail", tmp_path, *[f.name for f in files]],
            capture_output=True, text=True, timeout=60, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def differences_of(group, found):
    expected = [case_files.expectation(eml) for eml in group]
    for eml, want, have in zip(group, expected, found):
        for line in case_files.differences(want, have):
            yield f"{eml.name}: {line}"
    if len(group) == 2:
        yield from case_files.pair_differences(expected, found)


@pytest.mark.parametrize("name", case_files.cases())
def test_a_case_comes_out_as_expected(name, judge, record_property):
    group = case_files.cases()[name]
    record_property("files", len(group))
    assert list(differences_of(group, judge(group))) == []
