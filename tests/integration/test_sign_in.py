# SPDX-License-Identifier: Apache-2.0
"""Every way to sign in, from the configuration to a real Dovecot and a real Postfix, which ask a token endpoint
whose a token is; and that nothing secret is said on the way (I01, I12, S06)."""
import os
import re
import shutil
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from imap_peer import ImapPeer
from mails import plain
from rig import PASSWORD, MailServer, Rig, assert_invariants, await_
from smtp_peer import SmtpPeer

CLIENT_SECRET = "Trompete.0815~kein/Geheimnis"

OAUTH2 = """
auth_mechanisms = plain login cram-md5 scram-sha-1 scram-sha-256 xoauth2 oauthbearer
passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf
}}
mail_plugins = $mail_plugins acl quota
protocol imap {{
  mail_plugins = $mail_plugins acl quota imap_acl imap_quota
}}
plugin {{
  acl = vfile
  quota = count:User quota
  quota_vsizes = yes
  quota_rule = *:storage=1M
}}
namespace inbox {{
  mailbox Junk {{
    special_use = \\Junk
  }}
  mailbox "Sent Items" {{
    special_use = \\Sent
  }}
}}
"""

INTROSPECTION = """
introspection_mode = post
introspection_url = {url}
force_introspection = yes
username_attribute = username
active_attribute = active
active_value = true
tls_ca_cert_file = {authority}
"""


class OauthServer(MailServer):
    endpoint = authority = None

    def write_config(self):
        super().write_config()
        path = self.folder / "dovecot.conf"
        text = path.read_text().replace("  driver = static\n  args = password",
                                        "  driver = static\n  mechanisms = plain login cram-md5 scram-sha-1 scram-sha-256\n  args = password")
        path.write_text(text + OAUTH2.format(folder=self.folder))
        shutil.copy(self.authority, self.folder / "ca.pem")  # the account that reads it may not look into the test's folder
        (self.folder / "oauth2.conf").write_text(INTROSPECTION.format(url=self.endpoint.introspection,
                                                                      authority=self.folder / "ca.pem"))


@pytest.fixture(scope="module")
def oauth_servers(scratch, tmp_path_factory):
    from authority import Authority
    from postfix import Postfix
    from token_endpoint import TokenEndpoint
    authority = Authority(tmp_path_factory.mktemp("authority"))
    pair = authority.issue("server")
    with TokenEndpoint(*pair) as endpoint:
        dovecot = OauthServer(*(), certificate=pair[0], key=pair[1])
        dovecot.endpoint, dovecot.authority = endpoint, authority.file
        with dovecot, Postfix(*pair, dovecot.sasl, dovecot.lmtp) as postfix:
            yield SimpleNamespace(authority=authority, dovecot=dovecot, postfix=postfix, endpoint=endpoint)


@pytest.fixture
def rig(oauth_servers, scratch, request):
    number = getattr(oauth_servers, "rigs", 0) + 1
    oauth_servers.rigs = number
    folder = scratch / f"sign-in{number}"
    folder.mkdir()
    one = Rig(oauth_servers, folder, f"signer{number}")
    one.endpoint = oauth_servers.endpoint
    one.endpoint.user, one.endpoint.life = one.user, 3600
    one.endpoint.forms.clear()
    one.endpoint.given.clear()
    one.endpoint.turns.clear()
    yield one
    one.end()
    shutil.rmtree(folder)


def by_token(rig, method="xoauth2", **more):
    """Both servers by tokens of the endpoint, in place of the password."""
    (rig.folder / "client").write_text(CLIENT_SECRET + "\n")
    auth = {"method": method, "token_url": rig.endpoint.url, "client_id": "onecase", "client_secret_file": "client",
            "scope": "all", **more}
    for server in (rig.mailbox["imap"], rig.letters["smtp"]):
        server.pop("password_file", None)
        server["auth"] = dict(auth)


def logged(rig, service=""):
    """How Dovecot was signed in to, as its log says it."""
    return [line for line in (rig.servers.dovecot.folder / "log").read_text().splitlines()
            if f"user=<{rig.user}>" in line and "Login: " in line and service in line]


def whole_way(rig, name):
    rig.deliver(plain(name))
    assert rig.once()["completed"] == 1
    assert_invariants(rig)


