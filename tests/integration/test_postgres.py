# SPDX-License-Identifier: Apache-2.0
"""The program on a ledger in PostgreSQL: what is true on SQLite is true there, also where connections are cut
and servers die."""
import itertools
import os
import re
import shutil
import signal
import subprocess

import pytest

import mails
from authority import Authority
from mails import plain
from postgres import Cutter, Pooler, Postgres
from rig import TOP, assert_invariants, await_


@pytest.fixture(scope="module")
def server(scratch):
    with Postgres() as postgres:
        yield postgres


@pytest.fixture
def desk(make_rig, server):
    """A rig whose ledger is a database of its own."""
    rig = make_rig()
    rig.settings["ledger"] = server.make_database(rig.user)
    return rig


def test_varied_mails_and_their_copies_are_a_case_each(desk, server):
    varied = mails.varied()[:12]
    desk.deliver(*varied)
    first = desk.once()
    assert first["new"] == 12 and first["completed"] == 12
    desk.deliver(*varied[:3])
    second = desk.once()
    assert second["new"] == 0 and second["duplicates"] == 3
    assert_invariants(desk)
    assert server.sql(desk.user, "SELECT COUNT(*) FROM case_record") == ["12"]
    assert not (desk.data / "ledger.db").exists()


def test_what_its_own_tools_do_says_so(desk, tmp_path):
    desk.once()
    (tmp_path / "saved").mkdir(mode=0o700)
    assert "save a database by its own means" in desk.run("backup", str(tmp_path / "saved"), status=64).stderr
    assert "0 disagreements" in desk.run("verify").stdout


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(desk, server):
    first = mails.varied()[:3]
    desk.deliver(*first)
    desk.once()
    desk.deliver(first[0], plain("new"))
    before = server.sql(desk.user, "SELECT number, hash FROM event ORDER BY number DESC LIMIT 1"), desk.uids()
    said = desk.json("run", "--once", "--dry-run")
    assert sorted(would["class"] for would in said["messages"]) == ["first", "redelivered"], said
    assert (server.sql(desk.user, "SELECT number, hash FROM event ORDER BY number DESC LIMIT 1"), desk.uids()) == before
    assert desk.once()["duplicates"] == 1


def as_documented(which, urls, folder, *more):
    """Runs what doc/backups.md says of `which`, on these databases; `more` is said after the first word."""
    script = re.search(rf"<!-- {which} begin -->\n```sh\n(.*?)```", (TOP / "doc/backups.md").read_text(), re.S)[1]
    for line in script.splitlines():
        if not line.startswith("rsync"):
            first, *words = [urls.get(word.rpartition("/")[2], word) for word in line.split()]
            subprocess.run([first, *more, *words], check=True, cwd=folder)


def test_L09_a_database_restored_from_a_dump_is_one_that_went_back_in_time(desk, server, tmp_path):
    desk.letters["evidence"] = {"wait": "1s"}
    before = [plain(f"before{n}") for n in range(3)]
    desk.deliver(*before)
    desk.once()
    as_documented("dump", {"onecase": desk.settings["ledger"]}, tmp_path)
    desk.deliver(plain("after"))
    desk.once()
    cases, told = {c["key"]: c["reference"] for c in desk.json("cases")}, len(desk.acknowledgements())
    assert told == len(cases) == 4
    desk.settings["ledger"] = server.make_database(desk.user + "-back")
    as_documented("restore", {"onecase_back": desk.settings["ledger"]}, tmp_path)
    assert desk.counts()["complete"] == 3
    desk.deliver(before[0])
    back = desk.once()
    assert (back["new"], back["duplicates"]) == (1, 1), "what was filed since has its case again, and a copy is one"
    assert {c["key"]: c["reference"] for c in desk.json("cases")} == cases, "by the same reference"
    await_(lambda: desk.once()["needs_reconciliation"] == 1, "a person is asked")
    assert len(desk.acknowledgements()) == told, "nobody is told twice"


def cut_each(desk, server, when):
    """Runs with a new mail each, of which the n-th is cut at the n-th COMMIT of all its processes; how many that
    were. A COMMIT that was refused, or not answered, is no failure of a run's: it goes on."""
    for number in itertools.count(1):
        desk.deliver(plain(f"{when}{number}"))
        with Cutter(server.port, number, when) as cutter:
            desk.settings["ledger"] = server.url(desk.user, cutter.port)
            done = desk.run("run", "--once", status=None)
        if not cutter.happened:
            return number
        assert done.returncode in (0, 69), done.stderr


@pytest.mark.parametrize("when", ["before", "after"])
def test_L08_a_connection_cut_at_any_commit_loses_and_doubles_nothing(desk, server, when):
    number = cut_each(desk, server, when)
    assert number > 12, "there are more commits than that in a mail's life"
    desk.settings["ledger"] = server.url(desk.user)
    desk.once()
    assert_invariants(desk)
    assert desk.counts()["complete"] == number
    assert len(desk.acknowledgements()) == number


