# SPDX-License-Identifier: Apache-2.0
"""The destinations that come with the program are ones that it takes, as they are but for their secrets."""
import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ONECASE", TOP / "build" / "onecase"))
SHIPPED = sorted((TOP / "config" / "destinations").glob("*.yaml"))

REST = """
data_dir: {folder}/data
mailboxes: [{{id: help, imap: {{host: imap.example.org, username: help, password_file: {folder}/secret}}}}]
acknowledgement: {{enabled: false}}
case: {{destination: {name}}}
"""


def check(folder, text):
    """Ends with 78 where the configuration is refused; a ledger there is none yet."""
    (folder / "secret").write_text("a-secret\n")
    name = re.search(r"- name: (\S+)", text)[1]
    text = re.sub(r"/etc/onecase/\S+", str(folder / "secret"), text)
    config = folder / "onecase.yaml"
    config.write_text(text + REST.format(folder=folder, name=name))
    secrets = dict.fromkeys(re.findall(r"\$\{(\w+)\}", text), "a-key")
    return subprocess.run([PROGRAM, "run", "--once"], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **secrets, "ONECASE_CONFIG": str(config), "ONECASE_TEMPLATES": str(TOP / "templates")})


def test_there_are_some():
    assert len(SHIPPED) >= 8


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_destination_that_comes_with_the_program_is_taken(path, tmp_path):
    done = check(tmp_path, path.read_text())
    assert done.returncode != 78, done.stderr


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_name_that_is_none_in_it_is_refused_with_its_place(path, tmp_path):
    done = check(tmp_path, path.read_text().replace("{{subject}}", "{{topic}}"))
    assert done.returncode == 78 and "create: body" in done.stderr and "topic" in done.stderr
