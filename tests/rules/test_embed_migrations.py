# SPDX-License-Identifier: Apache-2.0
"""The build embeds every migration whole and in order, and stops where a number is wrong."""
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent.parent
SHOW = r"""
#include <stdio.h>
#include "migrations.h"
int main(void)
{
    for (size_t i = 0; i < migration_count; i++)
        printf("%d %s\n%s", migrations[i].version, migrations[i].name, migrations[i].sql);
}
"""


def embed(folder, files):
    for name, text in files.items():
        (folder / name).write_bytes(text)
    paths = ";".join(str(folder / name) for name in files)
    return subprocess.run(["cmake", f"-DFILES={paths}", f"-DOUT={folder}/migrations.c", "-P",
                           TOP / "cmake/embed_migrations.cmake"], capture_output=True, text=True)


def test_texts_come_out_octet_by_octet_in_order(tmp_path):
    odd = b"SELECT 'a;b', \"c\\n\"; -- \xc3\xa4 [x] ${y} \t]]\r\n"
    long = b"-- a line\n" * 1000
    assert embed(tmp_path, {"0002_more.sql": long, "0001_ledger.sql": odd}).returncode == 0
    (tmp_path / "show.c").write_text(SHOW)
    subprocess.run(["gcc", "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", TOP / "src/store",
                    "-o", tmp_path / "show", tmp_path / "show.c", tmp_path / "migrations.c"], check=True)
    shown = subprocess.run([tmp_path / "show"], capture_output=True, check=True).stdout
    assert shown == b"1 ledger\n" + odd + b"2 more\n" + long


@pytest.mark.parametrize("names, complaint", [
    (["0002_late.sql"], "expected number 1"),
    (["0001_a.sql", "0003_c.sql"], "expected number 2"),
    (["0001_a.sql", "0001_b.sql"], "expected number 2"),
    (["0001-a.sql"], "expected number 1"),
    (["0001_A.sql"], "expected number 1"),
])
def test_a_gap_a_repeated_number_or_another_name_stops_the_build(tmp_path, names, complaint):
    run = embed(tmp_path, {name: b"SELECT 1;\n" for name in names})
    assert run.returncode != 0
    assert complaint in run.stderr
    assert not (tmp_path / "migrations.c").exists()


def oldest(folder):
    """The schema of the oldest program that works with each migration."""
    return [int(line.split(",")[2]) for line in (folder / "migrations.c").read_text().splitlines() if line.startswith("    {")]


def test_a_migration_works_with_older_programs_only_where_it_says_so(tmp_path):
    says = b"-- SPDX-License-Identifier: Apache-2.0\n-- Works with programs from schema 1 on.\nSELECT 1;\n"
    assert embed(tmp_path, {"0001_a.sql": b"SELECT 1;\n", "0002_b.sql": says, "0003_c.sql": b"SELECT 1;\n"}).returncode == 0
    assert oldest(tmp_path) == [1, 1, 3]


@pytest.mark.parametrize("line", [b"-- Works with programs from schema 2 on.", b"-- Works with programs from schema 0 on.",
                                  b"-- Works with programs of schema 1."])
def test_what_is_said_of_older_programs_and_cannot_be_stops_the_build(tmp_path, line):
    run = embed(tmp_path, {"0001_a.sql": b"SELECT 1;\n", "0002_b.sql": line + b"\nSELECT 1;\n"})
    assert run.returncode != 0 and "from schema N on" in " ".join(run.stderr.split())
