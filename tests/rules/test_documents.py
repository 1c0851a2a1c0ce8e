# SPDX-License-Identifier: Apache-2.0
"""What the pages show and name is there."""
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(TOP) for path in [*TOP.glob("*.md"), *TOP.glob("doc/*.md"), *TOP.glob("deploy/**/*.md"), TOP / "src/README.md", *TOP.glob("tests/*/README.md")])
FOLDERS = "|".join(("config", "deploy", "doc", "include", "templates", "tests"))
OF_THE_SOURCES = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)(?: [^`]*)?`")


def pictures(page):
    return re.findall(r"!\[([^]]*)\]\(([^)]+)\)", (TOP / page).read_text())


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_a_page_names_is_there(page):
    named = set(OF_THE_SOURCES.findall((TOP / page).read_text()))
    assert [path for path in sorted(named) if "NAME" not in path and not (TOP / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_picture_that_a_page_shows_is_there_and_is_told_in_words(page):
    for words, path in pictures(page):
        assert (TOP / page).parent.joinpath(path).exists(), path
        assert len(words.split()) >= 4, f"{path}: what it shows is to be said to who cannot see it"


def links(page):
    """(file, heading) that it leads to."""
    text = re.sub(r"^ *```.*?^ *```$", "", (TOP / page).read_text(), flags=re.M | re.S)
    for to, heading in re.findall(r"\[[^]]+\]\(([^)#]*)(?:#([^)]*))?\)", re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)):
        if "://" not in to:
            yield (TOP / page).parent.joinpath(to).resolve().relative_to(TOP) if to else page, heading


def headings(page):
    """As a link names them: small letters, blanks as hyphens, and no other signs."""
    return [re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in re.findall(r"^#+ (.*)$", (TOP / page).read_text(), re.M)]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_link_leads_somewhere(page):
    for to, heading in links(page):
        assert (TOP / to).exists(), to
        assert not heading or heading in headings(to), f"{to} has no heading {heading}"


def test_every_page_is_found_from_the_readme_by_its_links():
    found, next_ones = set(), [Path("README.md")]
    while next_ones:
        page = next_ones.pop()
        if page not in found and page.suffix == ".md":
            found.add(page)
            next_ones += [to for to, _ in links(page) if (TOP / to).exists()]
    assert [str(page) for page in PAGES if page not in found] == []


def test_each_picture_is_shown_and_all_together_are_small():
    shown = {(TOP / page).parent.joinpath(path).resolve() for page in PAGES for _, path in pictures(page)}
    there = set((TOP / "doc/pictures").iterdir())
    assert there == {path for path in shown if path.parent == TOP / "doc/pictures"}
    assert sum(path.stat().st_size for path in there) < 1 << 20
