# SPDX-License-Identifier: Apache-2.0
"""The layer check refuses what it says it refuses, and lets the rest be."""
import subprocess
from pathlib import Path

import pytest

CHECK = Path(__file__).parent.parent / "check_layers"
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"

LAYERS = """\
base      | err  | -            | -
base/a.c  | -    | -            | clock
core      | item | @base        | -
ports     | book | @base @core  | -
store     | -    | @base book   | posix sqlite3 sql
app       | -    | everything   | posix exit
"""

ALLOWED = [
    ("src/core/a.c", "#include <onecase/err.h>\n#include <onecase/item.h>\n#include <string.h>"),
    ("src/core/a.c", '#include "own.h"'),
    ("src/store/a.c", "#include <onecase/book.h>\n#include <sqlite3.h>\n#include <unistd.h>"),
    ("src/store/a.c", 'static const char sql[] = "SELECT a"\n    "  FROM b";'),
    ("src/core/a.c", 'const char *text = "select a mailbox" " and update it";'),
    ("src/core/a.c", "int now = port->time(port->self) + item.sleep(1);"),
    ("src/core/a.c", "/* time() and exit(1), SELECT a FROM b */ int my_time(void);"),
    ("src/core/a.c", 'const char *text = "call exit(1) at any time()";'),
    ("src/base/a.c", "int64_t now = time(NULL);"),
    ("src/app/a.c", "void f(void) { exit(0); }\n#include <onecase/book.h>"),
]

REFUSED = [
    ("src/base/b.c", "#include <onecase/item.h>", "does not let base include"),
    ("src/store/a.c", "#include <onecase/item.h>", "does not let store include"),
    ("src/core/a.c", "#include <sqlite3.h>", "does not let core use sqlite3"),
    ("src/core/a.c", "#include <unistd.h>", "does not let core use posix"),
    ("src/core/a.c", "#include <sys/stat.h>", "does not let core use posix"),
    ("src/core/a.c", "#include <mystery.h>", "belongs to no vendor"),
    ("src/core/a.c", '#include "../base/x.h"', "never climbs"),
    ("src/core/a.c", "#include <onecase/../x.h>", "never climbs"),
    ("src/core/a.c", '#include "foreign.h"', "is not in this folder"),
    ("include/onecase/item.h", '#include "own.h"', "is not in this folder"),
    ("include/onecase/item.h", "#include <onecase/book.h>", "does not let core include"),
    ("include/onecase/orphan.h", "", "no folder owns this header"),
    ("src/attic/a.c", "", "no row in src/LAYERS"),
    ("src/core/a.c", "int64_t now = time(NULL);", "time() needs the right `clock`"),
    ("src/base/b.c", "int64_t now = time(NULL);", "time() needs the right `clock`"),
    ("src/core/a.c", "x = clock_gettime (CLOCK_REALTIME, &t);", "needs the right `clock`"),
    ("src/core/a.c", "usleep(1);", "needs the right `sleep`"),
    ("src/core/a.c", "int n = rand();", "needs the right `random`"),
    ("src/store/a.c", "_exit(1);", "needs the right `exit`"),
    ("src/core/a.c", 'static const char q[] = "SELECT a FROM b";', "SQL outside"),
    ("src/core/a.c", 'static const char q[] =\n    "UPDATE item"\n    " SET a = 1";', "SQL outside"),
    ("src/core/a.c", 'run("delete from item");', "SQL outside"),
    ("src/core/a.c", "/* TO" "DO: later */", "left open"),
    ("docs/a.md", "kept in /ho" "me/somebody/mail", "a path of one machine"),
    ("docs/a.md", "Co-Authored" "-By: somebody", "who or what wrote it"),
]


@pytest.fixture
def tree(tmp_path):
    for path, text in {
        "src/LAYERS": LAYERS,
        "include/onecase/err.h": SPDX,
        "include/onecase/item.h": SPDX + "#include <onecase/err.h>\n",
        "include/onecase/book.h": SPDX + "#include <onecase/item.h>\n",
        "src/core/own.h": SPDX,
    }.items():
        write(tmp_path, path, text)
    git = ["git", "-C", tmp_path, "-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "tests: a tree"], check=True)
    return tmp_path


def write(tree, path, text):
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text(text)


def check(tree):
    return subprocess.run([CHECK, tree], capture_output=True, text=True)


def test_a_tree_that_keeps_the_rules_passes(tree):
    run = check(tree)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize("path, text", ALLOWED)
def test_what_is_allowed_passes(tree, path, text):
    write(tree, path, SPDX + text + "\n")
    run = check(tree)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize("path, text, complaint", REFUSED)
def test_what_is_not_allowed_is_named_with_its_place(tree, path, text, complaint):
    write(tree, path, SPDX + text + "\n")
    run = check(tree)
    assert run.returncode == 1
    assert complaint in run.stdout
    assert run.stdout.startswith(path if complaint != "no row in src/LAYERS" else "src/attic")


def test_a_source_without_its_spdx_line_is_refused(tree):
    write(tree, "src/core/a.c", "int x;\n")
    assert "SPDX" in check(tree).stdout


def test_a_commit_message_is_held_to_the_words_too(tree):
    git = ["git", "-C", tree, "-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    message = "tests: x\n\nCo-Authored" "-By: somebody"
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)
    assert check(tree).stdout.startswith("a commit message")


def test_a_header_owned_twice_is_refused(tree):
    write(tree, "src/LAYERS", LAYERS + "base | item | - | -\n")
    assert "item is owned twice" in check(tree).stdout
