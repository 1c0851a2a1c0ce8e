# SPDX-License-Identifier: Apache-2.0
"""Each function that src/base/banned.h names cannot be compiled, by either compiler."""
import re
import subprocess
from pathlib import Path

import pytest

BANNED = Path(__file__).parent.parent.parent / "src/base/banned.h"
NAMES = re.findall(r"(\w+)\([^()]*\) BANNED", BANNED.read_text())
HEADERS = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"


def compile_text(compiler, text, *flags):
    command = [compiler, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags,
               "-include", BANNED, "-x", "c", "-fsyntax-only", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", NAMES)
def test_a_banned_function_does_not_compile(compiler, name):
    run = compile_text(compiler, HEADERS + f"void *f(void);\nvoid *f(void) {{ return (void *){name}; }}\n")
    assert run.returncode != 0
    assert "banned: use" in run.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flags", [[], ["-O2", "-D_FORTIFY_SOURCE=2"], ["-D_DEFAULT_SOURCE"]])
def test_the_headers_themselves_compile(compiler, flags):
    assert compile_text(compiler, HEADERS, *flags).stderr == ""


def test_every_function_of_the_house_style_is_named():
    assert set(NAMES) >= set("strcpy strcat strncpy strncat sprintf vsprintf strtok gmtime localtime "
                             "ctime asctime atoi".split())
