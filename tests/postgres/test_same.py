# SPDX-License-Identifier: Apache-2.0
"""A ledger in which everything has happened once says the same in PostgreSQL as in SQLite: what is read of it,
and what becomes of decisions."""
import difflib
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]

PROGRAM = Path(os.environ.get("ONECASE", TOP / "build" / "onecase")).resolve()
TOOLS = PROGRAM.parent / "tests"
EVENING = 1772476200  # 2026-03-02T18:30:00Z

CONFIGURATION = """\
name: help-desk
environment: production
owner: service-desk@example.org
timezone: UTC
data_dir: {folder}/data
ledger: {ledger}
templates_dir: {top}/templates
mailboxes:
  - id: help
    imap: {{host: 127.0.0.1, port: 1, security: none, username: help, password: secret}}
    addresses: [help@example.org]
  - id: sales
    imap: {{host: 127.0.0.1, port: 1, security: none, username: sales, password: secret}}
acknowledgement:
  smtp: {{host: 127.0.0.1, port: 1, security: none}}
  from: Service Desk <help@example.org>
  evidence: {{folder: Sent}}
console: {{listen: ""}}
"""

READS = [
    ["status"], ["status", "--json"], ["check"], ["metrics"], ["items"], ["items", "--not-told"], ["items", "--state", "needs_reconciliation"],
    ["items", "--mailbox", "help", "--older-than", "1h", "--limit", "3"], ["deliveries"], ["deliveries", "--state", "duplicate"],
    ["cases"], ["suspects"], ["deployments"], ["user", "list"], ["token", "list"],
    ["report", "duplicates", "--since", "2026-03-01"], ["report", "duplicates", "--since", "2026-03-01", "--format", "html"],
    ["report", "replays", "--since", "2026-03-01"], ["report", "decisions", "--since", "2026-03-01"],
    ["replay", "--state", "complete"], *(["replay", "--state", "complete", "--json", "--where", where] for where in (
        "from=ANN@example.com", "domain=EXAMPLE.com", "mailbox=help", "reason=conflict", "case=hd-wzdvm6yg")),
]
PAGES = ["/", "/queue", "/waiting/queue", "/waiting/not-told", "/waiting/webhooks", "/mails", "/mails?state=complete&mailbox=help", "/mails/replay",
         "/mails/replay?state=complete&only=domain%3Dexample.com", "/mails/replay/1", "/cases", "/cases?q=printer", "/not-told", "/webhooks", "/rules",
         "/duplicates?since=2026-03-01", "/duplicates?since=2026-03-01&until=2026-03-02T18:00:00Z", "/arrivals?figure=redelivered&since=0&until=9999999999999",
         "/audit", "/audit?since=1&asked=1&by=ann", "/health", "/deployments", f"/deployments?after={'a' * 32}", "/rules?after=1",
         "/mails/replay?after=2"]


class Desk:
    def __init__(self, folder, ledger, path):
        self.folder = folder
        (folder / "data").mkdir(parents=True, mode=0o700)
        made = subprocess.run([TOOLS / "cli_ledger", path], capture_output=True, text=True)
        assert made.returncode == 0, made.stdout + made.stderr
        (folder / "onecase.yaml").write_text(CONFIGURATION.format(folder=folder, ledger=ledger, top=TOP))

    def environment(self):
        return {"PATH": os.environ["PATH"], "TZ": "UTC", "LD_PRELOAD": str(TOOLS / "still_clock.so"),
                "STILL_CLOCK": str(EVENING), "ONECASE_CONFIG": str(self.folder / "onecase.yaml"), "COLUMNS": "100"}

    def run(self, *words, said=""):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=self.environment(), input=said)
        said = re.sub(r"(?m)^onecase_disk_free_bytes .*\n", "", done.stdout)
        return [text.replace(str(self.folder), "") for text in (str(done.returncode), said, done.stderr)]


@pytest.fixture
def both(server, tmp_path, request):
    url = server.make_database(request.node.name)
    return (Desk(tmp_path / "a", "sqlite", str(tmp_path / "a" / "data" / "ledger.db")), Desk(tmp_path / "b", url, url))


def differences(both, *words):
    """What the two say otherwise."""
    sqlite, postgres = ("\n".join(desk.run(*words)).splitlines() for desk in both)
    return [f"{' '.join(words)}: {line}" for line in difflib.unified_diff(sqlite, postgres, lineterm="", n=0)]


def names(both, *words, of):
    return re.findall(rf'"{of}": *"([^"]+)"', both[0].run(*words, "--json")[1])


