# SPDX-License-Identifier: Apache-2.0
"""The README says nothing that is not so: every command line of it is run as far as it can be here, and every page
that it shows is the program's. GOLDEN=write shows the pages anew."""
import email.utils
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from conftest import PROGRAM, TOP

sys.path.insert(0, str(TOP / "tests" / "peers"))
README = TOP / "README.md"
root = pytest.mark.skipif(os.geteuid() != 0, reason="the mail servers need root")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", README.read_text(), re.M | re.S)


def command_lines():
    """Every line of a shell block, without its remark."""
    return [re.sub(r"\s+#.*", "", line) for block in blocks("sh") for line in block.splitlines()]


# ---- what is shown ------------------------------------------------------------------------------------------------


def test_every_page_that_is_shown_is_what_the_program_says(desk):
    """One ledger for all of them, in their order: what is decided above is decided below."""
    text, said = README.read_text(), []
    for block in blocks("console"):
        shown = ""
        for command in re.findall(r"^\$ onecase (.*)$", block, re.M):
            done = desk.run(*shlex.split(command), status=None)
            shown += f"$ onecase {command}\n{done.stdout}{done.stderr}"
        said.append((block, shown))
    if os.environ.get("GOLDEN") == "write":
        for block, shown in said:
            text = text.replace(f"```console\n{block}```", f"```console\n{shown}```")
        README.write_text(text)
        return
    assert len(said) >= 7
    for block, shown in said:
        assert block == shown


def test_the_short_configuration_is_whole(new_desk):
    block, *_ = blocks("yaml")
    assert len(block.splitlines()) <= 20
    for name in ("imap", "smtp"):
        (new_desk.folder / f"{name}.password").write_text("secret\n")
    new_desk.config.write_text(block.replace("/var/lib/onecase", "data"))
    said = new_desk.run("status", ONECASE_TEMPLATES=str(TOP / "templates")).stdout
    assert said.startswith("help (active)")


def pieces():
    """Every piece of configuration on a page."""
    for page in (README, *sorted((TOP / "doc").glob("*.md"))):
        for number, block in enumerate(re.findall(r"^ *```yaml\n(.*?)^ *```$", page.read_text(), re.M | re.S)):
            yield pytest.param(block, id=f"{page.name} {number}")


def laid_over(base, piece):
    """A mapping takes the other's entries, anything else its place."""
    if not isinstance(base, dict) or not isinstance(piece, dict):
        return piece
    return {**base, **{key: laid_over(base.get(key), value) for key, value in piece.items()}}


@pytest.mark.parametrize("piece", pieces())
def test_every_piece_of_configuration_that_is_shown_is_understood(new_desk, piece):
    """Laid over the short one, where it is not whole itself; what lies in files beside it is there."""
    shown = yaml.safe_load(piece)
    whole = shown if "mailboxes" in shown else laid_over(yaml.safe_load(blocks("yaml")[0]), shown)
    text = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)
    for name in set(re.findall(r"(?:file|recipient|_cert|_key): (\S+)", text)):
        (new_desk.folder / Path(name).name).write_text("secret\n")
    new_desk.config.write_text(text.replace("/etc/onecase", str(new_desk.folder)).replace("/var/lib/onecase", str(new_desk.folder / "data")))
    (new_desk.folder / "mail.eml").write_text("From: ann@example.net\nMessage-ID: <1@example.net>\n\nhelp\n")
    said = new_desk.run("identify", str(new_desk.folder / "mail.eml"), status=None, AWS_ACCESS_KEY_ID="key",
                        ONECASE_TEMPLATES=str(TOP / "templates"))
    assert said.returncode == 0, said.stderr


# ---- what is typed --------------------------------------------------------------------------------------------------

ELSEWHERE = {  # what cannot be run here, and why; it must at least be a shell's
    "deploy/demo": "tests/integration runs it",
    "tests/run": "runs this",
    "deploy/install-dependencies --build": "tests/run begins with it",
    "cmake -B build -G Ninja && cmake --build build": "tests/run begins with it",
    "systemd-sysusers onecase.conf": "tests/package/run does it, by the package",
    "systemd-tmpfiles --create onecase.conf": "tests/package/run does it, by the package",
    "onecase init": "tests/integration/test_init.py does it",
    "(cd build && cpack)": "tests/package/run does it",
    "apt install ./build/onecase_0.1.0_amd64.deb": "tests/package/run does it, in a Debian of its own",
    "systemctl enable --now onecase": "needs a service manager",
    "systemctl reload onecase": "needs a service manager",
    "journalctl -u onecase -f": "needs a service manager",
}
AS_ONECASE = "runuser -u onecase -- onecase "
INSTALL = "cmake --install build --prefix /usr"


def test_every_command_line_is_run_somewhere():
    for line in command_lines():
        assert line in ELSEWHERE or line == INSTALL or line.startswith(AS_ONECASE), f"no test runs: {line}"
    assert set(ELSEWHERE) <= set(command_lines())


