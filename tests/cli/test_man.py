# SPDX-License-Identifier: Apache-2.0
"""The pages of the manual: printed from the program, and well formed."""
import re
import shutil
import subprocess

import pytest

from conftest import PROGRAM, TOP

PAGES = sorted((TOP / "deploy" / "man").iterdir())


def test_what_the_pages_say_is_what_the_program_says():
    done = subprocess.run([TOP / "tests" / "check_pages", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_pages_are_there():
    assert [page.name for page in PAGES] == ["onecase-console.7", "onecase-destinations.7", "onecase-providers.7", "onecase.1", "onecase.yaml.5"]


def test_the_page_of_the_console_has_its_places_roles_and_settings():
    page = (TOP / "deploy/man/onecase-console.7").read_text()
    places = re.findall(r'^    \{ "/[a-z-]*", +"([^"]+)", +ROLE_', (TOP / "src/console/answer.c").read_text(), re.M)
    assert len(places) >= 10 and re.findall(r"^\.It Em (.+)", page, re.M) == places
    roles = re.findall(r'X\(ROLE_\w+, +"(\w+)", +"([^"]+)"\)', (TOP / "include/onecase/accounts.h").read_text())
    assert re.findall(r"^\.It Ql (\w+)\n(.+)", page, re.M) == roles
    reference = (TOP / "config/onecase.reference.yaml").read_text().split("\nconsole:\n")[1]
    settings = set(re.findall(r"^  (\w+):", re.split(r"^\S", reference, flags=re.M)[0], re.M))
    assert set(re.findall(r"\bconsole\.(\w+)", page)) == settings


def test_every_destination_that_is_shipped_has_its_section():
    """What it guarantees there, what is to be set up, its limits; and the guarantee is the file's."""
    page = (TOP / "deploy/man/onecase-destinations.7").read_text()
    sections = {re.search(r"config/destinations/(\S+) \.", text)[1]: text for text in page.split("\n.Sh ") if "\n.It Em " in text}
    shipped = {file.name: file.read_text() for file in (TOP / "config/destinations").iterdir()}
    assert set(sections) == set(shipped)
    for name, text in sections.items():
        assert re.findall(r"^\.It Em (.+)", text, re.M) == ["Guarantees", "To be set up", "Limits"], name
        assert re.search(r"Guarantees\n\.Ic (\S+)", text)[1] == re.search(r"^    guarantee: (\S+)", shipped[name], re.M)[1], name
        assert ("Replies and files stay at onecase" not in text) == ("    append:" in shipped[name]), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.parametrize("words", [["mandoc", "-Tlint", "-W", "warning"], ["groff", "-mdoc", "-Tutf8", "-ww", "-z"]],
                         ids=lambda words: words[0])
def test_a_page_is_well_formed(words, page):
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run([*words, page], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