# ---- passwords ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method, used", [
    (None, "SCRAM-SHA-256"), ("password", "SCRAM-SHA-256"), ("scram-sha-1", "SCRAM-SHA-1"), ("cram-md5", "CRAM-MD5"),
    ("plain", "PLAIN"), ("login", "LOGIN"),
])
def test_a_password_goes_by_the_way_that_is_configured(rig, method, used):
    if method:
        for server in (rig.mailbox["imap"], rig.letters["smtp"]):
            server["auth"] = {"method": method}
    whole_way(rig, f"by-{method}")
    ways = {line.split("method=")[1].split(",")[0] for line in logged(rig) if "TLS" in line}
    assert ways == {used}
    assert f"sasl_method={used}" in rig.postfix.log()


# ---- tokens ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["xoauth2", "oauthbearer"])
def test_one_token_of_the_endpoint_does_for_imap_and_smtp(rig, method):
    by_token(rig, method)
    whole_way(rig, f"token-{method}")
    first, *rest = rig.endpoint.forms
    assert first["client_secret"] == CLIENT_SECRET and first["grant_type"] == "client_credentials"
    assert all(f"method={method.upper()}" in line for line in logged(rig) if "TLS" in line)
    assert f"sasl_method={method.upper()}" in rig.postfix.log()
    assert len(rest) == 0, "a run asks once"
    assert_nothing_secret(rig)


def test_a_refresh_token_serves_run_after_run(rig):
    (rig.folder / "refresh").write_text("r0\n")
    rig.endpoint.rotates = True
    try:
        by_token(rig, refresh_token_file="refresh")
        whole_way(rig, "refresh-1")
        whole_way(rig, "refresh-2")
    finally:
        rig.endpoint.rotates = False
    shown = [form["refresh_token"] for form in rig.endpoint.forms]
    assert shown[0] == "r0" and len(set(shown)) == len(shown) and (rig.folder / "refresh").read_text() not in shown


def test_a_token_that_was_taken_back_is_renewed_once_at_the_next_sign_in(rig):
    by_token(rig)
    service = rig.serve()
    rig.deliver(plain("before"))
    await_(lambda: [i for i in rig.items() if i["state"] == "complete"], "the first is complete")
    asked = len(rig.endpoint.forms)
    rig.endpoint.revoke()
    drop_connections(rig)
    rig.deliver(plain("after"))
    await_(lambda: len([i for i in rig.items() if i["state"] == "complete"]) == 2, "the second is complete", 30)
    assert service.end() == 0
    assert asked < len(rig.endpoint.forms) <= asked + 2
    assert_invariants(rig)


def drop_connections(rig):
    """Dovecot ends the sessions of this account."""
    rig.imap().logout()
    rig.connection = None
    subprocess.run(["doveadm", "-c", rig.servers.dovecot.folder / "dovecot.conf", "kick", rig.user], capture_output=True,
                   check=False)


@pytest.mark.parametrize("turn, words", [
    ((401, {}, {"error": "invalid_client", "error_description": "AADSTS7000222: the secret has expired"}),
     ["invalid_client (AADSTS7000222: the secret has expired)", "client_secret_file"]),
    ((500, {}, "oops"), ["it answers 500"]),
    ((302, {"Location": "https://localhost:1/"}, ""), ["not followed"]),
])
def test_what_the_endpoint_says_reaches_status(rig, turn, words):
    by_token(rig)
    rig.endpoint.turns += [turn] * 3
    rig.deliver(plain("stays"))
    rig.run("run", "--once", status=69)
    assert all(word in rig.status()["last_error"] for word in words), rig.status()["last_error"]
    assert len(rig.uids()) == 1
    assert_nothing_secret(rig)


def test_a_token_that_the_server_refuses_is_told_with_its_reason(rig):
    """Dovecot's explanation comes as a challenge, which is answered, and then quoted."""
    by_token(rig)
    rig.endpoint.user = "somebody-else"
    rig.run("run", "--once", status=69)
    said = rig.status()["last_error"]
    assert "refuses the sign-in by XOAUTH2" in said and '"status":"' in said and "`scope`" in said, said
    assert_nothing_secret(rig)


def assert_nothing_secret(rig):
    """Neither in what the program said, nor in anything that it keeps."""
    kept = b"".join(path.read_bytes() for path in rig.data.rglob("*") if path.is_file())
    for secret in (CLIENT_SECRET, PASSWORD, *rig.endpoint.given):
        assert secret not in rig.said and secret.encode() not in kept


