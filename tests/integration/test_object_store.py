# SPDX-License-Identifier: Apache-2.0
"""The program with its files in an object store: what is true of a folder is true there. Rows B02, B03, B05."""
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time
import urllib.parse
from pathlib import Path

import pytest

import mails
from mails import MARKER, PDF, part, plain, sender, with_parts
from object_store import ACCESS, SECRET, Faulty, Swift
from rig import TOP, assert_invariants, await_, sha256

BUCKET = "mail"
PEOPLE = ["--by", "Ann", "--reason", "request 2026-17"]
LARGE = b"%PDF-1.4\n" + bytes(range(256)) * (21 << 10)  # sent in two parts


@pytest.fixture(scope="module")
def store(scratch):
    with Swift() as swift:
        swift.make_bucket(BUCKET)
        yield swift


@pytest.fixture
def desk(make_rig, store):
    rig = make_rig()
    rig.on_store(store, BUCKET)
    rig.settings["s3"]["part_size"] = "5MB"
    return rig


def test_the_port_of_files_keeps_its_contract_there(store):
    program = Path(os.environ.get("ONECASE_UNIT", TOP / "build" / "asan" / "tests")) / "test_blob_port"
    where = f"http://127.0.0.1:{store.port} {ACCESS} {SECRET} {BUCKET}"
    done = subprocess.run([program], env={**os.environ, "ONECASE_TEST_S3": where}, capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-6000:]
    assert len(re.findall(r"^\[       OK \]", said, re.M)) == len(re.findall(r"^\[ RUN      \]", said, re.M)) > 0


def attached(name, octets=PDF, **more):
    return with_parts(name, part(f'attachment; filename="{name} {MARKER}+=é.pdf"', octets), **more)


def test_varied_mails_and_a_large_one_are_kept_whole_and_nothing_but_a_spool_is_on_the_disk(desk):
    varied = mails.varied()[:5]
    desk.deliver(*varied, attached("large", LARGE))
    first = desk.once(seconds=120)
    assert first["new"] == 6 and first["completed"] == 6
    desk.deliver(*varied[:2])
    assert desk.once()["duplicates"] == 2
    assert_invariants(desk)
    assert sha256(LARGE) in desk.files().values()
    assert not (desk.data / "items").exists() and not list((desk.data / "incoming").iterdir())
    for name in desk.files():
        assert re.fullmatch(r"items/([0-9a-f]{2})/\1[0-9a-f]{62}/(original\.eml|attachments/\d\d)", name), "no name that a sender gave"
    assert desk.run("verify").returncode == 0
    case = next(c for c in desk.json("cases") if c["subject"].startswith("About large"))
    assert f"s3://{BUCKET}/{desk.user}/items/" in desk.run("case", case["reference"]).stdout
    assert SECRET not in desk.said


def ends(desk):
    """Runs once, with a store that may be too slow: what cannot be read back may end the turn."""
    begun = time.monotonic()
    assert desk.run("run", "--once", status=None).returncode in (0, 69)
    assert time.monotonic() - begun < 40, "it would have waited for ever"
    return True


def all_complete(desk, count):
    return [item["state"] for item in desk.items()] == ["complete"] * count


WRONG = [
    ("slow-down", "PUT", 3, PDF), ("drop", "PUT", 2, PDF), ("lost", "PUT", 2, PDF), ("half", "GET .*/items/", 2, PDF),
    ("slow-down", "GET|HEAD", 3, PDF), ("slow-down", "PUT .*partNumber=2", 1, LARGE),
    ("lost", "POST .*uploadId", 1, LARGE),
]