def test_what_is_read_is_the_same(both):
    keys, references = names(both, "items", of="key"), names(both, "cases", of="reference")
    assert len(keys) > 8 and len(references) > 5
    found = []
    for words in [*READS, *(["item", key, "--json"] for key in keys[::2]), *(["case", reference, "--json"] for reference in references[::2])]:
        found += differences(both, *words)
    assert not found, "\n".join(found)


OFTEN = 12


def await_rows(server, database, text):
    until = time.monotonic() + 30
    while not (rows := server.sql(database, text)):
        assert time.monotonic() < until, text
        time.sleep(0.05)
    return rows


def pages(desk, port):
    """What the console shows of each, without what is another at each look."""
    configuration = desk.folder / "onecase.yaml"
    configuration.write_text(configuration.read_text().replace('listen: ""', f'listen: "127.0.0.1:{port}"'))
    desk.run("user", "add", "ann", "--role", "admin", said="correct horse battery\n")
    process = subprocess.Popen([PROGRAM, "console"], env=desk.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        until = time.monotonic() + 30
        while True:
            try:
                browser.open(f"http://127.0.0.1:{port}/sign-in", b"name=ann&password=correct+horse+battery").read()
                break
            except urllib.error.URLError:
                assert time.monotonic() < until and process.poll() is None
                time.sleep(0.02)
        for _ in range(OFTEN):  # until the server plans it no more for each time
            browser.open(f"http://127.0.0.1:{port}/cases?q=printer").read()
        shown = {path: browser.open(f"http://127.0.0.1:{port}{path}").read().decode() for path in PAGES}
    finally:
        process.terminate()
        process.wait(30)
    return {path: re.sub(r'[0-9a-f]{64}|\d+ [MGT]B[^<]*', "", text) for path, text in shown.items()}


def test_what_the_console_shows_is_the_same(both, server, request):
    ports = []
    for _ in both:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            ports.append(s.getsockname()[1])
    for desk in both:
        status, _, why = desk.run("replay", "--state", "complete", "--where", "mailbox=help", "--approve", "--by", "bob", "--reason", "as a test")
        assert status == "0", why
    for setting in ("track_functions = 'all'", "enable_bitmapscan = off"):  # off: as in a large ledger, along the cases' numbers
        server.sql("postgres", f'ALTER DATABASE "{request.node.name}" SET {setting}')
    sqlite, postgres = (pages(desk, port) for desk, port in zip(both, ports))
    (made,) = await_rows(server, request.node.name, "SELECT calls FROM pg_stat_user_functions WHERE funcname = 'case_query'")
    assert int(made) <= 2 * (OFTEN + 1), "what is looked for is made of the words once, and not for each case"
    found = [line for path in PAGES for line in difflib.unified_diff(sqlite[path].splitlines(), postgres[path].splitlines(), path, path, lineterm="", n=0)]
    found = [line for line in found if line[:1] in "-+" and line[:3] not in ("---", "+++")]
    assert found and not [line for line in found if "ledger SQLite, " not in line and "ledger PostgreSQL, " not in line], "\n".join(found)
    assert "postgresql:" not in "".join(postgres.values()), "where the ledger is, is not for everybody"
    assert "as a test" in sqlite["/mails/replay/1"]


def test_users_come_go_and_come_again_alike(both):
    for desk in both:
        for words in (["user", "add", "ann", "--role", "owner"], ["user", "remove", "ann"], ["user", "add", "ann", "--role", "admin"]):
            status, _, why = desk.run(*words, said="correct horse battery\n")
            assert status == "0", why
    assert differences(both, "user", "list", "--json") == []
    assert names(both, "user", "list", of="role") == ["admin"]


def test_what_is_decided_is_the_same(both):
    keys, references = names(both, "items", of="key"), names(both, "cases", of="reference")
    by = ["--by", "Ann", "--reason", "it is so"]
    found = []
    for key in keys:
        for decision in (["--acknowledgement", "sent"], ["--conflict", "new-case"]):
            found += differences(both, "resolve", key, *decision, *by)
    for key in keys[:3]:
        found += differences(both, "resolve", key, "--undo", *by)
        found += differences(both, "replay", key, "--approve", *by)
    for what in (["--close"], ["--reopen"]):
        found += differences(both, "case", references[0], *what, *by)
    found += differences(both, "case", references[1], "--merge-into", references[2], *by)
    for words in (["pause", "--mailbox", "help", *by], ["resume", "--mailbox", "help", *by], ["status", "--json"], ["items", "--json"],
                  ["report", "decisions", "--since", "2026-03-01", "--json"], ["verify"]):
        found += differences(both, *words)
    assert not found, "\n".join(found)
