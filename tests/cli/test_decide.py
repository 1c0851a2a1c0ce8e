# SPDX-License-Identifier: Apache-2.0
"""Walking through what waits for a person, by single keys: from a pipe and at a terminal."""
import json
import os
import pty
import re
import select
import subprocess
import termios

import pytest

from conftest import EVENING, PROGRAM

CONFLICT, DOUBT, UNREADABLE = "10bedee54427", "HD-7PP1307J", "b4379aab578c"  # the oldest first
EARLY = str(EVENING - 5 * 3600 - 33 * 60)  # 12:57, when the mail server may still take it
WHO = "ann\nasked the senders\n"


def walk(desk, typed, *words, width=80, **environment):
    done = subprocess.run([PROGRAM, "decide", *words], input=typed, capture_output=True, text=True,
                          env=desk.environment(width, **environment))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def decided(desk):
    rows = json.loads(desk.run("report", "decisions", "--format", "json").stdout)
    return [(row["case"] or row["key"][:12], row["decision"], row["by"], row["why"]) for row in rows[1:]]


def test_each_key_decides_what_resolve_would(desk):
    said = walk(desk, WHO + "d\nn\nf\n", SUDO_USER="ann")
    assert [row[:2] for row in decided(desk)] == [
        (CONFLICT, "conflict-dismiss"), (DOUBT, "acknowledgement-none"), (UNREADABLE, "unprocessable-dismiss")]
    assert {row[2:] for row in decided(desk)} == {("ann (root, sudo from ann)", "asked the senders")}
    assert "3 decided, 0 skipped, 0 not looked at." in said
    assert walk(desk, "") == "Nothing waits for your decision.\n"


@pytest.mark.parametrize("typed", ["", "ann\n", "\n \n", WHO, WHO + "q", WHO + "s\nx\nz\n", WHO + "u\nkkk", WHO + "t\n"])
def test_what_is_no_decision_changes_nothing(desk, typed):
    before = desk.ledger()
    walk(desk, typed)
    assert desk.ledger() == before


def test_name_and_reason_are_asked_once_and_need_not_be_where_they_were_typed(desk):
    assert walk(desk, WHO + "kkk").count("Your name:") == 1
    said = walk(desk, "d", "--by", "bob", "--reason", "seen both")
    assert "Your name:" not in said and decided(desk)[0][2:] == ("bob (root)", "seen both")


def test_a_blank_name_or_reason_is_asked_for_again(desk):
    walk(desk, "\n  \nann\n\nseen both\nd")
    assert decided(desk)[0][2:] == ("ann (root)", "seen both")


def test_it_says_what_happened_what_was_looked_for_and_what_each_key_does(desk):
    said = walk(desk, WHO + "kk")
    page = said[said.index(f"2 of 3: {DOUBT}"):said.index("3 of 3")]
    for text in ("Was the confirmation sent? We cannot tell.", "From          fay@example.net", "Invoice 4711 is wrong",
                 "looked in the folder of sent copies (Sent): nothing", "The case stands and can be worked on",
                 "  s  it was sent: nothing is mailed; can be taken back", "  a  it was not sent, once more", "  n  no confirmation",
                 "  k  skip it: nothing is lost, it stays here, and no time runs out", "Reference     HD-7PP1307J"):
        assert text in page, text
    stored = json.loads(desk.run("item", DOUBT, "--json").stdout)
    assert re.search(r"Message-ID    <ack\.[0-9a-f]{32}@example\.org>", page) and stored["key"] not in page
    assert "carl@example.net" in said and "The first mail under this identifier" in said


def test_undo_goes_back_to_the_mail_and_takes_its_decision_back(desk):
    said = walk(desk, WHO + "d" + "s" + "u" + "k")
    assert "Taken back. It waits again." in said and said.count(f"2 of 3: {DOUBT}") == 2
    item = json.loads(desk.run("item", DOUBT, "--json").stdout)
    assert item["state"] == "needs_reconciliation" and item["reason"] == "acknowledgement-unknown"
    assert "1 decided, 1 skipped, 1 not looked at." in said


def test_a_note_is_kept_with_the_mail_and_decides_nothing(desk):
    said = walk(desk, WHO + "k\nt\nI have asked \033[31mBob\nq\n")
    assert "Noted. It stays here." in said
    item = json.loads(desk.run("item", DOUBT, "--json").stdout)
    assert item["state"] == "needs_reconciliation" and [n["text"] for n in item["note_list"]] == ["ann (root): I have asked \033[31mBob"]
    story = desk.run("item", DOUBT).stdout
    assert "note: ann (root): I have asked [31mBob" in story and "\033" not in story


def test_what_is_too_early_is_said_and_may_be_tried_again_later(desk):
    said = walk(desk, WHO + "k" + "a" + "k", STILL_CLOCK=EARLY)
    assert "possible from" in said and "Not yet, as the mail server may still take it" in said
    assert decided(desk) == []


def test_where_two_persons_are_asked_for_the_second_walks_too(desk):
    desk.config.write_text(desk.config.read_text() + "approval: two-person\n")
    first = subprocess.run([PROGRAM, "decide"], input=WHO + "d", text=True, capture_output=True, env=desk.environment(SUDO_USER="ann"))
    assert "Recorded as proposed" in first.stdout and decided(desk) == []
    again = subprocess.run([PROGRAM, "decide"], input=WHO + "d", text=True, capture_output=True, env=desk.environment(SUDO_USER="ann"))
    assert "you proposed this yourself" in again.stderr and decided(desk) == []
    subprocess.run([PROGRAM, "decide"], input="bob\nlooked at both\nd", text=True, check=True, capture_output=True,
                   env=desk.environment(SUDO_USER="bob"))
    assert decided(desk)[0][:2] == (CONFLICT, "conflict-dismiss")


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal_and_none_bears_a_control(desk, width):
    said = walk(desk, WHO + "kkk", width=width)
    assert max(map(len, said.splitlines())) <= width and not re.search(r"[\x00-\x09\x0b-\x1f]", said)


def test_only_one_mailbox(desk):
    assert walk(desk, "", "--mailbox", "sales") == "Nothing waits for your decision.\n"


# ---- a terminal -------------------------------------------------------------------------------------------------


def at_a_terminal(desk, steps):
    """Answers each prompt with its keys; gives what was shown and the terminal's settings before and after."""
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    run = subprocess.Popen([PROGRAM, "decide"], stdin=slave, stdout=slave, stderr=slave, close_fds=True,
                           env={"TERM": "xterm", **desk.environment(80)})
    said = ""

    def read_until(text, start):
        nonlocal said
        while text not in said[start:]:
            assert select.select([master], [], [], 20)[0], f"no {text!r} in {said}"
            said += os.read(master, 65536).decode()

    seen = 0
    for prompt, keys in steps:
        read_until(prompt, seen)
        seen = said.index(prompt, seen) + len(prompt)
        os.write(master, keys.encode())
    read_until("not looked at", 0)
    run.wait(20)
    after = termios.tcgetattr(slave)
    os.close(slave)
    os.close(master)
    assert run.returncode == 0, said
    return said, before, after


@pytest.mark.parametrize("last", ["q", "\x03", "\x04"], ids=["q", "^C", "^D"])
def test_at_a_terminal_one_key_is_enough_and_its_settings_come_back(desk, last):
    said, before, after = at_a_terminal(desk, [
        ("Your name:", "ann\n"), ("recorded with each", "seen both\n"), ("Your key:", "d"), ("Your key:", last)])
    assert before == after
    assert decided(desk)[0][1] == "conflict-dismiss" and "1 decided, 0 skipped, 2 not looked at." in said