def killed_at(desk, server, number, when):
    """Whether a run was killed at that COMMIT; all its processes were."""
    run = []
    with Cutter(server.port, number, when, lambda: os.killpg(run[0].pid, signal.SIGKILL)) as cutter:
        desk.settings["ledger"] = server.url(desk.user, cutter.port)
        run.append(desk.popen("run", "--once"))
        desk.said += run[0].communicate(timeout=60)[1]
    return cutter.happened


def test_L08_a_run_killed_at_any_commit_loses_and_doubles_nothing(desk, server):
    desk.once()  # makes the tables
    for number in itertools.count(1):
        desk.deliver(plain(f"killed{number}"))
        if not killed_at(desk, server, number, ["before", "after"][number % 2]):
            break
    assert number > 12
    desk.settings["ledger"] = server.url(desk.user)
    await_(lambda: not desk.once()["deferred"], "nothing is deferred")
    assert_invariants(desk, killed=True)
    states = desk.counts()
    assert states["complete"] + states["needs_reconciliation"] == number
    assert {i["reason"] for i in desk.items("--state", "needs_reconciliation")} <= {"acknowledgement-unknown"}


@pytest.mark.parametrize("when", ["before", "after"])
def test_L08_a_persons_command_cut_at_its_commit_stands_once(desk, server, when):
    desk.once()
    for number in itertools.count(1):
        with Cutter(server.port, number, when) as cutter:
            desk.settings["ledger"] = server.url(desk.user, cutter.port)
            desk.run("pause", "--mailbox", "help", "--by", "ann", "--reason", f"reason {number}")
        assert server.sql(desk.user, "SELECT COUNT(*) FROM event WHERE what = 'pause'") == [str(number)]
        if not cutter.happened:
            break
    assert number > 1


def test_L08_a_person_is_told_when_nobody_knows_what_became_of_a_command(desk, server):
    desk.once()
    with Cutter(server.port, 1, "after", server.crash) as cutter:
        desk.settings["ledger"] = server.url(desk.user, cutter.port)
        done = desk.run("pause", "--mailbox", "help", "--by", "ann", "--reason", "why", status=None)
    server.start()
    assert done.returncode == 75
    assert "whether it was written is not known" in done.stderr and "see whether it stands" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1


def test_L08_a_service_goes_on_when_its_server_has_crashed_and_is_back(desk, server):
    service = desk.serve()
    desk.deliver(plain("before"))
    await_(lambda: desk.counts()["complete"] == 1, "the first is complete")
    server.crash()
    desk.deliver(plain("meanwhile"))
    await_(lambda: service.said("connection"), "the service has noticed")
    assert desk.run("status", status=None).returncode in (69, 75)
    server.start()
    await_(lambda: desk.counts()["complete"] == 2, "both are complete")
    assert service.end() == 0
    assert_invariants(desk)


def test_behind_a_pooler_each_transaction_may_meet_another_connection(desk, server):
    with Pooler(server) as pooler:
        desk.settings["ledger"] = server.url(desk.user, pooler.port)
        service = desk.serve()
        for number in range(6):
            desk.deliver(plain(f"pooled{number}"))
        await_(lambda: desk.counts()["complete"] == 6, "all are complete")
        desk.run("pause", "--mailbox", "help", "--by", "ann", "--reason", "why")
        desk.deliver(plain("paused"))
        await_(lambda: desk.counts()["received"] == 1, "new mail is recorded")
        desk.run("resume", "--mailbox", "help", "--by", "ann", "--reason", "why")
        await_(lambda: desk.counts()["complete"] == 7, "whoever is not told of it looks")
        assert service.end() == 0
        assert_invariants(desk)


def test_TLS_a_server_that_does_not_prove_who_it_is_is_refused(desk, servers):
    """Over TCP to `localhost`, whose name its certificate has; 127.0.0.1 is none of its names."""
    certificate, key = servers.authority.issue("database")
    with Postgres() as postgres:
        for path, name in ((certificate, "server.crt"), (key, "server.key")):
            shutil.copy(path, postgres.data / name)
            (postgres.data / name).chmod(0o600)
            if os.geteuid() == 0:
                shutil.chown(postgres.data / name, "nobody", "nogroup")
        postgres.sql("postgres", "ALTER SYSTEM SET ssl = on")
        postgres.sql("postgres", "SELECT pg_reload_conf()")
        postgres.make_database("desk")
        url = f"postgresql://onecase@{{host}}:{postgres.port}/desk?sslmode=verify-full&sslrootcert={{authority}}"
        desk.settings["ledger"] = url.format(host="localhost", authority=servers.authority.file)
        desk.deliver(plain("verified"))
        desk.once()
        assert desk.counts()["complete"] == 1
        other = Authority(desk.folder / "other")
        for host, authority in (("127.0.0.1", servers.authority.file), ("localhost", other.file)):
            desk.settings["ledger"] = url.format(host=host, authority=authority)
            done = desk.run("status", status=None)
            assert done.returncode == 74 and "does not prove who it is" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def role_statements():
    text = (TOP / "doc" / "several-machines.md").read_text()
    return text.split("<!-- roles begin -->")[1].split("```sql\n")[1].split("```")[0]


