# SPDX-License-Identifier: Apache-2.0
"""Where the output goes: terminals, pipes, full devices, scripts."""
import json
import os
import pty
import re
import subprocess

import pytest

from conftest import PROGRAM, TOP

READING = ["status", "items", "item HD-7PP1307J", "deliveries", "cases", "case HD-EGGGRWE0", "report duplicates",
           "report decisions", "report replays", "deployments", "check", "suspects"]
WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.mark.parametrize("words", READING)
def test_every_reading_command_has_json(desk, words):
    said = desk.run(*words.split(), "--json", status=None)
    assert said.stderr == ""
    value = json.loads(said.stdout)
    assert said.stdout.endswith("\n") and value is not None
    for name, text in pairs(value):
        if name in ("first_seen", "completed_at", "seen_at", "created_at", "date", "last_success", "since", "until"):
            assert text is None or WHEN.fullmatch(text), f"{name}: {text}"


def pairs(value):
    if isinstance(value, dict):
        for name, one in value.items():
            if isinstance(one, (dict, list)):
                yield from pairs(one)
            else:
                yield name, one
    elif isinstance(value, list):
        for one in value:
            yield from pairs(one)


def test_json_has_all_rows_unless_a_limit_says_otherwise(desk):
    assert len(json.loads(desk.run("items", "--json").stdout)) == 10
    assert len(json.loads(desk.run("items", "--json", "--limit", "3").stdout)) == 3
    assert desk.run("items", "--limit", "3").stdout.count("\n") == 1 + 3 + 2
    assert "The newest 3 mails" in desk.run("items", "--limit", "3").stdout


def test_tables_show_fifty_rows(desk):
    for _ in range(45):
        desk.run("replay", "HD-WZDVM6YG", "--approve", "--by", "a", "--reason", "b")
    page = desk.run("deliveries").stdout
    assert page.count("\n") == 1 + 50 + 1 and "The newest 50 arrivals; --limit N shows more." in page
    assert len(json.loads(desk.run("deliveries", "--json").stdout)) == 56


def test_filters_leave_out_what_was_not_asked_for(desk):
    def keys(*words):
        return [item["case"] for item in json.loads(desk.run("items", *words, "--json").stdout)]
    assert keys("--state", "in_progress") == ["HD-G168VNN6"]
    assert keys("--not-told") == ["HD-KSGYFP4K"]
    assert keys("--older-than", "6h") == ["HD-EGGGRWE0", "HD-ZVQ1WN6G", "HD-WZDVM6YG", "HD-EGGGRWE0"]
    assert keys("--older-than", "2026-03-02") == [] and keys("--mailbox", "sales") == []


# ---- full, closed, narrow -------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["items", "items --json", "help", "spec", "version", "config", "status"])
def test_output_that_cannot_be_written_is_74(desk, words):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True,
                              env=desk.environment())
    assert done.returncode == 74 and done.stderr.startswith("onecase: the output could not be written")


@pytest.mark.parametrize("words", ["spec", "config"])
def test_a_reader_that_has_seen_enough_is_no_failure(desk, words):
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {PROGRAM} {words} | head -1"], capture_output=True, text=True,
                          env=desk.environment())
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


# ---- a terminal -------------------------------------------------------------------------------------------------


def at_a_terminal(desk, *words, **environment):
    """What a terminal of 100 columns gets."""
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    run = subprocess.Popen([PROGRAM, *words], stdin=slave, stdout=slave, stderr=slave,
                           env={"TERM": "xterm", **desk.environment(None), **environment})
    os.close(slave)
    said = b""
    try:
        while piece := os.read(master, 65536):
            said += piece
    except OSError:  # the other end is closed
        pass
    run.wait()
    os.close(master)
    return said.decode()


def test_a_terminal_gets_bold_headings_and_its_own_width(desk):
    said = at_a_terminal(desk, "items")
    assert said.startswith("\033[1mCASE") and "\033[0m\r\n" in said
    lines = [re.sub(r"\033\[\d*m", "", line) for line in said.split("\r\n")]
    assert 80 < max(map(len, lines)) <= 100


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_none(desk, environment):
    assert "\033" not in at_a_terminal(desk, "items", **environment)


def test_json_is_the_same_everywhere(desk):
    assert at_a_terminal(desk, "items", "--json").replace("\r\n", "\n") == desk.run("items", "--json").stdout


def test_a_pipe_gets_no_colour(desk):
    assert "\033" not in desk.run("items", TERM="xterm").stdout


# ---- columns ----------------------------------------------------------------------------------------------------


