# SPDX-License-Identifier: Apache-2.0
"""deploy/demo, as somebody runs it who has just cloned the project."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from rig import TOP


@pytest.fixture
def place():
    """A folder for temporary files that the mail servers' accounts may enter."""
    folder = Path(tempfile.mkdtemp(prefix="demo."))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def of_session(leader):
    """Processes that are left of a session."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.getsid(int(entry)) == leader:
                found.append(Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" "))
        except (ProcessLookupError, FileNotFoundError):
            pass
    return [line for line in found if line]


@pytest.mark.skipif(os.geteuid() != 0, reason="the demo needs root")
def test_the_demo_shows_cases_queue_and_report_and_leaves_nothing_running(place):
    demo = subprocess.Popen([TOP / "deploy" / "demo"], cwd="/", env={**os.environ, "TMPDIR": str(place)}, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)
    out, said = demo.communicate(timeout=400)
    assert demo.returncode == 0, out[-2000:] + said
    for text in ("8  arrivals", "5  new", "2  copies", "4  completed", "Invoice 2026-117.pdf", "Positionen für März.csv",
                 "Meine Schlüsselkarte ist weg", "The printer on floor 3 is jammed", "2  second cases avoided",
                 "1  confirmations in doubt, not sent twice", "Confirmations that the receiver took: 4", "[HD-",
                 "/etc/onecase/onecase.yaml"):
        assert text in out, text
    assert of_session(demo.pid) == []
    assert list(place.iterdir()) == []


def test_the_configuration_that_the_demo_prints_is_whole_and_has_twenty_lines(tmp_path):
    """It is taken as it stands; only its two password files are missing here."""
    text = (TOP / "deploy" / "demo").read_text()
    lines = [line for line in text[text.index("Write these lines"):text.index("Then\n")].splitlines()[1:] if line]
    assert len(lines) <= 20
    from rig import PROGRAM
    file = tmp_path / "onecase.yaml"
    file.write_text("\n".join(line[4:] for line in lines).replace("$PWD", str(TOP)).replace("/etc/onecase", str(tmp_path)))
    for name in ("imap", "smtp"):
        (tmp_path / f"{name}.password").write_text("secret\n")
    file.write_text(file.read_text().replace("/var/lib/onecase", str(tmp_path / "data")))
    done = subprocess.run([PROGRAM, "-c", file, "status"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