def set_up(postgres, name, roles=True):
    """A database with the rights that doc/several-machines.md gives; without its roles where they are there."""
    before, after = role_statements().replace("DATABASE onecase", f"DATABASE {name}").split("\\connect onecase\n")
    for database, statements in (("postgres", before), (name, after)):
        for statement in statements.replace("ROLE onecase ", "ROLE worker ").replace("TO onecase", "TO worker").split(";\n"):
            if roles or not statement.startswith("CREATE ROLE"):
                postgres.sql(database, statement)


def test_the_roles_of_the_documents_are_enough_and_no_more(desk, tmp_path):
    with Postgres() as postgres:
        set_up(postgres, "onecase")
        desk.settings["ledger"] = postgres.url("onecase", user="onecase_owner")
        desk.run("doctor", status=None)
        desk.settings["ledger"] = postgres.url("onecase", user="worker")
        desk.deliver(*mails.varied()[:4])
        assert desk.once()["completed"] == 4
        desk.run("pause", "--by", "ann", "--reason", "why")
        assert_invariants(desk)
        assert postgres.sql("onecase", "SELECT has_schema_privilege('worker', 'public', 'CREATE')") == ["f"]

        as_documented("dump", {"onecase": postgres.url("onecase", user="onecase_owner")}, tmp_path)
        set_up(postgres, "onecase_back", roles=False)
        as_documented("restore", {"onecase_back": postgres.url("onecase_back", user="onecase_owner")}, tmp_path, "--no-privileges")
        desk.settings["ledger"] = postgres.url("onecase_back", user="worker")
        desk.run("resume", "--by", "ann", "--reason", "mended")
        desk.deliver(plain("after"))
        assert desk.once()["completed"] == 1
        assert desk.counts()["complete"] == 5


@pytest.mark.parametrize("sql, url, says", [
    ("", "postgresql://onecase@127.0.0.1:{port}/no-such", "CREATE DATABASE"),
    ("", "postgresql://stranger@127.0.0.1:{port}/{name}", "does not let this role in"),
    ("", "postgresql://onecase@127.0.0.1:1/{name}", "does not answer"),
    ("", "postgresql://onecase@db.invalid/{name}?sslmode=require", "does not prove who answers"),
    ("CREATE TABLE theirs (a int)", None, "no ledger"),
    ("CREATE ROLE guest LOGIN", "postgresql://guest@127.0.0.1:{port}/{name}", "lacks a right"),
    ("ALTER ROLE onecase SET synchronous_commit = off", None, "ALTER ROLE"),
    ('ALTER DATABASE "{name}" SET default_transaction_read_only = on', None, "takes no writes"),
    ("CREATE SCHEMA old; CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS"
     " $$ SELECT CASE $1 WHEN 'server_version_num' THEN '140011' ELSE pg_catalog.current_setting($1) END $$",
     "postgresql://onecase@127.0.0.1:{port}/{name}?options=-csearch_path%3Dold,pg_catalog,public", "PostgreSQL 15 is needed"),
    ("CREATE SCHEMA other; CREATE FUNCTION other.version() RETURNS text LANGUAGE sql AS $$ SELECT 'CockroachDB CCL v24' $$",
     "postgresql://onecase@127.0.0.1:{port}/{name}?options=-csearch_path%3Dother,pg_catalog,public", "is no PostgreSQL"),
    ("", "postgresql://onecase@127.0.0.1:port/{name}", "is no such URL"),
], ids=["no database", "no role", "no server", "TLS not verified", "another program's", "no right", "not durable", "a standby", "an old server",
        "another kind of server", "no URL"])
def test_what_cannot_be_used_is_refused_in_one_line_that_says_what_to_do(desk, server, sql, url, says):
    if sql:
        server.sql(desk.user, sql.format(name=desk.user))
    if url:
        desk.settings["ledger"] = url.format(port=server.port, name=desk.user)
    try:
        done = desk.run("run", "--once", status=None)
    finally:
        server.sql("postgres", "ALTER ROLE onecase RESET synchronous_commit")
    assert done.returncode in (69, 74)
    assert says in done.stderr and "onecase@" not in done.stderr and done.stderr.count("\n") == 1, done.stderr
