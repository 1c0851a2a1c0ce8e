# SPDX-License-Identifier: Apache-2.0
"""A ledger that is larger than what a command may hold of it at once; its rows are written by filled.py."""
import os
import subprocess
from pathlib import Path

import filled

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ONECASE", TOP / "build" / "onecase"))
MAILS, LINES = 8000, 8  # of each mail
CONFIGURATION = """\
data_dir: {folder}/data
ledger: {ledger}
mailboxes:
  - id: grown
    imap: {{host: 127.0.0.1, port: 1, security: none, username: help, password: secret}}
acknowledgement: {{enabled: false}}
"""


def measured(configuration, *words):
    """What a command says, and the most memory that it had, in MB."""
    process = subprocess.Popen([PROGRAM, "-c", configuration, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = process.stdout.read()
    _, _, usage = os.wait4(process.pid, 0)
    return said, usage.ru_maxrss / 1000


def test_verify_walks_a_chain_of_any_length_in_the_same_memory_and_finds_what_does_not_follow(server, tmp_path):
    url = server.make_database("large")
    subprocess.run([PROGRAM.parent / "tests" / "ledger_load", url, "grown", "1", "1"], check=True, stdout=subprocess.DEVNULL)
    (tmp_path / "data").mkdir(mode=0o700)
    configuration = tmp_path / "onecase.yaml"
    configuration.write_text(CONFIGURATION.format(folder=tmp_path, ledger=url))
    said, little = measured(configuration, "verify")
    assert "events:" not in said and "ledger:" not in said, said
    filling = filled.Filling(server, "large", "grown")
    filling.events(2, MAILS, filling.before())
    assert int(server.sql("large", "SELECT MAX(number) FROM event")[0]) > MAILS * LINES
    said, much = measured(configuration, "verify")
    assert "events:" not in said and "ledger:" not in said, said
    assert much < little + 8, f"{little} MB, then {much} MB"
    filling.ask("UPDATE event SET key = 'x' WHERE number = 51234")
    said, _ = measured(configuration, "verify")
    assert "event 51234 does not follow" in said


def test_a_filled_mail_is_one_that_the_program_knows_again(server, tmp_path):
    url = server.make_database("filled")
    load = [PROGRAM.parent / "tests" / "ledger_load", url, "grown"]
    subprocess.run([*load, "1", "1"], check=True, stdout=subprocess.DEVNULL)
    filled.fill(server, "filled", "grown", 300)
    rows = "SELECT COUNT(*) FROM {}"
    before = {table: server.sql("filled", rows.format(table)) for table in ("item", "effect", "case_record")}
    subprocess.run([*load, "64", "100"], check=True, stdout=subprocess.DEVNULL)  # the same mails, taken in again
    assert {table: server.sql("filled", rows.format(table)) for table in before} == before
    assert server.sql("filled", "SELECT class, n FROM delivery_count ORDER BY class") == ["first|300"]
    subprocess.run([*load, "64", "301"], check=True, stdout=subprocess.DEVNULL)
    assert server.sql("filled", "SELECT n FROM item_count WHERE state = 'complete'") == ["364"]
