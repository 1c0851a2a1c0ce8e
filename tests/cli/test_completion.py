# SPDX-License-Identifier: Apache-2.0
"""What the real shells offer, from the program's own script. Of every command and option of `help`."""
import os
import pty
import re
import select
import shlex
import subprocess

import pytest

from conftest import PROGRAM


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh", "fish"):
        said = subprocess.run([PROGRAM, "completion", shell], capture_output=True, text=True, check=True).stdout
        (folder / ("_onecase" if shell == "zsh" else f"onecase.{shell}")).write_text(said)
    (folder / "onecase").symlink_to(PROGRAM)
    return folder


def help_of(*words):
    return subprocess.run([PROGRAM, "help", *words], capture_output=True, text=True, check=True, env={"COLUMNS": "9999"}).stdout


def commands():
    """Each first word, with the options that help tells of."""
    known = {}
    for words in re.findall(r"^  ([a-z][a-z-]*(?: [a-z]+)?)\b.*?  +\S", help_of(), re.M):
        first = words.split()[0]
        page = help_of(*words.split())
        known.setdefault(first, set()).update(re.findall(r"(?<![\w-])--[a-z-]+", page.split("\n\n")[0]))
    return known


def offered_by_bash(scripts, *typed):
    words = " ".join(shlex.quote(word) for word in ("onecase", *typed))
    script = f"source {scripts}/onecase.bash; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _onecase; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, cwd=scripts).stdout.split()


def offered_by_fish(scripts, *typed):
    line = " ".join(("onecase", *typed))
    said = subprocess.run(["fish", "--no-config", "-c", f"source {scripts}/onecase.fish; complete -C {shlex.quote(line)}"],
                          capture_output=True, text=True, check=True, cwd=scripts,
                          env={"HOME": str(scripts), "PATH": f"{scripts}:{os.environ['PATH']}"})
    assert said.stderr == ""
    return [row.split("\t")[0] for row in said.stdout.splitlines()]


def offered_by_zsh(scripts, *typed):
    """What its script hands to zsh's own functions."""
    script = ("compadd() { shift; print -l -- $@ }; _describe() { print -l -- ${commands%%:*} }; compdef() {}; _files() {};"
              f"source {scripts}/_onecase; words=(onecase {' '.join(shlex.quote(word) for word in typed)}); CURRENT={len(typed) + 1}; _onecase")
    return subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=True, cwd=scripts).stdout.split()


def at_zsh(scripts, *lines):
    """What a line becomes by the tab key."""
    master, slave = pty.openpty()
    run = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=scripts, start_new_session=True,
                           env={"HOME": str(scripts), "PATH": f"{scripts}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "READY>"})
    os.close(slave)
    said = ""

    def until(text, start):
        nonlocal said
        while text not in said[start:]:
            assert select.select([master], [], [], 20)[0], f"no {text!r} in {said[start:]!r}"
            said += os.read(master, 65536).decode()

    def enter(text, wanted):
        start = len(said)
        os.write(master, text.encode())
        until(wanted, start)
        return said[start:]

    try:
        until("READY>", 0)
        enter(f"fpath=({scripts} $fpath); autoload -U compinit; compinit -u -d {scripts}/dump; setopt no_beep no_list_ambiguous; echo DO''NE\n", "DONE")
        return [enter(f"{line}\t", wanted) for line, wanted in lines]
    finally:
        run.kill()
        run.wait()
        os.close(master)


def test_bash_offers_every_command_and_all_that_may_follow(scripts):
    known = commands()
    assert set(offered_by_bash(scripts, "")) == set(known)
    for first, options in known.items():
        assert {word for word in offered_by_bash(scripts, first, "") if word.startswith("--")} == options, first
    assert offered_by_bash(scripts, "report", "d") == ["duplicates", "decisions"]
    assert set(offered_by_bash(scripts, "first-import", "")) == {"cases", "full", "adopt", "--by", "--json"}


def test_bash_knows_the_configuration_file_before_the_command(scripts):
    assert offered_by_bash(scripts, "-c", "onecase.b") == ["onecase.bash"]
    assert offered_by_bash(scripts, "-c", "x.yaml", "stat") == ["status"]
    assert offered_by_bash(scripts, "decide", "--ma") == ["--mailbox"]


def test_the_three_shells_offer_the_same(scripts):
    known = commands()
    assert set(offered_by_zsh(scripts, "")) == set(offered_by_bash(scripts, "")) == set(known)
    for first in known:
        by_bash = set(offered_by_bash(scripts, first, ""))
        assert set(offered_by_zsh(scripts, first, "")) == by_bash, first
        by_fish = set(offered_by_fish(scripts, first, "")) | set(offered_by_fish(scripts, first, "--"))
        files = {entry.name for entry in scripts.iterdir()} | {entry.name + "/" for entry in scripts.iterdir()}
        assert by_fish - files == by_bash, first


def test_fish_offers_every_command_with_what_it_does(scripts):
    known = commands()
    assert set(offered_by_fish(scripts, "")) >= set(known)
    assert offered_by_fish(scripts, "stat") == ["status"]
    assert set(offered_by_fish(scripts, "check", "--")) >= {"--mailbox", "--warning", "--critical", "--json"}
    assert {"duplicates", "replays", "decisions"} <= set(offered_by_fish(scripts, "report", ""))


def test_zsh_completes_commands_options_and_after_a_configuration(scripts):
    one, two, three = at_zsh(scripts, ("onecase stat", "status"), ("\x15onecase check --warn", "--warning"),
                             ("\x15onecase -c x.yaml dupl\x15onecase report dup", "duplicates"))
    assert "status" in one and "--warning" in two and "duplicates" in three


@pytest.mark.parametrize("shell, check", [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])])
def test_each_script_is_one_of_its_shell(scripts, shell, check):
    subprocess.run([*check, scripts / ("_onecase" if shell == "zsh" else f"onecase.{shell}")], check=True)