def test_no_token_and_no_secret_stands_in_the_process_list(rig):
    by_token(rig)
    seen = []

    def look(handler, form):
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                seen.append(Path(f"/proc/{entry}/cmdline").read_bytes())
            except OSError:
                pass  # it has ended meanwhile
        handler.answer(200, {}, rig.endpoint.token(form))

    rig.endpoint.turns.append(look)
    whole_way(rig, "list")
    assert len(seen) > 5 and not any(CLIENT_SECRET.encode() in line or rig.endpoint.given[0].encode() in line for line in seen)


# ---- servers that refuse -----------------------------------------------------------------------------------


def test_i01_a_server_that_refuses_three_times_is_left_alone(rig):
    """No account is locked: the fourth try is made half an hour later, and everything that shows it says so."""
    with ImapPeer("have IMAP4rev1 AUTH=PLAIN\non AUTHENTICATE no [AUTHENTICATIONFAILED] no") as peer:
        rig.mailbox["imap"] = {"host": "localhost", "port": peer.port, "security": "none", "username": rig.user,
                               "password_file": "password"}
        service = rig.serve()
        await_(lambda: service.said("refused the sign-in 3 times"), "it shouts")
        said = await_(lambda: "3 times" in (rig.status()["last_error"] or "") and rig.status(), "status says so")
        await_(lambda: service.process.poll() is None and rig.status()["circuit"] is not None, "it goes on")
        assert len([c for c in peer.commands if "AUTHENTICATE" in c]) == 3
        assert "lock" in said["last_error"]
        assert service.end() == 0
    assert PASSWORD not in "".join(service.log)


def test_s06_a_mail_server_that_refuses_three_times_is_left_alone(rig):
    with SmtpPeer("on AUTH reply 535 5.7.8 no") as peer:
        rig.letters["smtp"] = {"host": "localhost", "port": peer.port, "security": "none", "username": rig.user,
                               "password_file": "password"}
        rig.letters["connections"] = 1
        rig.deliver(plain("refused"))
        service = rig.serve()
        await_(lambda: len([c for c in peer.commands if c.startswith("AUTH")]) == 3, "three tries")
        await_(lambda: service.said("refused the sign-in 3 times"), "it shouts")
        assert len([c for c in peer.commands if c.startswith("AUTH")]) == 3
        assert service.end() == 0


@pytest.mark.parametrize("method, offers", [
    ("scram-sha-256", "AUTH=PLAIN AUTH=SCRAM-SHA-1"), ("plain", "AUTH=LOGIN"), ("cram-md5", "AUTH=PLAIN"),
])
def test_i01_no_weaker_way_than_configured(rig, method, offers):
    with ImapPeer(f"have IMAP4rev1 {offers}") as peer:
        rig.mailbox["imap"] = {"host": "localhost", "port": peer.port, "security": "none", "username": rig.user,
                               "password_file": "password", "auth": {"method": method}}
        rig.run("run", "--once", status=69)
        assert peer.secrets == [] and f"does not offer to sign in by {method.upper()}" in rig.status()["last_error"]


def test_i12_a_session_whose_token_expires_is_made_anew_with_a_fresh_one(rig):
    """The server ends its patience in the middle of a session: nobody is asked, nothing is lost."""
    (rig.folder / "token").write_text("first\n")
    script = "have IMAP4rev1 SASL-IR AUTH=XOAUTH2 UIDPLUS MOVE NAMESPACE\non MOVE no [EXPIRED] token\non MOVE proceed"
    with ImapPeer(script, INBOX=[plain("expired")]) as peer:
        rig.mailbox["imap"] = {"host": "localhost", "port": peer.port, "security": "none", "username": rig.user,
                               "auth": {"method": "xoauth2", "token_file": "token"}}
        rig.letters.pop("smtp")
        rig.letters["enabled"] = False
        rig.mailbox["first_import"] = {"recent": "36500d"}
        service = rig.serve()
        await_(lambda: [i for i in rig.items() if i["state"] == "complete"], "it is filed")
        assert service.end() == 0
        assert len(peer.secrets) == 2 and len(peer.folders["Processed"].messages) == 1


