# SPDX-License-Identifier: Apache-2.0
"""The command lines that stand in the running text of the documents: between backquotes, and in a page of the manual
as what is typed. Those of shell blocks are typed whole, by tests of their own (tests/cli/test_readme.py,
tests/integration/test_pages.py); the list of commands and the examples of `help` by tests/cli/test_typing.py."""
import re
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[1]
PAGES = sorted({path for pattern in ("*.md", "doc/*.md", "deploy/**/*.md", "src/README.md", "tests/**/README.md", "deploy/man/*", "config/*.yaml",
                                     "config/destinations/*.yaml", "deploy/container/*") for path in TOP.glob(pattern)} - {TOP / "CHANGELOG.md"})

# What begins a command line although it is neither a program of ours nor a file of the sources.
TOOLS = set("apt apt-cache apt-get cat chmod chown clamscan cmake cpack ctest curl debsecan docker doveadm doveconf dpkg gcore git gpg journalctl lintian man mandoc mkdir "
            "npm openssl pg_dump pg_restore pip podman promtool psql python3 rsync runuser sh sha256sum sqlite3 ssh sudo systemctl "
            "systemd-analyze systemd-creds systemd-sysusers systemd-tmpfiles tar".split())


class Inline(NamedTuple):
    page: str
    text: str

    def __str__(self):
        return f"{self.page}: {self.text}"


def spans(path):
    """What stands between backquotes, or as a literal of the manual."""
    text = path.read_text()
    if path.parent.name == "man":
        text = re.sub(r'^\.\\" commands begin.*?^\.\\" commands end', "", text, flags=re.M | re.S)  # from `help`, which is typed
        yield from manual(text)
        text = text.replace("\\-", "-").replace("\\e", "\\")
    else:
        text = re.sub(r"^<!-- commands begin -->.*?<!-- commands end -->", "", text, flags=re.M | re.S)
        for kind, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```$", text, flags=re.M | re.S):
            yield from typed_in(block, shell=kind == "sh" and path.name != "README.md" and path.parent.name != "doc", says=kind in ("", "text"))
        text = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    text = re.sub(r"\n#? *", " ", text)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text))


def typed_in(block, shell, says):
    """Lines of a block that no other test types: of a shell block all, of a text those behind a prompt or of a script of ours."""
    for line in block.splitlines():
        line = re.sub(r"\s+#.*|\s{4,}.*", "", line)
        if shell and line:
            yield line
        elif says and (line.startswith("$ ") or re.match(r"(build/)?tests/", line)):
            yield line.removeprefix("$ ")


def manual(text):
    """Lines of literals, and blocks of them."""
    text = text.replace("\\-", "-")
    for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", text, re.M | re.S):
        yield from (line.removeprefix("$ ").strip() for line in re.sub(r"\\e\n\s*", "", block).splitlines())
    for words in re.findall(r"^\.(?:Ic|Ql|Li|Dl|Cm|Pq (?:Ic|Ql)) (.*)$", text, re.M):
        for part in re.split(r" [,.;:()] ?| [,.;:()]$", words):
            yield re.sub(r"\b(Ar|Li|Ic|Cm|Ql|Ns) ", "", re.sub(r"\bFl (-?)", r"-\1", part)).strip()


def at_home(path, span):
    """A script that a page names without its folder is one of the page's own."""
    first, *others = span.split() or [""]
    beside = path.parent / first
    return f"{beside.relative_to(TOP)}{span[len(first):]}" if others and "tests" in path.parts and beside.is_file() else span


def is_command(span, commands):
    first, *others = span.split() or [""]
    if first == "onecase":
        return bool(others) and not re.match(r"<", others[0])
    return (first in TOOLS and bool(others) or bool(others) and first in commands and first not in ("case", "config", "help")
            or first == "case" and " --" in span
            or bool(re.match(r"((?:build/)?tests|deploy)/[\w./-]+$", first)) and is_script(first, others)
            or bool(re.match(r"--[a-z]", first)) or bool(re.search(r" --[a-z]", span)))


def is_script(name, others):
    """Folders and sources are named, scripts are run."""
    path = TOP / name
    return bool(others) or not path.exists() and "." not in name and "NAME" not in name or path.is_file() and path.stat().st_mode & 0o100 != 0


def inline(commands):
    """Each command line once a page, in their order; `commands`: the first words of what the program takes."""
    found = {}
    for path in PAGES:
        for span in spans(path):
            span = at_home(path, span)
            if is_command(span, commands):
                found[Inline(str(path.relative_to(TOP)), span)] = None
    return list(found)
