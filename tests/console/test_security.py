# SPDX-License-Identifier: Apache-2.0
"""What strangers, and people with the wrong role, try."""
import hashlib
import http.client
import os
import re
import socket
import ssl
import subprocess
import time
import urllib.parse
from pathlib import Path

import pytest

from conftest import PASSWORD, ROLES, SECRET, TOP, Visitor, new_desk
from test_pages import DOUBT, PAGES

NOTHING = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{user}}"


def test_every_answer_forbids_what_pages_do_not_need(shown):
    for path in [*PAGES, "/sign-in", "/nothing", "/style.css", "/console.js", "/api/v1/items", "/healthz"]:
        answer = shown.visitors["admin"].get(path)
        policy = answer.getheader("Content-Security-Policy")
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert answer.getheader("Referrer-Policy") == "no-referrer"
        assert answer.getheader("Cache-Control") == "no-store", path
        assert " style=" not in answer.text and " onclick=" not in answer.text


# ---- signing in


def test_a_wrong_password_and_a_wrong_name_are_answered_alike(desk):
    took = {}
    for name in ("operator", "nobody-of-that-name"):
        begun = time.process_time(), time.monotonic()
        answer = desk.visitor().ask("POST", "/sign-in", {"name": name, "password": "wrong wrong wrong"})
        took[name] = time.monotonic() - begun[1]
        assert answer.status == 403 and "do not belong together" in answer.text and not answer.getheader("Set-Cookie")
    assert took["nobody-of-that-name"] > took["operator"] / 4


def test_guessing_is_throttled_and_others_are_not(desk):
    for _ in range(5):
        assert desk.visitor().sign_in("operator", "wrong wrong wrong").status == 403
    answer = desk.visitor().sign_in("operator")
    assert answer.status == 429 and int(answer.getheader("Retry-After")) > 60
    assert desk.visitor().sign_in("owner").status == 303
    kept = desk.sql("SELECT subject FROM login_failure")
    assert len(kept) == 15 and all(re.fullmatch("[0-9a-f]{64}", subject) for subject, in kept)
    desk.sql("UPDATE login_failure SET failed_at = failed_at - 1000000")
    assert desk.visitor().sign_in("operator").status == 303


def test_a_session_is_a_secret_that_the_ledger_does_not_know(desk):
    visitor = desk.visitor()
    answer = visitor.sign_in("operator")
    cookie = answer.getheader("Set-Cookie")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie
    assert desk.sql("SELECT id FROM session") == [(hashlib.sha256(visitor.cookie.encode()).hexdigest(),)]


def test_a_session_that_was_fixed_before_is_not_used(desk):
    victim = Visitor(desk)
    victim.cookie = fixed = "A" * 43
    victim.sign_in("operator")
    assert victim.cookie != fixed and victim.get("/").status == 200
    attacker = Visitor(desk)
    attacker.cookie = fixed
    assert attacker.get("/").status == 303
    old = victim.cookie
    victim.sign_in("operator")
    attacker.cookie = old
    assert victim.get("/").status == 200 and attacker.get("/").status == 303


@pytest.mark.parametrize("cookie", ["", "x", "A" * 43, "A" * 4000, "'; DROP TABLE session; --", "../../etc/passwd"])
def test_a_forged_session_is_none(shown, cookie):
    visitor = Visitor(shown)
    visitor.cookie = cookie
    assert visitor.get("/").status == 303


def test_sessions_end(desk):
    ann = desk.visitor("operator")
    token = ann.token()
    kept = ann.cookie
    desk.sql("UPDATE session SET seen_at = seen_at - ?", 31 * 60 * 1000)
    assert ann.get("/").status == 303
    ann.sign_in("operator")
    desk.sql("UPDATE session SET created_at = created_at - ?", 13 * 3600 * 1000)
    assert ann.get("/").status == 303
    ann.sign_in("operator")
    kept = ann.cookie
    ann.post("/sign-out")
    ann.cookie = kept
    assert ann.get("/").status == 303 and ann.ask("POST", "/pause", {"form_token": token}).status == 303
    bob = desk.visitor("owner")
    desk.run("user", "role", "owner", "viewer")
    assert bob.get("/").status == 303
    bob.sign_in("owner")
    assert bob.get("/queue").status == 403
    desk.run("user", "remove", "owner")
    assert bob.get("/").status == 303 and bob.sign_in("owner").status == 403


