# SPDX-License-Identifier: Apache-2.0
"""The console on a ledger in which everything has happened once (tests/cli/cli_ledger.c)."""
import http.client
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.parse
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("ONECASE", TOP / "build" / "onecase")).resolve()
TOOLS = PROGRAM.parent / "tests"
ROLES = ["viewer", "operator", "owner", "admin"]
SECRET = "a-secret-of-the-mailbox"

CONFIGURATION = """\
name: help-desk
environment: production
owner: service-desk@example.org
timezone: Australia/Perth
data_dir: data
templates_dir: {templates}
approval: {approval}
mailboxes:
  - id: help
    imap: {{host: 127.0.0.1, port: 1, security: none, username: help, password: {secret}}}
    addresses: [help@example.org]
  - id: sales
    imap: {{host: 127.0.0.1, port: 1, security: none, username: sales, password: {secret}}}
acknowledgement:
  smtp: {{host: 127.0.0.1, port: 1, security: none}}
  from: Service Desk <help@example.org>
  evidence: {{folder: Sent}}
console: {{listen: "127.0.0.1:{port}"{more}}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Visitor:
    """A browser as far as it matters: it keeps its cookie."""

    def __init__(self, desk):
        self.desk, self.cookie = desk, ""

    def ask(self, method, path, form=None, body=None, **headers):
        link = http.client.HTTPConnection("127.0.0.1", self.desk.port, timeout=30)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            headers.setdefault("Cookie", "onecase=" + self.cookie)
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        link.request(method, path, body, headers)
        answer = link.getresponse()
        answer.octets = answer.read()
        answer.text = answer.octets.decode("utf-8", "replace")
        answer.to = answer.getheader("Location")
        given = re.search(r"onecase=([^;]*)", answer.getheader("Set-Cookie") or "")
        if given:
            self.cookie = given[1]
        link.close()
        return answer

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def token(self):
        return re.search(r'name="form_token" value="([0-9a-f]{64})"', self.get("/health").text)[1]

    def post(self, path, **form):
        return self.ask("POST", path, {"form_token": self.token(), **form})

    def sign_in(self, name, password=None):
        return self.ask("POST", "/sign-in", {"name": name, "password": password or PASSWORD})


PASSWORD = "correct horse battery"


class Desk:
    def __init__(self, folder, approval="one-person", more=""):
        self.folder, self.port, self.process = folder, free_port(), None
        self.config = folder / "onecase.yaml"
        self.config.write_text(CONFIGURATION.format(templates=TOP / "templates", approval=approval,
                                                    secret=SECRET, port=self.port, more=more))

    def run(self, *words, status=0, said=None):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, input=said, env=self.environment())
        assert status is None or done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def environment(self):
        return {"PATH": os.environ["PATH"], "TZ": "UTC", "COLUMNS": "100", "ONECASE_CONFIG": str(self.config)}

    def start(self, *words):
        self.log = open(self.folder / "log", "a+")
        self.process = subprocess.Popen([PROGRAM, *(words or ["console"])], stderr=self.log, stdout=self.log,
                                        env=self.environment())
        self.wait_for_port()
        return self

    def wait_for_port(self):
        until = time.monotonic() + 30
        while True:
            assert self.process.poll() is None and time.monotonic() < until, (self.folder / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            status = self.process.wait(timeout=30)
            self.log.close()
            self.process = None
            return status

    def visitor(self, name=None):
        visitor = Visitor(self)
        if name:
            assert visitor.sign_in(name).status == 303
        return visitor

    def sql(self, text, *values):
        with sqlite3.connect(self.folder / "data/ledger.db", timeout=10) as db:
            return db.execute(text, values).fetchall()


@pytest.fixture(scope="session")
def ledger(tmp_path_factory):
    """With a user of each role; their passwords cost a while each."""
    assert PROGRAM.exists(), f"{PROGRAM} is not built; ONECASE says which program to test"
    folder = tmp_path_factory.mktemp("ledger")
    (folder / "data").mkdir(mode=0o700)
    made = subprocess.run([TOOLS / "cli_ledger", folder / "data/ledger.db"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    desk = Desk(folder)
    for role in ROLES:
        desk.run("user", "add", role, "--role", role, said=PASSWORD + "\n")
    return folder / "data"


def new_desk(ledger, folder, **more):
    shutil.copytree(ledger, folder / "data")
    return Desk(folder, **more)


@pytest.fixture
def desk(ledger, tmp_path):
    """One for a test that changes something."""
    desk = new_desk(ledger, tmp_path).start()
    yield desk
    assert desk.stop() == 0


@pytest.fixture(scope="module")
def shown(ledger, tmp_path_factory):
    """One for all tests that only look."""
    desk = new_desk(ledger, tmp_path_factory.mktemp("shown")).start()
    desk.sql("INSERT INTO bulk (id, selection, resend, person, begun_at) VALUES (1, 'replay received', 0, 'bob', 1772440000000)")
    desk.sql("INSERT INTO bulk_item (bulk, key) SELECT 1, key FROM item WHERE state = 'complete'")
    desk.visitors = {role: desk.visitor(role) for role in ROLES}
    yield desk
    assert desk.stop() == 0


@pytest.fixture(scope="session")
def chrome():
    """The browser of all tests that want one."""
    from selenium import webdriver  # pylint: disable=import-outside-toplevel
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    yield driver
    driver.quit()