SENTENCES = ("From the beginning", "Decisions about what", "Was the confirmation", "If nobody decides", "Type: ")  # the terminal wraps them
TABLES = ["items", "deliveries", "cases", "report duplicates", "report duplicates --rows deliveries", "report decisions",
          "report replays", "deployments", "suspects", "rules", "proposals", "user list", "token list"]


def test_every_table_can_be_as_wide_as_it_wants(new_desk):
    """But for what is no list: one item's steps, and the plan of a replay, have their columns alone."""
    for words in TABLES:
        assert {"--wide", "--columns LIST"} <= set(re.findall(r"--wide|--columns LIST", new_desk.run("help", *words.split(" --")[0].split()).stdout)), words
    typed = {row.split('"')[1] for row in (TOP / "src/cli/commands.c").read_text().splitlines() if "--columns" in row}
    assert {words.split(" [")[0] for words in typed} == {words.split(" --")[0] for words in TABLES}


@pytest.mark.parametrize("words", TABLES + ["item HD-7PP1307J", "replay --state complete"])
def test_a_table_is_as_wide_as_it_wants_where_that_is_asked_for(desk, words):
    for name in ("ann", "bob") if words.endswith(" list") else ():
        desk.run("user", "add", name, "--role", "viewer", said="correct horse battery\n")
        desk.run("token", "add", name, "--role", "viewer")
    narrow = desk.run(*words.split(), width=40).stdout
    wide = desk.run(*words.split(), "--wide", width=40).stdout
    assert wide == desk.run(*words.split(), width=None).stdout.replace("\r", "") or len(wide) >= len(narrow)
    assert max(len(line) for line in narrow.splitlines() if not line.startswith(SENTENCES)) <= 40
    assert "…" not in wide


@pytest.mark.parametrize("words, columns, heading", [
    ("items", "case,from", "CASE FROM"), ("items", "KEY, copies", "COPIES KEY"), ("cases", "made", "MADE"), ("deliveries", "uid,is", "UID IS"),
    ("report decisions", "by,why", "BY WHY"), ("deployments", "host,process", "HOST PROCESS"),
    ("report duplicates --rows deliveries", "id,when", "WHEN ID")])
def test_only_the_columns_that_are_asked_for(desk, words, columns, heading):
    said = desk.run(*words.split(), "--columns", columns).stdout
    assert said.splitlines()[0].split() == heading.split()


def test_columns_of_the_report_are_those_of_its_mails(desk):
    said = desk.run("report", "duplicates", "--columns", "as,case").stdout
    assert re.search(r"^CASE +AS$", said, re.M) and "second cases avoided" in said


@pytest.mark.parametrize("words", ["items", "report decisions", "report duplicates"])
def test_a_column_that_is_none_names_those_that_are(desk, words):
    said = desk.run(*words.split(), "--columns", "case,colour", status=64)
    assert "there is no column 'colour'; there are " in said.stderr and said.stdout == ""


def test_columns_are_for_tables_alone(desk):
    assert desk.run("items", "--json", "--columns", "case").stdout == desk.run("items", "--json").stdout
    assert desk.run("report", "decisions", "--format", "csv", "--columns", "by").stdout == desk.run("report", "decisions", "--format", "csv").stdout


@pytest.mark.parametrize("words", READING + ["verify", "export --since 1d --to none.tar", "export --since 1d --format html --to none.tar"])
def test_what_only_looks_makes_nothing_where_nothing_is_yet(new_desk, words):
    done = new_desk.run(*words.replace("none.tar", str(new_desk.folder / "none.tar")).split(), status=None)
    assert not (new_desk.folder / "data").exists()
    if words != "check":
        assert f"there is no ledger in '{new_desk.folder / 'data'}' yet: 'onecase run' makes it" in done.stderr
    assert done.returncode == {"item HD-7PP1307J": 66, "case HD-EGGGRWE0": 66, "check": 2, "verify": 1}.get(words, 0)


def log_of(desk, **environment):
    """What a run says on standard error: its mail server is not there."""
    return desk.run("run", "--once", status=69, **environment).stderr


def test_log_lines_have_a_priority_for_the_journal_and_for_nobody_else(new_desk):
    assert re.match(r"\d{4}-", log_of(new_desk)), "a pipe"
    with open(new_desk.folder / "log", "w+") as file:
        facts = os.fstat(file.fileno())
        for named, first in ((f"{facts.st_dev}:{facts.st_ino}", "<"), (f"{facts.st_dev}:1", "2")):
            file.truncate(0)
            subprocess.run([PROGRAM, "run", "--once"], stdout=subprocess.DEVNULL, stderr=file,
                           env=new_desk.environment(JOURNAL_STREAM=named))
            assert (new_desk.folder / "log").read_text().lstrip("\0")[0] == first, named