def test_where_signing_in_leads_is_a_page_of_ours(desk):
    for there in ("//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/x\r\nSet-Cookie: a=b"):
        answer = desk.visitor().ask("POST", "/sign-in", {"name": "operator", "password": PASSWORD, "next": there})
        assert answer.status == 303 and answer.to == "/", there
    assert desk.visitor().ask("POST", "/sign-in", {"name": "viewer", "password": PASSWORD, "next": "/mails"}).to == "/mails"


# ---- forms of other pages


def test_a_form_of_another_page_changes_nothing(shown):
    ann, bob = shown.visitors["operator"], shown.visitors["owner"]
    before = shown.sql("SELECT COUNT(*) FROM event")
    form = {"decision": "acknowledgement-sent", "reason": "forged"}
    token = ann.token()
    tries = [({}, {}), ({"form_token": ""}, {}), ({"form_token": "0" * 64}, {}), ({"form_token": bob.token()}, {}),
             ({"form_token": token}, {"Origin": "https://evil.example"}),
             ({"form_token": token}, {"Origin": f"http://127.0.0.1:{shown.port}.evil.example"}),
             ({"form_token": token}, {"Sec_Fetch_Site": "cross-site"}),
             ({"form_token": token}, {"Sec_Fetch_Site": "same-site"})]
    for more, headers in tries:
        answer = ann.ask("POST", f"/mail/{DOUBT}/decide", {**form, **more}, **headers)
        assert answer.status == 403, (more, headers)
        assert ann.ask("GET", f"/mail/{DOUBT}/decide?decision=acknowledgement-sent&reason=x").status == 405
    assert shown.visitor().ask("POST", "/sign-in", {"name": "operator", "password": PASSWORD},
                               Origin="https://evil.example").status == 403
    assert shown.sql("SELECT COUNT(*) FROM event") == before


def test_no_form_of_another_page_gets_anywhere(shown):
    """Every form of the table of routes, also those that only sign out or take back."""
    ann, bob = shown.visitors["owner"], shown.visitors["operator"]
    before = shown.sql("SELECT (SELECT COUNT(*) FROM event), (SELECT COUNT(*) FROM note), (SELECT COUNT(*) FROM session)")
    ours, theirs, forms = ann.token(), bob.token(), [path for method, path, _, flags in ROUTES if method == "POST" and "OPEN" not in flags and "/api/" not in path]
    assert {"/mails/replay", "/mails/replay/*", "/rules/*/remove", "/webhooks", "/sign-out"} < set(forms)
    for path in (path.replace("*", "1") for path in forms):
        for token, headers in (("", {}), (theirs, {}), (ours, {"Origin": "https://evil.example"}), (ours, {"Sec_Fetch_Site": "cross-site"})):
            answer = ann.ask("POST", path, {"form_token": token, "reason": "x", "act": "go-on", "state": "complete"}, **headers)
            assert answer.status == 403, (path, token, headers)
        assert ann.ask("POST", path, body="reason=" + "x" * 100_000).status == 413, path
    assert shown.sql("SELECT (SELECT COUNT(*) FROM event), (SELECT COUNT(*) FROM note), (SELECT COUNT(*) FROM session)") == before


def test_a_session_is_no_key_to_the_interface_and_a_token_none_to_pages(desk):
    ann = desk.visitor("operator")
    form = {"decision": "acknowledgement-sent", "reason": "by script"}
    assert ann.ask("POST", f"/api/v1/items/{DOUBT}/decisions", form).status == 403
    token = desk.run("token", "add", "script", "--role", "operator").stdout.strip()
    script = desk.visitor()
    bearer = {"Authorization": "Bearer " + token}
    assert script.ask("POST", f"/mail/{DOUBT}/decide", form, **bearer).status == 403
    viewer = desk.run("token", "add", "weak", "--role", "viewer").stdout.strip()
    assert script.ask("POST", f"/api/v1/items/{DOUBT}/decisions", form, Authorization="Bearer " + viewer).status == 403
    assert script.ask("POST", f"/api/v1/items/{DOUBT}/decisions", form, **bearer).status == 200
    assert script.get("/api/v1/items", Authorization="Bearer " + token[:-1] + "x").status == 401
    desk.run("token", "remove", "script")
    assert script.get("/api/v1/items", **bearer).status == 401


