# SPDX-License-Identifier: Apache-2.0
"""A backup that is sealed to a certificate: nothing of it is read without the key, and with the key all of it is back."""
import hashlib
import os
import shutil
import subprocess

import pytest

import mails
from mails import plain
from rig import assert_invariants, kill_at, sha256
from test_backup import backup, contents, lose_the_machine, nobody_was_told_twice, store
from test_retention import make_older, read_archive

SECRETS = [mails.MARKER.encode(), b"senders.example", mails.PDF, b"does not work any more", b"SQLite format 3", b"CREATE TABLE"]
LARGE = os.urandom(3 << 20) * 2  # more than one piece


def openssl(*words, **more):
    return subprocess.run(["openssl", *words], check=True, capture_output=True, **more).stdout


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """NAME.key and NAME.pem: `office` of RSA under a passphrase, `safe` and `stranger` of EC."""
    folder = tmp_path_factory.mktemp("keys")
    for name, kind in (("office", ["rsa:2048"]), ("safe", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
                       ("stranger", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])):
        lock = ["-passout", "pass:open sesame"] if name == "office" else ["-nodes"]
        openssl("req", "-x509", "-newkey", *kind, *lock, "-days", "2", "-subj", f"/CN={name}", "-keyout", folder / f"{name}.key",
                "-out", folder / f"{name}.pem")
    (folder / "passphrase").write_text("open sesame\n")
    return folder


def seal_to(rig, path):
    rig.settings["backup"] = {"recipient": str(path)}


def with_file(name, octets=mails.PDF):
    return mails.with_parts(name, mails.part(f'attachment; filename="{mails.MARKER} {name}"', octets))


def nothing_is_readable(folder):
    for path, octets in contents(folder).items():
        if path != "README.txt":
            assert not [word for word in SECRETS if word in octets] and mails.MARKER not in path, path


def test_a_sealed_backup_is_read_by_the_key_alone_and_brings_everything_back(rig, keys):
    seal_to(rig, keys / "office.pem")
    rig.deliver(plain("one"), with_file("report.pdf"))
    rig.once()
    first = backup(rig)
    assert first["sealed"] and first["missing"] == []
    rig.deliver(with_file("large.bin", LARGE))
    rig.once()
    second = backup(rig)
    assert second["new_files"] == 3 and second["files"] == first["files"] + 2, "ledger, original, attachment; the rest is there"
    assert backup(rig)["new_files"] == 1
    nothing_is_readable(store(rig))
    assert not list((rig.data / "tmp").glob("ledger*"))
    assert all(sha256(octets) == path.split("/")[-1] for path, octets in contents(store(rig)).items() if path.startswith("files/"))
    by_hand(rig, keys)
    assert rig.json("status")["last_backup_age_seconds"] < 3600
    lose_the_machine(rig)

    key = ["--key", str(keys / "office.key"), "--passphrase-file", str(keys / "passphrase")]
    for words, status, said in ((), 64, "--key"), (("--key", str(keys / "stranger.key")), 64, "does not open"), \
            (("--key", str(keys / "nowhere.key")), 64, "cannot be read"), (("--key", str(keys / "office.key")), 64, "passphrase"), \
            ((*key[:3], str(keys / "office.pem")), 64, "passphrase is another"), ((*key[:3], "/dev/null"), 64, "it is empty"):
        done = rig.run("restore", str(store(rig)), *words, status=status)
        assert said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
        assert not rig.data.exists()
    listed = rig.json("restore", str(store(rig)), "--list")
    assert [row["sealed"] for row in listed] == ["yes"] * 3 and listed[1]["files"] == second["files"]
    restored = rig.json("restore", str(store(rig)), *key)
    assert restored["generation"] == 2
    assert LARGE in [path.read_bytes() for path in (rig.data / "items").rglob("*large.bin")]
    rig.deliver(plain("after"))
    rig.once()
    assert len(rig.json("cases")) == 4 and len(nobody_was_told_twice(rig)) == 3, "the last may have been told, for all it knows"
    assert_invariants(rig)
    assert rig.run("verify").returncode == 0


