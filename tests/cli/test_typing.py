# SPDX-License-Identifier: Apache-2.0
"""What may be typed, what is said where it may not, and how it ends."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import PROGRAM, TOP


def commands(desk):
    """The patterns of all commands, from the list of commands and the help of each."""
    names = re.findall(r"^  ([a-z][a-z-]*(?: (?:duplicates|replays|decisions|add|role|password|remove|list|test))?) ", desk.run("help", width=200).stdout, re.M)
    return {name: desk.run("help", *name.split(), width=5000).stdout.splitlines()[0] for name in names}


# ---- exit codes -----------------------------------------------------------------------------------------------

TYPED = [  # what is typed, how it ends, what is said
    ("", 64, "say what to do"),
    ("frobnicate", 64, "there is no command 'frobnicate'"),
    ("itms", 64, "did you mean 'items'"),
    ("statsu", 64, "did you mean 'status'"),
    ("report", 64, "'report' is not whole: 'report duplicates'"),
    ("report nothing", 64, "'report duplicates'"),
    ("--frobnicate", 64, "there is no option --frobnicate"),
    ("-c", 64, "-c needs the configuration file"),
    ("status -c other.yaml", 64, "-c FILE comes before the command"),
    ("items --colour", 64, "there is no option --colour here"),
    ("items --json=yes", 64, "--json takes no value"),
    ("items --state", 64, "--state needs a value"),
    ("items --state odd", 64, "--state takes one of received, in_progress, complete, needs_reconciliation"),
    ("deliveries --state odd", 64, "needs_reconciliation, duplicate"),
    ("cases --state complete", 64, "--state takes one of open, closed"),
    ("items --mailbox nobody", 64, "it has help, sales, orders"),
    ("items --limit 0", 64, "--limit takes a number"),
    ("items --limit many", 64, "--limit takes a number"),
    ("items --older-than soon", 64, "'soon' is neither a duration (12h, 7d) nor a date"),
    ("report duplicates --since 1d --until 7d", 64, "--since must be before --until"),
    ("report decisions --format pdf", 64, "--format takes table, csv, json or html"),
    ("item", 64, "KEY is missing"),
    ("item 10bedee54427 more", 64, "'more' is one word too many"),
    ("item HD-00000000", 66, "there is no mail 'HD-00000000'"),
    ("item 10bedee", 66, "8 digits or more"),
    ("item 00000000", 66, "there is no mail"),
    ("case HD-00000000", 66, "there is no case"),
    ("first-import help", 64, "cases|full|adopt is missing"),
    ("first-import help maybe", 64, "'maybe' is not one of cases|full|adopt"),
    ("first-import nobody cases", 64, "there is no mailbox 'nobody'"),
    ("pause --effect nothing --by a --reason b", 64, "--effect takes one of case"),
    ("pause --mailbox nobody --by a --reason b", 64, "there is no mailbox 'nobody'"),
    ("resolve HD-00000000 --acknowledgement sent --by a --reason b", 66, "there is no mail"),
    ("resolve HD-7PP1307J --acknowledgement maybe --by a --reason b", 64, "--acknowledgement takes sent|not-sent|none"),
    ("resolve HD-7PP1307J --by a --reason b", 64, "resolve takes one decision"),
    ("resolve HD-7PP1307J --undo --acknowledgement sent --by a --reason b", 64, "resolve takes one decision"),
    ("resolve HD-7PP1307J --case made --by a --reason b", 64, "--case made ID"),
    ("resolve HD-7PP1307J 4711 --acknowledgement sent --by a --reason b", 64, "an ID is given with --case made"),
    ("replay", 64, "a KEY, or --state S"),
    ("replay HD-00000000", 66, "there is no mail"),
    ("replay HD-7PP1307J --approve --plan 0123456789abcdef --by a --reason b", 77, "the plan has changed"),
    ("identify nowhere.eml", 66, "nowhere.eml"),
    ("identify nowhere.eml --mailbox nobody", 64, "there is no mailbox 'nobody'"),
    ("run --mailbox nobody", 64, "there is no mailbox 'nobody'"),
    ("completion csh", 64, "'csh' is not one of bash|zsh|fish"),
    ("help frobnicate", 64, "there is no command 'frobnicate'"),
    ("version", 0, ""), ("--version", 0, ""), ("-V", 0, ""), ("help", 0, ""), ("--help", 0, ""), ("-h", 0, ""),
    ("spec", 0, ""), ("config", 0, ""), ("config --reference", 0, ""), ("status", 0, ""),
]


@pytest.mark.parametrize("words, status, text", TYPED, ids=[row[0] or "nothing" for row in TYPED])
def test_how_it_ends_and_what_is_said(desk, words, status, text):
    before = desk.ledger()
    done = desk.run(*words.split(), status=status)
    assert text in done.stderr
    if status:
        assert done.stdout == "" and done.stderr.startswith("onecase: ")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stderr)
    else:
        assert done.stderr == "" and done.stdout != ""
    assert desk.ledger() == before, "something was changed"


def test_a_server_that_cannot_be_reached_is_69_in_one_line(new_desk):
    said = new_desk.run("run", "--once", "--mailbox", "help", status=69).stderr
    line, = said.splitlines()
    assert "127.0.0.1" in line and "refused" in line


def test_a_data_folder_that_cannot_be_made_is_74(new_desk):
    (new_desk.folder / "data").write_text("in the way")
    assert "data" in new_desk.run("status", status=74).stderr


def test_a_wrong_word_typed_is_shown_harmless(desk):
    said = desk.run("\033[31mitems", status=64).stderr
    assert "\033" not in said
    assert "\033" not in desk.run("item", "\033[2J", status=66).stderr


# ---- the configuration ------------------------------------------------------------------------------------------


def test_the_option_goes_before_the_environment_and_that_before_the_usual_place(desk, tmp_path):
    assert desk.run("status").stdout.startswith("help (active)")
    other = tmp_path / "other.yaml"
    other.write_text(desk.config.read_text().replace("id: help\n", "id: desk\n"))
    assert desk.run("-c", str(other), "status").stdout.startswith("desk (active)")
    nothing = {key: value for key, value in desk.environment().items() if key != "ONECASE_CONFIG"}
    done = subprocess.run([PROGRAM, "status"], capture_output=True, text=True, env=nothing)
    said = "/etc/onecase/onecase.yaml:1:1: "
    assert done.returncode == 0 or (done.returncode == 78 and done.stderr.startswith(said) and "$ONECASE_CONFIG" in done.stderr)


def test_all_that_is_wrong_with_it_is_said_at_its_place(desk):
    text = desk.config.read_text().replace("owner:", "owners:").replace("mode: look-only", "mode: look")
    desk.config.write_text(text.replace("host: 127.0.0.1, port: 1, security: none}", "port: 1}"))
    said = desk.run("status", status=78)
    assert said.stdout == ""
    lines = said.stderr.splitlines()
    assert len(lines) >= 3 and all(re.match(rf"{re.escape(str(desk.config))}:\d+:\d+: ", line) for line in lines)
    assert "did you mean `owner`" in lines[0] or "owner" in lines[0]
    assert "active" in said.stderr and "look-only" in said.stderr


def test_no_error_of_it_says_a_secret(desk):
    desk.config.write_text(desk.config.read_text().replace("password: secret}", "password: [tres-secret]}", 1))
    assert "tres-secret" not in desk.run("status", status=78).stderr


def test_what_needs_no_configuration_runs_without(new_desk):
    new_desk.config.write_text("nonsense: true\n")
    for words in ("help", "version", "spec", "config", "completion bash", "items --help"):
        assert new_desk.run(*words.split()).stdout


def test_before_the_first_run_every_mailbox_is_shown_and_nothing_is_wrong(new_desk):
    assert re.findall(r"^(\w+) \(", new_desk.run("status").stdout, re.M) == ["help", "sales", "orders"]
    for words in ("items", "cases", "deliveries", "suspects", "report decisions"):
        assert re.match("There are none|No two cases", new_desk.run(*words.split()).stdout)


# ---- help -------------------------------------------------------------------------------------------------------


def test_help_is_the_same_however_it_is_asked_for(desk):
    for words in ("items", "report duplicates", "resolve"):
        asked = desk.run("help", *words.split()).stdout
        assert desk.run(*words.split(), "--help").stdout == asked
        assert desk.run(*words.split(), "--state", "-h").stdout == asked
    assert desk.run("help").stdout == desk.run("--help").stdout == desk.run("-h").stdout
    assert all(f"report {what}" in desk.run("help", "report").stdout for what in ("duplicates", "replays", "decisions"))


def test_every_option_of_every_command_is_explained(desk):
    all_of_them = commands(desk)
    assert len(all_of_them) > 20
    for name, pattern in all_of_them.items():
        assert pattern.startswith(f"onecase {name}"), pattern
        page = desk.run("help", *name.split(), width=5000).stdout
        explained = set(re.findall(r"^  (--[a-z-]+)", page, re.M))
        assert set(re.findall(r"--[a-z-]+", pattern)) == explained, name


def test_every_example_of_the_help_is_one_that_is_understood(desk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write a file
    for name in commands(desk):
        for example in re.findall(r"^  onecase (.*)$", desk.run("help", *name.split(), width=5000).stdout, re.M):
            words = re.sub(r" >\S+$", "", example).replace("/var/backups", str(desk.folder))
            status = desk.run(*re.findall(r"'[^']*'|\S+", words), status=None, said="correct horse battery\n")
            assert status.returncode != 64 or "--help" in words, f"{example}: {status.stderr}"


def test_no_help_is_wider_than_the_terminal(desk):
    for name in commands(desk):
        for width in (60, 80):
            page = desk.run("help", *name.split(), width=width).stdout
            wide = [line for line in page.splitlines() if len(line) > width and not line.startswith("  onecase ")]
            assert wide == [] or all(line.startswith("        [") for line in wide), f"{name}: {wide}"


# ---- completion ---------------------------------------------------------------------------------------------------


def complete(desk, *words):
    """What bash offers for the last word."""
    script = desk.run("completion", "bash").stdout + f"""
        COMP_WORDS=({' '.join(repr(word) for word in words)})
        COMP_CWORD={len(words) - 1}
        _onecase
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-uc", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_bash_completes_commands_options_and_choices(desk):
    assert complete(desk, "onecase", "ite") == ["items", "item"]
    assert complete(desk, "onecase", "report", "") >= ["duplicates"]
    assert set(complete(desk, "onecase", "report", "d")) == {"duplicates", "decisions"}
    assert complete(desk, "onecase", "items", "--no") == ["--not-told"]
    assert complete(desk, "onecase", "resolve", "x", "--acknowledgement", "no")[:2] == ["not-sent", "none"]
    assert complete(desk, "onecase", "-c", "some.yaml", "sta") == ["status"]
    assert complete(desk, "onecase", "first-import", "help", "ad") == ["adopt"]
    assert complete(desk, "onecase", "nothing", "x") == []


@pytest.mark.parametrize("shell, check", [("zsh", ["-n"]), ("fish", ["--no-execute"])])
def test_the_other_shells_can_read_theirs(desk, tmp_path, shell, check):
    script = tmp_path / "completion"
    script.write_text(desk.run("completion", shell).stdout)
    for name in commands(desk):
        assert name.split()[0] in script.read_text()
    if shutil.which(shell):
        assert subprocess.run([shell, *check, script]).returncode == 0


def test_the_list_of_folders_and_version_are_the_projects(desk):
    version = re.search(r"project\(onecase VERSION (\d+\.\d+)", (TOP / "CMakeLists.txt").read_text())[1]
    assert desk.run("version").stdout == f"onecase {version}\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_root_makes_nothing_in_the_folder_of_another_account(new_desk):
    folder = new_desk.folder / "data"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    for words in ("run --once", "status", "doctor", "backup there", "retain"):
        said = new_desk.run(*words.split(), status=64).stderr
        assert "belongs to nobody" in said and "runuser -u nobody -- onecase" in said and len(said.splitlines()) == 1
    assert list(folder.iterdir()) == []
    new_desk.run("config", "--reference")