# ---- what senders write


def test_what_a_sender_wrote_is_never_markup(desk):
    desk.stop()
    desk.sql("UPDATE item SET sender = ?, subject = ?, text = ?, recipient = ?", *[NOTHING] * 4)
    desk.sql("UPDATE case_message SET sender = ?, reply_to = ? || 'x', subject = ?, text = ?", *[NOTHING] * 4)
    desk.sql("UPDATE attachment SET name = ?, type = ?, reason = ?", *[NOTHING] * 3)
    desk.sql("UPDATE note SET text = ?", NOTHING)
    desk.sql("UPDATE approval SET person = ?, second = ?", NOTHING, NOTHING)
    desk.sql("UPDATE mailbox SET last_error = ?", NOTHING)
    desk.sql("UPDATE circuit SET reason = ?", NOTHING)
    desk.sql("UPDATE run SET owner = ?, host = ?", NOTHING, NOTHING)
    desk.sql("UPDATE evidence SET place = ?", NOTHING)
    desk.sql("INSERT INTO bulk (id, selection, resend, person, second, begun_at) VALUES (1, 'replay complete from=' || ?, 0, ?, ?, 1)", *[NOTHING] * 3)
    desk.sql("INSERT INTO note (key, about, text, noted_at) VALUES ('', 'bulk 1', ?, 1)", NOTHING)
    desk.sql("INSERT INTO sender_rule (mailbox, sender, key, person, made_at) SELECT mailbox, ?, key, ?, 1 FROM item LIMIT 1", NOTHING, NOTHING)
    desk.sql("INSERT INTO proposal (subject, key, person, account, proposed_at) VALUES ('replay complete domain=' || ? || ' ' || ?, '', ?, ?, 1)",
             NOTHING, "0" * 64, NOTHING, NOTHING)
    desk.sql("INSERT INTO webhook (name, read_to, failing_since, why) VALUES (?, 0, 1, ?)", NOTHING, NOTHING)
    desk.sql("INSERT INTO webhook_outbox (message_id, webhook, key, event, type, reason, status, why, attempts, created_at, ended_at)"
             " SELECT ?, ?, key, number, 'created', '', 'refused', ?, 3, 1, 2 FROM event WHERE what = 'reserve' LIMIT 1", *[NOTHING] * 3)
    desk.start()
    admin, seen = desk.visitor("admin"), 0
    names = [name for name, in desk.sql("SELECT substr(key, 1, 12) FROM item")]
    cases = [name for name, in desk.sql("SELECT reference FROM case_record")]
    typed = urllib.parse.quote(NOTHING)
    asked = [f"/mails/replay?state=complete&only=from&value={typed}", f"/cases?q={typed}", f"/duplicates?since={typed}", f"/mails/replay?state={typed}",
             f"/arrivals?figure={typed}", f"/sign-in?next={typed}", f"/mails?mailbox={typed}"]
    for path in [*PAGES, *asked, *(f"/mail/{name}" for name in names), *(f"/case/{name}" for name in cases)]:
        answer = admin.get(path)
        assert answer.status == 200 or path in asked, path
        assert "<script>alert" not in answer.text and "<img" not in answer.text, path
        assert not re.search(r"=\"[^\"]*<script", answer.text)
        assert "onerror=alert(2)&gt;admin" not in answer.text, "a value was taken for a directive"
        seen += answer.text.count("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img")
    assert seen > 50
    for path, form in ((f"/mail/{DOUBT}/decide", {"decision": "no-such"}), ("/webhooks", {"post": ""}),
                       ("/mails/replay", {"state": "complete", "only": "from", "value": NOTHING})):
        typed = admin.post(path, **form, reason=NOTHING)
        assert "<script>alert" not in typed.text and "&lt;script&gt;alert(1)" in typed.text, path