def by_hand(rig, keys):
    """Without the program: the pieces of the largest file, one behind the other."""
    manifest = sorted(store(rig).glob("*.manifest"))[-1].read_text().splitlines()
    wanted = hashlib.sha256(LARGE).hexdigest()
    pieces = [line.split(" ")[0] for line in manifest if f" sealed/{wanted}/{len(LARGE)}/" in line]
    opened = [openssl("cms", "-decrypt", "-binary", "-inform", "DER", "-in", store(rig) / "files" / piece[:2] / piece, "-inkey",
                      keys / "office.key", "-passin", f"file:{keys}/passphrase") for piece in pieces]
    assert len(pieces) == 2 and b"".join(opened) == LARGE


def rewrite(rig, lines):
    """The newest manifest, with these lines and the digest that belongs under them."""
    text = "".join(f"{line}\n" for line in lines)
    sorted(store(rig).glob("*.manifest"))[-1].write_text(f"{text}end {hashlib.sha256(text.encode()).hexdigest()}\n")


def test_a_sealed_backup_that_was_cut_changed_or_mixed_up_is_not_brought_back(rig, keys):
    seal_to(rig, keys / "safe.pem")
    rig.deliver(plain("one"), plain("two"))
    rig.once()
    old, made = backup(rig), backup(rig)
    key = ["--key", str(keys / "safe.key")]
    manifest = sorted(store(rig).glob("*.manifest"))[-1]
    lines = manifest.read_text().splitlines()[:-1]
    files = [line for line in lines if " sealed/" in line]
    inner = next(line for line in files if " sealed/manifest/" in line)
    lose_the_machine(rig)
    for line in files:
        path = store(rig) / "files" / line[:2] / line.split(" ")[0]
        octets = path.read_bytes()
        path.write_bytes(octets[:-1])
        assert path.name in rig.run("restore", str(store(rig)), *key, status=74).stderr
        assert not rig.data.exists(), "cut: nothing is begun"
        path.write_bytes(octets)
    path = store(rig) / "files" / inner[:2] / inner.split(" ")[0]
    octets = path.read_bytes()
    path.write_bytes(octets[:-40] + bytes([octets[-40] ^ 1]) + octets[-39:])
    assert path.name in rig.run("restore", str(store(rig)), *key, status=74).stderr and not rig.data.exists(), "changed"
    path.write_bytes(octets)

    older = (store(rig) / f"{old['backup']}.manifest").read_text().splitlines()
    rewrite(rig, [next(row for row in older if " sealed/manifest/" in row) if line is inner else line for line in lines])
    assert "damaged" in rig.run("restore", str(store(rig)), *key, status=74).stderr and not rig.data.exists(), "of another backup"
    pair = [line for line in files if line is not inner][-2:]
    swapped = dict(zip(pair, [" ".join([*there.split(" ")[:2], here.split(" ")[2]]) for here, there in zip(pair, reversed(pair))]))
    rewrite(rig, [swapped.get(line, line) for line in lines])
    assert "damaged" in rig.run("restore", str(store(rig)), *key, status=74).stderr
    assert not (rig.data / "ledger.db").exists() and "being restored" in rig.run("status", status=74).stderr
    shutil.rmtree(rig.data)
    rewrite(rig, lines)
    assert rig.json("restore", str(store(rig)), *key)["backup"] == made["backup"]
    assert rig.run("verify").returncode == 0


