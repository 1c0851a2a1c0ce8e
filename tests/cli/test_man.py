# SPDX-License-Identifier: Apache-2.0
"""The pages of the manual: printed from the program, and well formed."""
import shutil
import subprocess

import pytest

from conftest import PROGRAM, TOP

PAGES = sorted((TOP / "deploy" / "man").iterdir())


def test_what_the_pages_say_is_what_the_program_says():
    done = subprocess.run([TOP / "tests" / "check_pages", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_pages_are_there():
    assert [page.name for page in PAGES] == ["onecase-providers.7", "onecase.1", "onecase.yaml.5"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.parametrize("words", [["mandoc", "-Tlint", "-W", "warning"], ["groff", "-mdoc", "-Tutf8", "-ww", "-z"]],
                         ids=lambda words: words[0])
def test_a_page_is_well_formed(words, page):
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run([*words, page], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
