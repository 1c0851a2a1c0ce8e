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


def judge_in(folder, files):
    """What is said of each of the files, in order; those before it are known."""
    for file in files:
        shutil.copy(file, folder / file.name)
    done = subprocess.run(
        [BUILD / "tests/judge_mail", folder, *[f.name for f in files]],
        capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.rstrip("\n").split("\n")]


@pytest.fixture
def judge(tmp_path):
    """A function from files to what is said of each."""
    return lambda files: judge_in(tmp_path, files)


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


def kinds():
    return sorted(case_files.KINDS.glob("*.eml"))


@pytest.fixture(scope="module")
def kinds_judged(tmp_path_factory):
    """All kinds at once; those that have no key of their own are judged alone, or they were copies."""
    alone = [eml for eml in kinds() if case_files.expectation(eml).get("key_source") == "digest"]
    together = [eml for eml in kinds() if eml not in alone]
    found = judge_in(tmp_path_factory.mktemp("kinds"), together)
    for eml in alone:
        found += judge_in(tmp_path_factory.mktemp("kind"), [eml])
    return dict(zip(together + alone, found))


@pytest.mark.parametrize("eml", kinds(), ids=lambda eml: eml.stem)
def test_a_kind_comes_out_as_expected(eml, kinds_judged):
    assert kinds_judged[eml]["error"] is None
    assert list(case_files.differences(case_files.expectation(eml), kinds_judged[eml])) == []