def test_B05_whatever_goes_wrong_on_the_way_nothing_is_lost_or_half_and_nobody_told_twice(desk, store):
    with Faulty(store) as faulty:
        desk.settings["s3"].update(store.settings(faulty.port))
        for number, (how, kind, times, octets) in enumerate(WRONG):
            desk.deliver(attached(f"faulty{number}", octets))
            faulty.go_wrong(how, kind, times)
            await_(lambda: ends(desk) and all_complete(desk, number + 1), f"all is done: {how} {kind}", 60)
            assert faulty.faults == times, f"all of it went wrong: {how} {kind}"
        assert not store.uploads(BUCKET), "an upload that failed is ended"
    desk.on_store(store, BUCKET)
    assert_invariants(desk)
    assert desk.counts()["complete"] == len(WRONG) == len(desk.acknowledgements())


SLOW = [("stall", "PUT", PDF), ("trickle", "GET .*/items/", PDF)]


def test_B05_a_store_that_stalls_or_answers_octet_by_octet_is_waited_for_no_longer_than_s3_timeout(desk, store):
    with Faulty(store) as faulty:
        desk.settings["s3"].update(store.settings(faulty.port))
        for number, (how, kind, octets) in enumerate(SLOW):
            desk.deliver(attached(f"slow{number}", octets))
            faulty.go_wrong(how, kind)
            desk.settings["s3"]["timeout"] = "1s"
            await_(lambda: ends(desk) and faulty.faults == 1, f"it went wrong: {how} {kind}", 120)
            desk.settings["s3"]["timeout"] = "60s"
            await_(lambda: not desk.once()["deferred"], f"nothing is deferred: {how} {kind}", 60)
    desk.on_store(store, BUCKET)
    assert_invariants(desk)
    assert desk.counts()["complete"] == len(SLOW) == len(desk.acknowledgements())


def test_B02_B03_what_stands_there_is_never_overwritten_and_what_was_changed_is_found(desk, store):
    desk.deliver(attached("mine"))
    desk.once()
    item, = desk.items()
    path = f"items/{item['key'][:2]}/{item['key']}"
    store.put(BUCKET, f"{desk.user}/{path}/attachments/01", b"other octets")
    store.put(BUCKET, f"{desk.user}/items/ff/{'f' * 64}/original.eml", b"nobody's")
    said = desk.run("verify", status=1).stdout
    assert f"{path}/attachments/01" in said and "not what was stored" in said and "nothing in the ledger knows it" in said
    store.remove(BUCKET, f"{desk.user}/{path}/original.eml")
    assert f"{path}/original.eml: it is not there" in desk.run("verify", status=1).stdout
    taken = plain("taken")
    desk.deliver(taken)
    key = sha256(f"help:{re.search(rb'(?i)^message-id: *(<.*>)', taken, re.M)[1].decode()}".encode())
    name = f"{desk.user}/items/{key[:2]}/{key}/original.eml"
    store.put(BUCKET, name, b"somebody else's")
    desk.once()
    assert store.get(BUCKET, name) == b"somebody else's"
    assert [i["reason"] for i in desk.items("--state", "needs_reconciliation")] == ["file-differs"]


def test_B02_of_two_runs_that_write_at_one_instant_the_second_is_told_where_the_store_knows_the_condition(desk, store):
    with Faulty(store) as faulty:
        desk.settings["s3"].update(store.settings(faulty.port))
        faulty.conditional = True
        theirs = []

        def write_first(line):
            if line.startswith("PUT") and "original.eml" in line and not theirs:
                theirs.append(urllib.parse.unquote(line.split(" ")[1])[1:].split("/", 1)[1])
                store.put(BUCKET, theirs[0], b"the other's")

        faulty.before = write_first
        desk.deliver(plain("raced"))
        desk.once()
    assert store.get(BUCKET, theirs[0]) == b"the other's"
    assert [i["reason"] for i in desk.items("--state", "needs_reconciliation")] == ["file-differs"]