def test_what_is_not_run_here_is_understood_by_the_shell_and_names_files_that_are_there():
    for line in command_lines():
        assert subprocess.run(["bash", "-nc", line]).returncode == 0
        word = line.split()[0]
        assert "/" not in word or os.access(TOP / word, os.X_OK), word
        assert word in ("(cd", "onecase", "systemctl", "journalctl", "runuser") or "/" in word or shutil.which(word), word
    assert (TOP / "config/onecase.example.yaml").exists()


def test_it_installs_the_program_with_all_that_it_needs(tmp_path):
    done = subprocess.run(["cmake", "--install", PROGRAM.parent, "--prefix", "/usr"], capture_output=True, text=True,
                          env={**os.environ, "DESTDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    for file in ("bin/onecase", "share/onecase/templates/acknowledgement.txt", "share/man/man1/onecase.1.gz",
                 "share/man/man5/onecase.yaml.5.gz", "share/man/man7/onecase-providers.7.gz", "lib/systemd/system/onecase.service",
                 "lib/systemd/system/onecase.service.d/hardening.conf", "lib/sysusers.d/onecase.conf",
                 "share/bash-completion/completions/onecase", "share/doc/onecase/doc/upgrading.md"):
        assert (tmp_path / "usr" / file).exists(), file
    installed = tmp_path / "usr/share/doc/onecase"
    for page in installed.rglob("*.md"):
        for to in re.findall(r"\]\((?!https:)([^)#]+)", page.read_text()):
            there = page.parent.joinpath(to).resolve().relative_to(installed)
            assert (installed / there).exists() or there.parts[0] in ("src", "tests") or there.name in ("CONTRIBUTING.md", "CHANGELOG.md"), f"{page.name}: {to}"
    assert [folder for folder in installed.rglob("*") if folder.is_dir() and not list(folder.iterdir())] == []
    unit = (tmp_path / "usr/lib/systemd/system/onecase.service").read_text()
    assert "ExecStart=/usr/bin/onecase run" in unit


@root
def test_the_ten_minutes_with_a_mailbox(new_desk):
    """What is typed as `runuser -u onecase -- onecase ...`, in its order, between real mail servers."""
    import imaplib
    from dovecot import Dovecot
    from postfix import Postfix
    with Dovecot() as dovecot, Postfix() as postfix:
        inbox = imaplib.IMAP4("127.0.0.1", dovecot.imap)
        inbox.login("help", "secret")
        inbox.create("Sent")
        for name, age in (("new", 0), ("old", 7200)):
            now = time.time() - age
            mail = f"From: {name}@example.net\r\nSubject: {name}\r\nDate: {email.utils.formatdate(now)}\r\n" \
                   f"Message-ID: <{name}@example.net>\r\n\r\nPlease help.\r\n"
            inbox.append("INBOX", None, imaplib.Time2Internaldate(now), mail.encode())
        block, *_ = blocks("yaml")
        block = re.sub(r"imap: \{host: [^,]*,", f"imap: {{host: 127.0.0.1, port: {dovecot.imap}, security: none,", block)
        block = re.sub(r"smtp: \{.*\}", f"smtp: {{host: 127.0.0.1, port: {postfix.port}, security: none}}", block)
        new_desk.config.write_text(block.replace("/var/lib/onecase", "data"))
        (new_desk.folder / "imap.password").write_text("secret\n")
        said = {}
        for line in [line for line in command_lines() if line.startswith(AS_ONECASE)]:
            words = shlex.split(line.removeprefix(AS_ONECASE))
            if "--send-to" in words:  # waits half a minute for a copy that no server files here
                continue
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True,
                                  env={"PATH": os.environ["PATH"], "ONECASE_CONFIG": str(new_desk.config), "COLUMNS": "100",
                                       "ONECASE_TEMPLATES": str(TOP / "templates")})
            assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
            said[" ".join(words)] = done.stdout
        assert "BAD" not in said["doctor"]
        assert "confirmation to be sent" in said["run --once --dry-run"] and "1 from before" in said["run --once --dry-run"]
        assert "1  completed" in said["run --once"] and "1  from before" in said["run --once"]
        assert "onecase first-import help cases" in said["status"]
        assert said["first-import help cases"].startswith("Recorded")
        assert len(postfix.accepted()) == 1
        inbox.logout()


# ---- what is said ---------------------------------------------------------------------------------------------------


def test_every_folder_and_file_that_is_named_is_there():
    text = README.read_text()
    for name in re.findall(r"`([a-z]+/[A-Za-z0-9_./-]*|[A-Z]+(?:\.md)?)`", text):
        assert (TOP / name).exists(), name
    for folder in re.findall(r"^\| `([a-z/]+)/` \|", text, re.M):
        assert (TOP / folder).is_dir(), folder
    listed = set(re.findall(r"^\| `([a-z]+)/", text, re.M))
    there = {entry.split("/")[0] for entry in subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True,
                                                             check=True).stdout.split() if "/" in entry}
    assert {one for one in there if not one.startswith(".")} == listed