# ---- secrets that expire -----------------------------------------------------------------------------------


def test_a_secret_that_expires_soon_is_told_everywhere(rig):
    soon = (datetime.now(timezone.utc) + timedelta(days=10, hours=1)).strftime("%Y-%m-%d")
    rig.mailbox["imap"]["auth"] = {"method": "password", "expires": soon}
    words = f"the secret for its IMAP server expires on {soon}, in "
    rig.once()
    assert words in rig.run("status").stdout
    assert rig.status()["secrets"] == [{"server": "imap", "expires": f"{soon}T00:00:00Z"}]
    done = rig.run("check", status=1).stdout
    assert "WARNING" in done and words in done
    doctor = rig.run("doctor").stdout
    assert "warning" in doctor and words in " ".join(doctor.split())
    service = rig.serve()
    await_(lambda: service.said(words), "the log says so")
    assert service.end() == 0


def test_a_secret_that_has_expired_is_critical(rig):
    rig.letters["smtp"]["auth"] = {"method": "password", "expires": "2020-01-01"}
    rig.once()
    assert "the secret for its SMTP server has expired on 2020-01-01" in rig.run("check", status=2).stdout
    rig.run("doctor", status=1)


# ---- I17: rights, room, junk, and what has changed ------------------------------------------------------------


def said_by_doctor(rig, *words, status=0):
    """Its findings, each with what is to be done, on one line."""
    findings = []
    for line in rig.run("doctor", *words, status=status).stdout.splitlines():
        if line[:8].strip():
            findings.append(line)
        else:
            findings[-1] += " " + line.strip()
    return findings


def only(findings, *words):
    found = [f for f in findings if all(word in f for word in words)]
    assert len(found) == 1, "\n".join(findings)
    return found[0]


def test_i17_doctor_says_which_right_is_missing_and_what_that_means(rig):
    rig.imap().create("Processed")
    folder = rig.servers.dovecot.folder / "mail" / rig.user / ".Processed"
    (folder / "dovecot-acl").write_text("owner lrwst\n")
    findings = said_by_doctor(rig, status=1)
    bad = only(findings, "BAD", "may not add messages in \"Processed\"")
    assert "no message can be filed" in bad and "the right i there" in bad
    assert "ok" in only(findings, "the rights in \"INBOX\"")[:8]
    assert only(findings, "ok", "a trial: folders are made")


def test_doctor_names_the_setting_of_sent_mail_and_the_folder_that_the_server_marks(rig):
    rig.letters["evidence"] = {"folder": "Sent"}
    missing = only(said_by_doctor(rig, status=1), "BAD", "where sent copies are looked for, 'Sent'", "there is no such folder",
                   "acknowledgement.evidence.folder")
    assert "marks no folder" in missing
    rig.imap().create('"Sent Items"')
    only(said_by_doctor(rig, status=1), "BAD", 'set acknowledgement.evidence.folder to "Sent Items"')
    rig.letters["evidence"] = {}
    only(said_by_doctor(rig), "warning", "in doubt", 'set acknowledgement.evidence.folder to "Sent Items"')
    rig.letters["evidence"] = {"folder": "Sent Items"}
    assert only(said_by_doctor(rig), "where sent copies are looked for, 'Sent Items'").startswith("ok")


def test_doctor_leaves_nothing_behind(rig):
    rig.deliver(plain("untouched"))
    before = rig.snapshot()
    said_by_doctor(rig)
    assert rig.snapshot() == before


def test_doctor_warns_when_the_mailbox_is_nearly_full_and_of_mail_in_junk(rig):
    findings = said_by_doctor(rig)
    assert "ok" in only(findings, "% full")[:8] and not [f for f in findings if "junk" in f]
    rig.imap().create("Junk")
    rig.deliver(plain("rubbish"), folder="Junk")
    rig.deliver(plain("large", "x" * 70 + "\r\n" * 2 + ("y" * 70 + "\r\n") * 14500))
    findings = said_by_doctor(rig)
    assert "warning" in only(findings, "of 1024 KB)", "nothing comes in")
    assert "warning" in only(findings, "1 message lies in the server's folder of junk", "move it to the inbox")
    rig.mailbox["quota_warning"] = 100
    assert "ok" in only(said_by_doctor(rig), "% full")[:8]