def test_sealed_and_open_backups_in_one_folder(rig, keys):
    rig.deliver(with_file("report.pdf"))
    rig.once()
    plainly = backup(rig)
    assert not plainly["sealed"]
    seal_to(rig, keys / "safe.pem")
    assert "warning backup.recipient: a certificate there expires on" in rig.run("doctor").stdout
    kill_at(rig, 13, "backup", str(store(rig)))
    notes = store(rig) / "unfinished"
    assert notes.read_text().count(" sealed/") == 2, "the ledger, and one file"
    notes.write_bytes(notes.read_bytes() + b"and a line that was cut")
    sealed = backup(rig)
    assert sealed["new_files"] == 2 and plainly["new_files"] == 3, "what one that was killed has sealed is not sealed again"
    assert not notes.exists()
    taken = rig.json("status")["last_backup"]
    del rig.settings["backup"]
    assert "backup.recipient" in rig.run("backup", str(store(rig)), status=64).stderr, "nothing is laid open beside them by mistake"
    seal_to(rig, keys / "safe.key")
    assert "private key" in rig.run("backup", str(store(rig)), status=64).stderr
    assert rig.json("status")["last_backup"] == taken
    both = rig.folder / "both.pem"
    both.write_bytes((keys / "safe.pem").read_bytes() + (keys / "office.pem").read_bytes())
    seal_to(rig, both)
    assert backup(rig)["new_files"] == 3, "others shall read it, so all of it is sealed anew"
    third = backup(rig, "--read-all", "--keep", "1")
    assert third["new_files"] == 1 and third["backups_removed"] == 3
    nothing_is_readable(store(rig))
    lose_the_machine(rig)
    rig.json("restore", str(store(rig)), "--key", str(keys / "safe.key"))
    assert rig.run("verify").returncode == 0


def test_what_was_noted_of_a_part_of_a_file_is_not_taken_for_the_file(rig, keys):
    seal_to(rig, keys / "safe.pem")
    rig.deliver(with_file("large.bin", LARGE))
    rig.once()
    backup(rig)
    manifest, = store(rig).glob("*.manifest")
    lines = manifest.read_text().splitlines(keepends=True)
    last = next(at for at, line in enumerate(lines) if f"/{len(LARGE)}/2" in line)
    (store(rig) / "unfinished").write_text("".join(lines[:last]))  # as a full disk cuts what is added to it
    manifest.unlink()
    assert backup(rig)["missing"] == []
    lose_the_machine(rig)
    rig.json("restore", str(store(rig)), "--key", str(keys / "safe.key"))
    assert LARGE in [path.read_bytes() for path in (rig.data / "items").rglob("*large.bin")]


def pooled(rig):
    return {path.name for path in (store(rig) / "files").rglob("*") if path.is_file()}


def test_a_sealed_backup_that_fails_leaves_nothing_that_the_next_cannot_use(rig, keys):
    seal_to(rig, keys / "safe.pem")
    rig.deliver(with_file("large.bin", LARGE))
    rig.once()
    full = ["sh", "-c", "trap '' XFSZ; ulimit -f 4096; exec \"$@\"", "sh"]  # no file of more than 2 MiB, as on a full disk
    for _ in range(2):
        failed = rig.popen("backup", str(store(rig)), before=full)
        assert "cannot write" in failed.communicate(timeout=60)[1] and failed.returncode == 75
        assert not pooled(rig)
    large, = (rig.data / "items").rglob("*large.bin")
    large.write_bytes(LARGE[:-1] + b"?")
    assert [line for line in backup(rig, status=1)["missing"] if "large.bin" in line]
    manifest, = store(rig).glob("*.manifest")
    assert pooled(rig) == {line.split(" ")[0] for line in manifest.read_text().splitlines() if " sealed/" in line}


def test_what_retain_archives_is_sealed_to_the_same_certificate(rig, keys):
    seal_to(rig, keys / "safe.pem")
    rig.settings["retention"] = {"originals": "30d", "archive": str(rig.folder / "archive")}
    rig.deliver(plain("one"))
    rig.once()
    make_older(rig, 40)
    original, = (path.read_bytes() for path in (rig.data / "items").rglob("original.eml"))
    assert "sealed" in rig.run("retain").stdout
    file, = (rig.folder / "archive").iterdir()
    assert file.name.endswith(".tar.gz.cms") and rig.files() == {}
    opened = rig.folder / "opened.tar.gz"
    opened.write_bytes(openssl("cms", "-decrypt", "-binary", "-inform", "DER", "-in", file, "-inkey", keys / "safe.key"))
    originals, _ = read_archive(opened)
    assert list(originals.values()) == [original]