def test_files_are_given_as_they_came_and_never_shown(desk):
    key, name = desk.sql("SELECT key, stored_name FROM attachment WHERE status = 'stored'")[0]
    folder = desk.folder / "data/items" / key[:2] / key
    (folder / "attachments").mkdir(parents=True, mode=0o700)
    (folder / "attachments" / name).write_bytes(b"<html><script>alert(1)</script>")
    (folder / "original.eml").write_bytes(b"Subject: x\r\n\r\nhello\r\n")
    operator = desk.visitor("operator")
    reference = desk.sql("SELECT reference FROM case_record WHERE key = ?", key)[0][0]
    for path, octets in ((f"/case/{reference}/file/1", b"<html><script>alert(1)</script>"),
                         (f"/mail/{reference}/original", b"Subject: x\r\n\r\nhello\r\n")):
        answer = operator.get(path)
        assert answer.status == 200 and answer.octets == octets
        assert answer.getheader("Content-Type") == "application/octet-stream"
        assert answer.getheader("Content-Disposition").startswith("attachment; filename*=UTF-8''")
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
    for number in ("0", "2", "-1", "99999999999999999999", "x", "1%00", "../1"):
        assert operator.get(f"/case/{reference}/file/{number}").status in (303, 400, 404), number
    (folder / "original.eml").unlink()
    (folder / "original.eml").symlink_to("/etc/passwd")
    assert operator.get(f"/mail/{reference}/original").status in (404, 500)


@pytest.mark.parametrize("path", [
    "/../../../../etc/passwd", "/style.css/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd",
    "/mail/..%2f..%2fledger.db", "/mail/../ledger.db/original", "/case/%00/file/1", "//etc/passwd", "/mail/", "/mail//original",
    "/mail/" + "a" * 300, "/mail/%ff%fe", "/api/v1/items/' OR 1=1 --".replace(" ", "%20"), "/arrivals?figure=../x",
    "/mails/replay/..%2f1", "/mails/replay/%2e%2e", "/mails/replay/-1", "/mails/replay/99999999999999999999", "/mails/replay/1/..", "/mails/replay/1x",
    "/waiting/..%2fqueue", "/rules/", "/webhooks/1", "/frame.html", "/templates/console/frame.html"])
def test_paths_lead_nowhere_else(shown, path):
    answer = shown.visitors["admin"].get(path)
    assert answer.status in (400, 404), answer.status
    assert "root:" not in answer.text and "SQLite" not in answer.text


# ---- roles


ROUTES = re.findall(r'METHOD_(GET|POST), +"([^"]+)", +ROLE_(\w+), +(\S+)', (TOP / "src/console/route.c").read_text())


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_refused_what_it_may_not_do_and_nothing_else(shown, role):
    """Every route of the table, by session and by token, with a form that is ours."""
    before = shown.sql("SELECT COUNT(*) FROM event")
    bearer = {"Authorization": "Bearer " + shown.run("token", "add", "may-" + role, "--role", role).stdout.strip()}
    person, script, refused = shown.visitors[role], shown.visitor(), 0
    before = shown.sql("SELECT COUNT(*) FROM event")
    for method, path, least, flags in ROUTES:
        there, interface = path.replace("*", DOUBT), path.startswith("/api/")
        if "OPEN" in flags or path == "/sign-out":
            continue
        low = ROLES.index(role) < ROLES.index(least.lower())
        if method == "POST" and not low:
            continue  # what they may do is done elsewhere
        form = {"form_token": person.token(), "reason": "x"} if method == "POST" else None
        answers = {script.ask(method, there, form, **bearer).status} | ({person.ask(method, there, form).status} if not interface else set())
        assert (403 in answers) == low and (answers == {403}) == low, (method, path, answers)
        refused += low
    assert refused == {"viewer": sum(least != "VIEWER" for *_, least, _ in ROUTES), "operator": 0, "owner": 0, "admin": 0}[role]
    assert shown.sql("SELECT COUNT(*) FROM event") == before


# ---- too much, and too slow


def test_what_is_too_large_is_refused(shown):
    admin = shown.visitors["admin"]
    assert admin.ask("POST", "/pause", body="reason=" + "x" * 100_000).status == 413
    assert admin.ask("POST", "/pause", body="&".join(f"a{n}=1" for n in range(600)),
                     Content_Type="application/x-www-form-urlencoded").status == 400
    assert admin.get("/", X_Long="x" * 40_000).status in (413, 431)
    with socket.create_connection(("127.0.0.1", shown.port), 5) as link:
        link.sendall(b"POST /pause HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(40):
            link.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        link.sendall(b"0\r\n\r\n")
        assert b" 413 " in link.recv(4096)
    for method in ("PUT", "DELETE", "TRACE", "OPTIONS"):
        assert admin.ask(method, "/").status == 405


def test_a_thousand_slow_clients_do_not_keep_others_out(desk):
    slow = []
    try:
        for n in range(1000):
            link = socket.create_connection(("127.0.0.1", desk.port), 10)
            link.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-" if n % 2 else b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nna")
            slow.append(link)
        for _ in range(3):
            begun = time.monotonic()
            assert desk.visitor().get("/sign-in").status == 200
            assert time.monotonic() - begun < 5
        assert desk.visitor().sign_in("operator").status == 303
    finally:
        for link in slow:
            link.close()


