# SPDX-License-Identifier: Apache-2.0
"""The files for an engine of containers, as far as can be seen without one; tests/package/run installs the package that
they install, in a Debian of its own."""
import json
import re

import yaml

from conftest import TOP

FOLDER = TOP / "deploy/container"


def test_the_container_runs_the_packages_program_as_its_account():
    text = (FOLDER / "Containerfile").read_text()
    words = dict(re.findall(r"^(FROM|USER|STOPSIGNAL|ENTRYPOINT|CMD) (.*)$", text, re.M))
    assert words["FROM"] == "debian:12-slim" and words["USER"] == "onecase" and words["STOPSIGNAL"] == "SIGTERM"
    assert json.loads(words["ENTRYPOINT"]) == ["/usr/bin/onecase"] and json.loads(words["CMD"]) == ["run"]
    kept = set(json.loads(re.search(r"^VOLUME (.*)$", text, re.M)[1]))
    made = set(re.findall(r"^d (\S+)", (TOP / "deploy/systemd/tmpfiles.conf").read_text(), re.M))
    assert kept == made - {"/etc/onecase"}
    assert re.search(r"^COPY onecase_\*_amd64\.deb ", text, re.M) and "apt-get install -y --no-install-recommends" in text


def test_the_example_gives_it_what_it_needs_and_nothing_else(new_desk):
    compose = yaml.safe_load((FOLDER / "compose.example.yaml").read_text())
    service = compose["services"]["onecase"]
    assert (FOLDER / service["build"]["dockerfile"]).exists()
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert set(service["secrets"]) == set(compose["secrets"])
    unit = (TOP / "deploy/systemd/onecase.service").read_text()
    assert service["stop_grace_period"] == re.search(r"^TimeoutStopSec=(.*)$", unit, re.M)[1]
    where = {volume.split(":")[1] for volume in service["volumes"]}
    assert {"/etc/onecase/onecase.yaml", "/var/lib/onecase", "/var/backups/onecase"} == where
    assert "there is no command" not in new_desk.run(*service["healthcheck"]["test"][2:], status=None).stderr

    # Secrets of the engine's folder are found as a service manager's are.
    (secrets := new_desk.folder / "secrets").mkdir()
    text = new_desk.config.read_text().replace("username: help, password: secret", "username: help, password_file: imap.password")
    new_desk.config.write_text(text)
    (secrets / "imap.password").write_text("secret\n")
    new_desk.run("status", CREDENTIALS_DIRECTORY=str(secrets))
