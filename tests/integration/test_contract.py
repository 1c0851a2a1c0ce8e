# SPDX-License-Identifier: Apache-2.0
"""The contract suites of the mail ports, run with the real adapters against a real Dovecot and Postfix."""
import collections
import subprocess

import pytest

from rig import PASSWORD
from tool import BUILD


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


def test_mailbox_under_a_prefix():
    """A server that keeps all folders under INBOX, with another separator."""
    from dovecot import PASSWORD as SECRET, Dovecot
    with Dovecot(prefix="INBOX.", separator=".") as server:
        run_suite("test_mailbox", host="127.0.0.1", port=server.imap, security="none", sign_in="password",
                  username="help", secret=SECRET)


def test_courier(servers):
    """And what must not have been sent is not there: no letter that was abandoned or refused."""
    before = len(servers.postfix.accepted())
    run_suite("test_courier", host="localhost", port=servers.postfix.port, security="starttls", sign_in="password",
              username="contract", secret=PASSWORD, ca_file=servers.authority.file)
    subjects = collections.Counter(mail["Subject"] for mail in servers.postfix.accepted()[before:])
    assert subjects == {"arrives small": 10, "arrives large": 1}  # one of them to two recipients