def quota_of(rig):
    return {name: float(n) for name, n in re.findall(r"^onecase_mailbox_quota_(\w+)\{.*\} (\S+)$", rig.run("metrics").stdout, re.M)}


def test_how_full_the_mailbox_is_is_asked_at_the_start_and_told_everywhere(rig):
    rig.once()
    first = quota_of(rig)
    assert first["limit_bytes"] == 1 << 20 and first["used_bytes"] < 10000
    rig.deliver(plain("large", "x" * 70 + "\r\n" * 2 + ("y" * 70 + "\r\n") * 14000))
    service = rig.serve()
    await_(lambda: 0.9 * (1 << 20) <= quota_of(rig)["used_bytes"] < 1 << 20, "the service has asked")
    assert service.end() == 0
    said = re.search(r"the mailbox is 9\d % full \(\d+ of 1024 KB\)", rig.run("check", status=1).stdout)
    assert said and f"\n  !       {said[0]}\n" in rig.run("status").stdout
    rig.mailbox["quota_warning"] = 100
    rig.once()
    assert "all is well" in rig.run("check").stdout and "\n  the mailbox is 9" in rig.run("status").stdout


def test_a_server_that_will_not_say_how_full_it_is_works_all_the_same(rig):
    script = "have IMAP4rev1 AUTH=PLAIN UIDPLUS MOVE IDLE NAMESPACE QUOTA\non GETQUOTAROOT no [NOPERM] not yours"
    rig.mailbox["first_import"] = {"recent": "36500d"}
    with ImapPeer(script, INBOX=[plain("unasked")]) as peer:
        with_peer(rig, peer)
        summary = rig.once()
        assert summary["completed"] == 1
        assert [command for command in peer.commands if "GETQUOTAROOT" in command]
        assert quota_of(rig) == {} and "fails" not in rig.run("status").stdout


def test_doctor_tells_what_has_changed_since_it_last_looked(rig):
    assert only(said_by_doctor(rig, "--since-last"), "no earlier look")
    assert only(said_by_doctor(rig, "--since-last"), ": 0 changes")
    rig.imap().create("Processed")
    folder = rig.servers.dovecot.folder / "mail" / rig.user / ".Processed"
    said_by_doctor(rig)
    (folder / "dovecot-acl").write_text("owner lrwstei\n")
    findings = said_by_doctor(rig, "--since-last")
    assert only(findings, "warning", "gone since the last look: the right k in \"Processed\"")
    assert not [f for f in findings if "new since" in f]
    assert only(said_by_doctor(rig, "--since-last"), ": 0 changes")


def with_peer(rig, peer):
    rig.mailbox["imap"] = {"host": "localhost", "port": peer.port, "security": "none", "username": rig.user,
                           "password_file": "password"}
    rig.letters.pop("smtp")
    rig.letters["enabled"] = False


@pytest.mark.parametrize("script, what, meaning", [
    ("on CREATE no [NOPERM] no", "make a folder and add a message", "Processed cannot be made"),
    ("on APPEND no [NOPERM] no", "make a folder and add a message", "give it the right"),
    ("on MOVE no [NOPERM] no", "move a message to another folder", "no message can be filed"),
    ("read-only", "move a message to another folder", "no message can be filed"),
    ("on STORE no [NOPERM] no", "mark a message of its own as deleted", "marks of old"),
    ("have IMAP4rev1 AUTH=PLAIN MOVE NAMESPACE", None, None),  # without UIDPLUS nothing is expunged
])
def test_i17_a_trial_says_what_the_account_cannot_do(rig, script, what, meaning):
    with ImapPeer(script) as peer:
        with_peer(rig, peer)
        findings = said_by_doctor(rig, status=1 if what else 0)
    if what:
        assert meaning in only(findings, "BAD", "in a folder of a trial, the account cannot", what)
    else:
        assert "until somebody expunges it" in only(findings, "warning", "cannot expunge a message")


def test_doctor_tries_nothing_in_a_mailbox_that_is_only_looked_at(rig):
    rig.mailbox["mode"] = "look-only"
    with ImapPeer("") as peer:
        with_peer(rig, peer)
        findings = said_by_doctor(rig)
        assert not any(word in command for command in peer.commands for word in ("CREATE", "APPEND", "SELECT"))
    assert not [f for f in findings if "trial" in f]