def test_files_are_exported_shown_archived_erased_saved_and_brought_back(desk, tmp_path):
    desk.deliver(attached("one"), attached("two"))
    desk.once()
    one = next(i for i in desk.items() if "About one" in desk.json("case", i["case"])["subject"])
    before = desk.files()

    desk.run("export", one["key"], "--to", str(tmp_path / "one.tar"))
    with tarfile.open(tmp_path / "one.tar") as bundle:
        inside = {sha256(bundle.extractfile(m).read()) for m in bundle if m.isfile()}
    assert {digest for name, digest in before.items() if one["key"] in name} <= inside

    desk.run("backup", str(tmp_path / "backup"))
    key, certificate = (str(tmp_path / f"recipient.{kind}") for kind in ("key", "pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=safe",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    desk.settings["backup"] = {"recipient": certificate}
    desk.run("backup", str(tmp_path / "sealed"))
    desk.run("erase", sender("one"), *PEOPLE)
    assert {name for name in before if one["key"] not in name} == set(desk.files()), "what was erased is gone, the rest is there"
    assert desk.run("verify").returncode == 0

    for saved, words in (("sealed", ("--key", key)), ("backup", ())):
        desk.data.rename(desk.data.with_name(f"lost-{saved}"))
        desk.run("restore", str(tmp_path / saved), *words)
        assert desk.files() == before and desk.run("verify", status=None).returncode == 0


def test_the_console_gives_files_that_the_store_has(desk):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    desk.settings["console"] = {"listen": f"127.0.0.1:{port}"}
    desk.deliver(attached("shown"))
    desk.once()
    case, = desk.json("cases")
    desk.run("user", "add", "ann", "--role", "owner", typed="correct horse battery\n")
    service = desk.serve()

    def ask(method, path, body=None, cookie=""):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        link.request(method, path, body, {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie,
                                          "Origin": f"http://127.0.0.1:{port}"})
        answer = link.getresponse()
        return answer.status, answer.headers, answer.read()

    def listens():
        try:
            return ask("GET", "/healthz")[0] == 200
        except OSError:
            return False

    await_(listens, "the console answers")
    _, headers, _ = ask("POST", "/sign-in", urllib.parse.urlencode({"name": "ann", "password": "correct horse battery"}))
    cookie = headers["Set-Cookie"].split(";")[0]
    status, _, octets = ask("GET", f"/case/{case['reference']}/file/1", cookie=cookie)
    assert status == 200 and octets == PDF
    assert service.end() == 0


@pytest.mark.parametrize("more, says", [
    ({"secret_key": "wrong"}, "s3.secret_key"),
    ({"access_key": "nobody"}, "check s3.access_key"),
    ({"region": "us-east-1"}, "mend s3.region"),
    ({"endpoint": "http://127.0.0.1:1"}, "cannot be connected to"),
], ids=["secret", "account", "region", "no server"])
def test_doctor_says_what_is_wrong_with_the_store(desk, more, says):
    desk.settings["s3"].update(more)
    found = next(f for f in desk.json("doctor", status=1) if f["what"].startswith("object store") and f["finding"] == "bad")
    assert says in found["mend"] and SECRET not in str(found)


def test_doctor_tries_the_store_and_leaves_nothing_there(desk, store):
    def found():
        return {f["what"].removeprefix("object store: "): f["finding"] for f in desk.json("doctor", status=None)
                if f["what"].startswith("object store")}

    good = {"an object can be written, read back and removed": "good", "its clock and this machine's agree": "good"}
    assert found() == {**good, "it never overwrites an object": "warning"}, "Swift answers 501"
    with Faulty(store) as faulty:
        desk.on_store(store, BUCKET, faulty.port)
        faulty.conditional = True
        assert found() == {**good, "it never overwrites an object": "good"}
    desk.on_store(store, BUCKET)
    assert store.objects(BUCKET, f"{desk.user}/") == {}
    desk.settings["blobs"] = "s3://no-such-bucket"
    bad = next(f for f in desk.json("doctor", status=1) if f["what"].startswith("object store"))
    assert "there is no such bucket" in bad["mend"]


def copied(desk, *words, **more):
    done = desk.json("migrate-blobs", *words, **more)
    return done["copied"], done["already"], done["missing"]


@pytest.fixture
def small(make_rig, store):
    """Three mails with their files in data_dir, and a store beside it."""
    rig = make_rig()
    rig.settings["s3"] = store.settings()
    rig.deliver(attached("one"), attached("two"), plain("three"))
    rig.once()
    return rig


def test_files_move_to_a_store_and_back_whatever_kills_it_and_copies_are_duplicates_after_it(small, store):
    rig, place = small, f"s3://{BUCKET}/{small.user}"
    here, first = rig.files(), rig.delivered[0]
    assert len(here) == 5
    with Faulty(store) as faulty:
        for number in (1, 3):
            rig.settings["s3"] = store.settings(faulty.port)
            process, sent = [], []

            def kill(line):
                if line.startswith("PUT") and len(sent) < number:
                    sent.append(line)
                    if len(sent) == number:
                        os.killpg(process[0].pid, signal.SIGKILL)

            faulty.before = kill
            process.append(rig.popen("migrate-blobs", "--to", place))
            process[0].communicate(timeout=60)
            assert process[0].returncode == -signal.SIGKILL
    rig.settings["s3"] = store.settings()
    service = rig.serve()
    await_(lambda: any(run["active"] == "yes" for run in rig.json("deployments")), "the service runs")
    done = rig.json("migrate-blobs", "--to", place)
    assert done["service_runs"] and done["files"] == 5 == done["copied"] + done["already"] and done["already"] > 0
    rig.deliver(attached("meanwhile"))
    await_(lambda: rig.counts()["complete"] == 4, "mail is kept where it was, meanwhile")
    assert "run this command once more" in " ".join(rig.run("migrate-blobs", "--to", place).stdout.split())
    assert service.end() == 0
    gone = next(path for path in here if path.endswith("original.eml"))
    store.remove(BUCKET, f"{rig.user}/{gone}")
    with Faulty(store) as faulty:
        lines = []
        faulty.before = lines.append
        rig.settings["s3"] = store.settings(faulty.port)
        said = rig.run("migrate-blobs", "--to", place).stdout
    read = [line for line in lines if line.startswith("GET") and "list-type" not in line]
    assert all(gone in line for line in read) and len(lines) < 7, "what was compared before is not read again"
    assert "Copies 7 files" in said and f"set `blobs: {place}`" in said and "Copied 1 of" in said and "6 stood there already" in said
    assert not (rig.data / "moving-files").exists(), "it is over"
    rig.settings["s3"] = store.settings()

    here = rig.files()
    rig.on_store(store, BUCKET)
    assert rig.files() == {rig.kept_as(path): digest for path, digest in here.items()}
    shutil.rmtree(rig.data / "items")
    assert rig.run("verify").returncode == 0
    rig.deliver(first, attached("after"))
    assert rig.once()["duplicates"] == 1
    assert_invariants(rig, killed=True)
    assert copied(rig, "--to", "file") == (9, 0, [])
    rig.store = None
    rig.settings["blobs"] = "file"
    assert len(rig.files()) == 9 and rig.run("verify").returncode == 0


def test_moving_says_what_is_wrong_and_overwrites_nothing(small, store):
    rig, place = small, f"s3://{BUCKET}/{small.user}"
    path = next(name for name in rig.files() if name.endswith("original.eml"))
    store.put(BUCKET, f"{rig.user}/{path}", b"other octets")
    assert "exists with other octets" in rig.run("migrate-blobs", "--to", place, status=None).stderr
    store.remove(BUCKET, f"{rig.user}/{path}")
    (rig.data / path).unlink()
    done, there, missing = copied(rig, "--to", place, status=1)
    assert done + there == 4 and missing == [f"{path} is not there"]
    for words, says in ((["--to", "file"], "--from"), (["--to", "s3://Mail"], "expected file, or s3://"), (["--to", "ftp://x"], "expected"),
                        (["--to", place, "--from", place], "to itself")):
        assert says in rig.run("migrate-blobs", *words, status=64).stderr
    del rig.settings["s3"]
    assert "needs the block s3" in rig.run("migrate-blobs", "--to", place, status=74).stderr