def test_no_secret_of_a_mailbox_is_in_the_process(desk):
    pid = desk.process.pid
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if not span or "[v" in line:
                continue
            begin, end = (int(x, 16) for x in span.groups())
            if end - begin > 1 << 30:  # a sanitizer's shadow
                continue
            memory.seek(begin)
            assert SECRET.encode() not in memory.read(end - begin), line


def test_metrics_and_health_are_for_this_machine(shown):
    assert shown.visitor().get("/healthz").text == "ok\n"
    metrics = shown.visitor().get("/metrics")
    assert metrics.status == 200 and "onecase_items{" in metrics.text and "@" not in metrics.text


def test_behind_a_proxy_others_need_a_token(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path, more=", behind_proxy: true").start()
    try:
        stranger = desk.visitor()
        assert stranger.get("/metrics", X_Forwarded_For="203.0.113.9").status == 401
        token = desk.run("token", "add", "watch", "--role", "viewer").stdout.strip()
        assert stranger.get("/metrics", X_Forwarded_For="203.0.113.9", Authorization="Bearer " + token).status == 200
        answer = stranger.ask("POST", "/sign-in", {"name": "operator", "password": PASSWORD}, X_Forwarded_For="203.0.113.9")
        assert "Secure" in answer.getheader("Set-Cookie") and "__Host-onecase=" in answer.getheader("Set-Cookie")
    finally:
        assert desk.stop() == 0


def over_tls(desk, path, body=None, trust=None, **version):
    context = ssl.create_default_context(cafile=trust)
    for name, value in version.items():
        setattr(context, name, value)
    link = http.client.HTTPSConnection("localhost", desk.port, timeout=30, context=context)
    try:
        link.request("POST" if body else "GET", path, body, {"Content-Type": "application/x-www-form-urlencoded"})
        answer = link.getresponse()
        answer.text = answer.read().decode()
        return answer
    finally:
        link.close()


def test_pages_by_tls_are_for_who_trusts_its_certificate_and_no_other_way(ledger, tmp_path):
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert,
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    desk = new_desk(ledger, tmp_path, more=f", tls_cert: {cert}, tls_key: {key}")
    desk.config.write_text(desk.config.read_text().replace('"127.0.0.1:', '"0.0.0.0:'))
    desk.start()
    try:
        signed_in = over_tls(desk, "/sign-in", f"name=operator&password={PASSWORD.replace(' ', '+')}", trust=cert)
        assert signed_in.status == 303 and signed_in.getheader("Strict-Transport-Security") == "max-age=31536000"
        cookie = signed_in.getheader("Set-Cookie")
        assert cookie.startswith("__Host-onecase=") and "; Secure" in cookie and "HttpOnly" in cookie
        assert over_tls(desk, "/healthz", trust=cert).text == "ok\n"
        with pytest.raises(ssl.SSLCertVerificationError):
            over_tls(desk, "/healthz")
        with pytest.raises(ssl.SSLError):
            over_tls(desk, "/healthz", trust=cert, minimum_version=ssl.TLSVersion.TLSv1, maximum_version=ssl.TLSVersion.TLSv1_1)
        plain = http.client.HTTPConnection("127.0.0.1", desk.port, timeout=30)
        with pytest.raises((http.client.HTTPException, OSError)):
            plain.request("GET", "/healthz")
            plain.getresponse()
    finally:
        assert desk.stop() == 0
    key.write_text("no key")
    assert "are tls_cert and tls_key a certificate and its key, as PEM?" in desk.run("console", status=None).stderr


def test_other_machines_are_served_by_tls_alone(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path)
    desk.config.write_text(desk.config.read_text().replace("127.0.0.1:%d" % desk.port, "0.0.0.0:%d" % desk.port))
    assert "without TLS it is for this machine alone" in desk.run("console", status=78).stderr
