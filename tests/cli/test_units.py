# SPDX-License-Identifier: Apache-2.0
"""What the service manager is given: each unit is understood by it, may do little, and runs what the program has."""
import os
import re
import shlex
import shutil
import subprocess

import pytest

from conftest import TOP

UNITS = TOP / "deploy/systemd"
SERVICES = sorted(path.name for path in UNITS.glob("onecase*.service"))
EXPOSURE_MAX = 2.0  # of 10; what the house promises


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """A root with the units where the package puts them, and the account."""
    top = tmp_path_factory.mktemp("system")
    units = top / "usr/lib/systemd/system"
    units.mkdir(parents=True)
    for path in UNITS.glob("onecase*.*"):
        shutil.copy(path, units)
    for dropin in ("onecase.service.d", "onecase-.service.d"):
        (units / dropin).mkdir()
        shutil.copy(UNITS / "hardening.conf", units / dropin)
    for word in ("onecase", "sh"):
        program = top / ("usr/bin" if word == "onecase" else "bin") / word
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return top


def analyze(*words, status=0):
    done = subprocess.run(["systemd-analyze", "--no-pager", *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert status is None or done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("unit", SERVICES)
def test_a_service_is_exposed_to_little(system, unit):
    said = analyze("security", "--offline=true", f"--root={system}", unit)
    level = float(re.search(rf"exposure level for {re.escape(unit)}: ([0-9.]+)", said)[1])
    assert level <= EXPOSURE_MAX, said


def test_the_manager_understands_every_line(system):
    names = [path.name for path in UNITS.glob("onecase*.*")]
    said = analyze("verify", "--man=no", "--recursive-errors=no", f"--root={system}", *names, status=None)
    ours = [line for line in said.splitlines() if "onecase" in line and "not-found" not in line]
    assert ours == [], said
    for timer in UNITS.glob("*.timer"):
        assert (UNITS / f"{timer.stem}.service").exists()
        analyze("calendar", re.search(r"^OnCalendar=(.*)$", timer.read_text(), re.M)[1])


def test_each_service_runs_a_command_that_there_is(desk):
    """Beside a service that runs: backup, retain and verify as the timers have them."""
    for unit in SERVICES:
        words = shlex.split(re.search(r"^ExecStart=/usr/bin/onecase (.*)$", (UNITS / unit).read_text(), re.M)[1])
        if words == ["run"]:
            continue
        words = [word.replace("/var/backups/onecase", str(desk.folder / "backups")) for word in words]
        done = desk.run(*words, status=None)
        assert done.returncode in (0, 1, 69), f"{words}: {done.stderr}"  # files and servers of the cli's ledger are not there
        assert "usage" not in done.stderr and "no option" not in done.stderr
    assert [path.name for path in (desk.folder / "backups").glob("*.manifest")] == ["20260302T183000Z.manifest"]


def test_a_credential_of_the_manager_comes_before_the_file_beside_the_configuration(desk, tmp_path):
    text = desk.config.read_text().replace("username: help, password: secret", "username: help, password_file: imap.password")
    desk.config.write_text(text)
    assert "imap.password" in desk.run("status", status=78).stderr
    (folder := tmp_path / "credentials").mkdir()
    (folder / "imap.password").write_text("two\nlines\n")
    assert f"{folder}/imap.password" in desk.run("status", status=78, CREDENTIALS_DIRECTORY=str(folder)).stderr
    (folder / "imap.password").write_text("secret\n")
    desk.run("status", CREDENTIALS_DIRECTORY=str(folder))
    loaded = re.findall(r"^LoadCredential=(\S+)$", (UNITS / "hardening.conf").read_text(), re.M)
    assert {"imap.password", "smtp.password"} == set(loaded)
    assert all(name in (TOP / "config/onecase.example.yaml").read_text() for name in loaded)


def test_the_account_and_the_folders_are_made_as_the_units_want_them():
    hardening = (UNITS / "hardening.conf").read_text()
    assert re.search(r"^u onecase ", (UNITS / "sysusers.conf").read_text(), re.M) and "User=onecase" in hardening
    made = dict(re.findall(r"^d (\S+) +(\d+)", (UNITS / "tmpfiles.conf").read_text(), re.M))
    assert made == {"/etc/onecase": "0750", "/var/lib/onecase": "0700", "/var/backups/onecase": "0700"}
    assert "ReadWritePaths=/var/backups/onecase" in (UNITS / "onecase-backup.service").read_text()


