# SPDX-License-Identifier: Apache-2.0
"""Who is told of what, when, and how: by mail and by webhook. Each run is one of `run --once`, whose IMAP server
cannot be reached, at an hour that the test says."""
import base64
import email
import email.policy
import hashlib
import hmac
import http.server
import json
import re
import sqlite3
import subprocess
import sys
import threading

import pytest

from conftest import EVENING, PROGRAM, TOP

MINUTE, HOUR, DAY = 60, 3600, 86400


class Receiver:
    """A mail server of the tests that does what its script says."""

    def __init__(self, folder, script=""):
        self.letters_in = folder / "letters"
        self.letters_in.mkdir(exist_ok=True)
        (folder / "script").write_text(script)
        self.run = subprocess.Popen([sys.executable, TOP / "tests/peers/smtp_peer.py", folder / "script", self.letters_in],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.run.stdout.readline())

    def letters(self):
        files = sorted(self.letters_in.iterdir(), key=lambda f: int(f.stem))
        return [email.message_from_bytes(f.read_bytes(), policy=email.policy.default) for f in files]

    def end(self):
        self.run.stdin.close()
        self.run.wait(10)


@pytest.fixture
def receiver(tmp_path):
    made = Receiver(tmp_path)
    yield made
    made.end()


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append((dict(self.headers), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hook():
    server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
    server.posts, server.answers = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def configure(desk, notify, port=1):
    text = desk.config.read_text().replace("smtp: {host: 127.0.0.1, port: 1, security: none}",
                                           f"smtp: {{host: 127.0.0.1, port: {port}, security: none}}")
    desk.config.write_text(text + f"notify: {notify}\n")


def turn(desk, at):
    """One run, `at` seconds after half past six."""
    desk.run("run", "--once", status=69, STILL_CLOCK=str(EVENING + at))


def change(desk, sql):
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.executescript(sql)


def text_of(letter):
    return (letter.get_body() if letter.is_multipart() else letter).get_content().replace("\r\n", "\n")


# ---- what is told, and when -------------------------------------------------------------------------------------


def test_what_is_the_matter_is_told_once_and_again_only_when_it_should_be(desk, receiver):
    configure(desk, "{to: [oncall@example.com], digest: 1m}", receiver.port)
    turn(desk, 0)
    first, = receiver.letters()
    said = text_of(first)
    assert "  help: a mail has waited 5 h for your decision (since 12:35)\n" in said
    assert "  help: 1 sender was not told" in said and "  sales: 8 mails from before await the choice" in said
    assert "SMTP server" not in said  # it has to last a little
    turn(desk, 6 * MINUTE)
    assert "  sales: the SMTP server fails since 13:00" in text_of(receiver.letters()[1])
    for minutes in (7, 20, 300):
        turn(desk, minutes * MINUTE)
    assert len(receiver.letters()) == 2
    turn(desk, 25 * HOUR)
    again = text_of(receiver.letters()[2])
    assert "Still so\n" in again and "New\n" not in again and "help: a mail has waited" in again


def test_what_gets_worse_is_told_at_once(desk, receiver):
    configure(desk, "{to: [oncall@example.com], remind: 0s, events: [decisions]}", receiver.port)
    turn(desk, 0)
    turn(desk, 2 * DAY)
    turn(desk, 3 * DAY)
    assert len(receiver.letters()) == 2 and "a mail has waited 3 d for your decision (since" in text_of(receiver.letters()[1])


def test_what_is_over_is_told_and_what_was_never_told_is_not(desk, receiver):
    configure(desk, "{to: [oncall@example.com], digest: 0s, events: [trouble, clear]}", receiver.port)
    change(desk, "UPDATE mailbox SET claim_owner = 'another' WHERE id = 'help'")
    turn(desk, 0)
    assert "  help: belongs to another deployment: another (since 18:30) !" in text_of(receiver.letters()[0])
    change(desk, "UPDATE mailbox SET claim_owner = '' WHERE id = 'help'")
    turn(desk, MINUTE)
    turn(desk, 2 * MINUTE)
    _, over = receiver.letters()
    assert text_of(over).count("\n  ") == 1 and "Over\n  help: is this deployment's again\n" in text_of(over)
    assert over["Subject"] == "[onecase help-desk] over: help: is this deployment's again"


@pytest.mark.parametrize("waiting, letters", [("5h", 1), ("9h", 0)])
def test_decisions_are_told_from_the_age_that_is_configured(desk, receiver, waiting, letters):
    change(desk, "UPDATE effect SET status = 'done' WHERE status = 'refused'; UPDATE mailbox SET awaiting = 0")
    configure(desk, f"{{to: [oncall@example.com], events: [decisions], waiting: {waiting}}}", receiver.port)
    turn(desk, 0)
    assert len(receiver.letters()) == letters


def test_what_is_not_critical_is_gathered_and_the_rate_holds(desk, receiver):
    configure(desk, "{to: [oncall@example.com], digest: 15m, rate: 2/1h, remind: 0s}", receiver.port)
    turn(desk, 0)
    change(desk, "UPDATE mailbox SET backlog = 5000 WHERE id = 'sales'")
    turn(desk, 14 * MINUTE + 30)  # the SMTP server and the silence are critical: told at once
    assert len(receiver.letters()) == 2
    change(desk, "UPDATE mailbox SET claim_owner = 'another' WHERE id = 'help'")
    turn(desk, 40 * MINUTE)
    turn(desk, 59 * MINUTE)
    assert len(receiver.letters()) == 2  # two in an hour
    turn(desk, 61 * MINUTE)
    last = text_of(receiver.letters()[2])
    assert "belongs to another deployment" in last and len(receiver.letters()) == 3


def test_what_is_not_critical_waits_for_the_next_digest(desk, receiver):
    configure(desk, "{to: [oncall@example.com], events: [decisions], digest: 15m}", receiver.port)
    turn(desk, 0)
    change(desk, "UPDATE mailbox SET awaiting = 9 WHERE id = 'help'")
    turn(desk, 5 * MINUTE)
    turn(desk, 14 * MINUTE)
    assert len(receiver.letters()) == 1
    turn(desk, 16 * MINUTE)
    assert "help: 9 mails from before await the choice" in text_of(receiver.letters()[1])


def test_a_person_s_pause_is_no_news(desk, receiver):
    configure(desk, "{to: [oncall@example.com]}", receiver.port)
    turn(desk, 0)
    assert "paused" not in text_of(receiver.letters()[0])


# ---- by mail ----------------------------------------------------------------------------------------------------


def test_a_notice_has_its_own_identity_starts_no_loop_and_holds_nothing_of_any_mail(desk, receiver):
    configure(desk, '{to: [oncall@example.com, second@example.com], from: "Watch <watch@example.net>"}', receiver.port)
    turn(desk, 0)
    one, two = receiver.letters()
    assert (one["To"], two["To"]) == ("oncall@example.com", "second@example.com")
    assert one["From"] == "Watch <watch@example.net>" and one["Auto-Submitted"] == "auto-generated"
    assert one["X-Auto-Response-Suppress"] == "All" and re.fullmatch(r"<notice\.[0-9a-f]{32}@example\.net>", one["Message-ID"])
    assert one["Message-ID"] == two["Message-ID"] and "X-Onecase-Acknowledgement" not in one
    whole = one.as_string().replace("oncall@example.com", "").replace("watch@example.net", "")
    assert not re.search(r"HD-|printer|Invoice|@example\.(com|net|org|jp)|[0-9a-f]{64}", whole.replace(one["Message-ID"], ""))
    assert all(len(line) <= 998 for line in one.as_string().splitlines())


def test_a_server_that_fails_delays_nothing_and_is_seen(desk, tmp_path):
    configure(desk, "{to: [oncall@example.com]}")  # nobody listens there
    turn(desk, 0)
    said = desk.run("check", status=2).stdout
    assert "notices by mail fail since 18:30 (" in said and "oncall" not in said
    said = desk.run("status").stdout
    assert "notices by mail fail since 18:30: " in said and "oncall" not in said
    metrics = desk.run("metrics", STILL_CLOCK=str(EVENING + 60)).stdout
    assert 'onecase_notices_total{channel="mail",outcome="deferred"} 1\n' in metrics
    assert 'onecase_notices_failing_seconds{channel="mail"} 60\n' in metrics
    turn(desk, 60)  # not tried again at once
    receiver = Receiver(tmp_path)
    try:
        desk.config.write_text(desk.config.read_text().replace("port: 1, security: none}\n  from", f"port: {receiver.port}, security: none}}\n  from"))
        turn(desk, 10 * MINUTE)
        assert len(receiver.letters()) == 1
        assert "notices by mail" not in desk.run("check", status=2).stdout + desk.run("status").stdout
    finally:
        receiver.end()


@pytest.mark.parametrize("notify, says", [
    ("{to: [help@example.org]}", 'to: help@example.org is an address of the mailbox "help"'),
    ("{to: [HELP+x@example.org]}", 'is an address of the mailbox "help"'),
    ("{to: [a@example.com], events: [all]}", 'events: there is no "all": expected decisions, trouble or clear'),
    ("{webhook: 'http://chat.example.org/'}", "webhook: expected a URL that begins with https://"),
    ("{to: [x]}", "to"), ("{rate: often}", "rate"), ("{tell: me}", "tell"),
])
def test_what_cannot_be_is_refused_at_the_start(desk, notify, says):
    configure(desk, notify)
    assert says in desk.run("status", status=78).stderr


# ---- by webhook -------------------------------------------------------------------------------------------------


def test_a_post_is_signed_as_standard_webhooks_are(desk, hook):
    secret = base64.b64encode(b"a secret of 24 octets ..").decode()
    (desk.folder / "secret").write_text(f"whsec_{secret}\n")
    configure(desk, f"{{webhook: 'http://127.0.0.1:{hook.server_port}/hook', webhook_secret_file: secret}}")
    turn(desk, 0)
    (headers, body), = hook.posts
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    mac = base64.b64encode(hmac.new(base64.b64decode(secret), signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{mac}" and headers["webhook-timestamp"] == str(EVENING)
    said = json.loads(body)
    assert said["type"] == "onecase.notice" and said["timestamp"] == "2026-03-02T18:30:00Z"
    assert said["data"]["deployment"] == "help-desk"
    line, = [one for one in said["data"]["lines"] if one["kind"] == "waiting-age"]
    assert line == {"state": "new", "kind": "waiting-age", "mailbox": "help", "level": "warning",
                    "text": "a mail has waited 5 h for your decision", "since": "2026-03-02T12:35:08Z"}


def test_a_post_that_was_not_taken_is_tried_again_under_the_same_id(desk, hook):
    hook.answers += [500, 429, 204]
    configure(desk, f"{{webhook: 'http://127.0.0.1:{hook.server_port}/', remind: 0s, events: [decisions]}}")
    for minutes in (0, 1, 6, 8, 17, 30):
        turn(desk, minutes * MINUTE)
    assert [post[0]["webhook-timestamp"] for post in hook.posts] == [str(EVENING + m * MINUTE) for m in (0, 6, 17)]
    assert len({post[0]["webhook-id"] for post in hook.posts}) == 1 and "webhook-signature" not in hook.posts[0][0]


def test_each_channel_remembers_for_itself(desk, hook, receiver):
    hook.answers += [500]
    configure(desk, f"{{to: [oncall@example.com], webhook: 'http://127.0.0.1:{hook.server_port}/', events: [decisions]}}", receiver.port)
    turn(desk, 0)
    turn(desk, 10 * MINUTE)
    assert len(receiver.letters()) == 1 and len(hook.posts) == 2


# ---- the monthly report -----------------------------------------------------------------------------------------


def test_the_report_of_the_last_month_goes_to_the_owner_once(desk, receiver):
    configure(desk, "{report: monthly}", receiver.port)
    turn(desk, 0)  # nothing arrived in February
    assert receiver.letters() == []
    for days in (29.5, 30, 45):
        turn(desk, int(days * DAY))
    report, = receiver.letters()
    assert report["To"] == "service-desk@example.org" and report["Subject"] == "[onecase help-desk] duplicate report of 2026-03"
    assert "      11  arrivals\n" in text_of(report) and report["Auto-Submitted"] == "auto-generated"
    page, = report.iter_attachments()
    assert page.get_filename() == "report.html"
    assert page.get_content().replace("\r\n", "\n").startswith("<!DOCTYPE html>") and "From 2026-03-01 00:00:00 until 2026-04-01" in page.get_content()


def test_a_report_that_cannot_leave_is_tried_again(desk, hook):
    configure(desk, "{report: monthly}")
    turn(desk, 30 * DAY)
    turn(desk, 30 * DAY + 10 * MINUTE)
    turn(desk, 30 * DAY + 70 * MINUTE)
    assert 'onecase_notices_total{channel="mail",outcome="deferred"} 2\n' in desk.run("metrics").stdout


# ---- the service -------------------------------------------------------------------------------------------------


def test_the_service_tells_by_a_process_of_its_own(desk, receiver):
    configure(desk, "{to: [oncall@example.com]}", receiver.port)
    run = subprocess.Popen([PROGRAM, "run"], env=desk.environment(), stderr=subprocess.PIPE, text=True)
    try:
        waited = threading.Event()
        for _ in range(200):
            if receiver.letters():
                break
            waited.wait(0.05)
        assert len(receiver.letters()) == 1
    finally:
        run.terminate()
        run.communicate(timeout=20)
    assert run.returncode == 0
