# SPDX-License-Identifier: Apache-2.0
"""The contract suites of the mail ports, run with the real adapters against a real Dovecot and Postfix."""
import collections
import importlib
import subprocess

import pytest

from rig import PASSWORD
from tool import BUILD


def server_of(name):
    return getattr(importlib.import_module(name), name.capitalize())


def run_suite(name, **settings):
    """All cases of the suite; gives what it printed."""
    words = [f"{key}={value}" for key, value in settings.items()]
    done = subprocess.run([BUILD / "tests" / name, *words], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "FAILED" not in done.stderr and done.stderr.count("[       OK ]") + done.stdout.count("[       OK ]") > 10
    return done


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_mailbox(servers, security):
    port = servers.dovecot.imaps if security == "tls" else servers.dovecot.imap
    run_suite("test_mailbox", host="localhost", port=port, security=security, sign_in="password",
              username=f"contract-{security}", secret=PASSWORD, ca_file=servers.authority.file)


@pytest.mark.parametrize("server, settings", [
    ("dovecot", dict(prefix="INBOX.", separator=".")),
    ("cyrus", {}),
    ("cyrus", dict(prefix="INBOX.", separator=".")),
    ("courier", {}),
], ids=["dovecot under a prefix", "cyrus", "cyrus under a prefix", "courier"])
def test_mailbox_on_another_server(server, settings):
    """Other separators and prefixes, no MOVE, UIDNEXT only when asked: the same cases."""
    with server_of(server)(**settings) as made:
        run_suite("test_mailbox", host="127.0.0.1", port=made.imap, security="none", sign_in="password",
                  username="help", secret=made.password)


def test_courier(servers):
    """And what must not have been sent is not there: no letter that was abandoned or refused."""
    before = len(servers.postfix.accepted())
    run_suite("test_courier", host="localhost", port=servers.postfix.port, security="starttls", sign_in="password",
              username="contract", secret=PASSWORD, ca_file=servers.authority.file)
    subjects = collections.Counter(mail["Subject"] for mail in servers.postfix.accepted()[before:])
    assert subjects == {"arrives small": 16, "arrives large": 1}  # one of them to two recipients
