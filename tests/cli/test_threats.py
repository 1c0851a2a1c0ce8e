# SPDX-License-Identifier: Apache-2.0
"""The page about threats names tests that there are, for every row; and the list of libraries is the program's own."""
import re
import subprocess

from conftest import PROGRAM, TOP

PAGE = TOP / "doc/security.md"


def test_every_threat_is_stopped_by_something_that_a_test_shows():
    rows = [line.split(" | ") for line in PAGE.read_text().splitlines() if re.match(r"\| (?!threat|package|`)", line)]
    assert len(rows) >= 20
    files = list((TOP / "tests").rglob("test_*.py"))
    names = {name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M)}
    names |= {path.stem for path in files}
    for threat, stopped, shown in rows:
        tests = re.findall(r"`([^`]+)`", shown)
        assert tests and stopped.strip(), threat
        for test in tests:
            there = (TOP / test).exists() if "/" in test else test in names
            assert there, f"{threat}: there is no test {test}"


def test_the_list_of_dependencies_is_what_the_program_is_linked_with():
    said = subprocess.run([TOP / "deploy/install-dependencies", "--list"], capture_output=True, text=True, check=True).stdout
    listed = dict(line.split(maxsplit=1) for line in said.splitlines())
    assert all(re.match(r"[0-9]", version) for version in listed.values()), said
    linked = re.findall(r"NEEDED +(\S+)", subprocess.run(["objdump", "-p", PROGRAM], capture_output=True, text=True, check=True).stdout)
    assert len(linked) >= 10
    files = subprocess.run(["dpkg-query", "-L", *listed], capture_output=True, text=True, check=True).stdout
    theirs = {line.rsplit("/", 1)[-1] for line in files.splitlines()}
    with_c_or_gmime = ("libc.", "libm.", "libglib-", "libgobject-", "ld-linux")
    assert [library for library in linked if library not in theirs and not library.startswith(with_c_or_gmime)] == []


def test_the_list_of_known_vulnerabilities_has_each_of_them_with_its_page():
    said = subprocess.run([TOP / "deploy/known-vulnerabilities"], capture_output=True, text=True, check=True).stdout
    rows = [line.strip("| ").split(" | ") for line in said.splitlines()[2:]]
    listed = subprocess.run([TOP / "deploy/install-dependencies", "--list"], capture_output=True, text=True, check=True).stdout
    assert [f"{name.strip('`')} {version}" for name, version, *_ in rows] == listed.splitlines()
    for _, _, repaired, last, page in rows:
        assert repaired.isdigit() and (last == "-" or re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", last))
        assert re.fullmatch(r"\[(\S+)\]\(https://security-tracker\.debian\.org/tracker/source-package/\1\)", page)
    shown = re.findall(r"^\| `(\S+)` \| [0-9]", PAGE.read_text(), re.M)
    assert shown == [name.strip("`") for name, *_ in rows]
