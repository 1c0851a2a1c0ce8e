# SPDX-License-Identifier: Apache-2.0
"""The real token source against files, commands, and a token endpoint over TLS that answers oddly."""
import base64
import json
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
from authority import Authority  # noqa: E402
from token_endpoint import TokenEndpoint  # noqa: E402
from tool import Tool  # noqa: E402

SECRET = "s3cret.of/this+client"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def pair(authority):
    return authority.issue("endpoint")


@pytest.fixture
def endpoint(pair):
    with TokenEndpoint(*pair) as one:
        yield one


@pytest.fixture
def source(endpoint, authority):
    return lambda **more: Tool("token_tool", **{
        **dict(url=endpoint.url, client_id="onecase", client_secret=SECRET, scope="mail all", ca_file=authority.file),
        **more})


# ---- files and commands ------------------------------------------------------------------------------------


def test_a_file_is_read_at_each_sign_in(tmp_path):
    file = tmp_path / "token"
    file.write_text("first\n")
    with Tool("token_tool", file=file) as tool:
        assert tool.ask("get")["token"] == "first"
        file.write_text("second")
        assert tool.ask("get")["token"] == "second"


@pytest.mark.parametrize("text, words", [
    (None, "cannot be read: No such file"), ("", "is empty"), ("two words", "holds no token"), ("x" * 20000, "far too long"),
])
def test_a_file_without_a_token(tmp_path, text, words):
    file = tmp_path / "token"
    if text is not None:
        file.write_text(text)
    with Tool("token_tool", file=file) as tool:
        said = tool.ask("get")
    assert said["rc"] == "refused" and words in said["text"] and str(file) in said["text"] and "two words" not in said["text"]


def script(folder, text):
    path = folder / "give"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_command_is_run_at_each_sign_in_and_without_a_shell(tmp_path):
    path = script(tmp_path, f'echo "$1" >>{tmp_path}/asked; echo token-$(wc -l <{tmp_path}/asked)')
    with Tool("token_tool", command=f"{path} $HOME;x") as tool:
        first = tool.ask("get")
        assert (first["token"], first["waits"] > 0) == ("token-1", True)
        assert tool.ask("get")["token"] == "token-2"
    assert (tmp_path / "asked").read_text() == "$HOME;x\n" * 2


@pytest.mark.parametrize("text, rc, words", [
    ("exit 3", "refused", "status 3"),
    ("", "refused", "is no token"),
    ("echo two words", "refused", "is no token"),
    ("head -c 9999999 /dev/zero | tr '\\0' x", "refused", "is no token"),
    ("echo half; sleep 600 & sleep 600", "deferred", "no token came in time"),
])
def test_a_command_that_gives_no_token(tmp_path, text, rc, words):
    with Tool("token_tool", command=script(tmp_path, text), timeout=500) as tool:
        said = tool.ask("get")
    assert said["rc"] == rc and words in said["text"] and "two words" not in said["text"]


def test_a_command_that_is_missing():
    with Tool("token_tool", command="/nonexistent/give it") as tool:
        said = tool.ask("get")
    assert said["rc"] == "refused" and "/nonexistent/give cannot be run: No such file" in said["text"]


def test_what_a_command_started_ends_with_it(tmp_path):
    path = script(tmp_path, f"sleep 600 & echo $! >{tmp_path}/pid; wait")
    with Tool("token_tool", command=path, timeout=300) as tool:
        assert tool.ask("get")["rc"] == "deferred"
    pid = int((tmp_path / "pid").read_text())
    until = time.monotonic() + 5
    while Path(f"/proc/{pid}/stat").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split(") ")[1][:1]:
        assert time.monotonic() < until, "it goes on"
        time.sleep(0.02)


# ---- an endpoint that answers ------------------------------------------------------------------------------


def test_client_credentials_are_asked_for_once_and_kept(endpoint, source):
    with source() as tool:
        first, second = tool.ask("get"), tool.ask("get")
    assert first["token"] == second["token"] == endpoint.given[0] and second["waits"] == 0
    assert endpoint.forms == [{"grant_type": "client_credentials", "client_id": "onecase", "client_secret": SECRET,
                               "scope": "mail all"}]


def test_a_token_is_not_used_shortly_before_it_expires(endpoint, source):
    endpoint.life = 1
    with source() as tool:
        tool.ask("get")
        time.sleep(0.95)
        assert tool.ask("get")["token"] == endpoint.given[1]


def test_a_token_that_is_refused_is_replaced_where_it_was_kept_from_before(endpoint, source):
    with source() as tool:
        tool.ask("get")
        assert tool.ask("refused")["fresh"] is False
        assert tool.ask("get")["waits"] == 0
        assert tool.ask("refused")["fresh"] is True
        assert tool.ask("get")["token"] == endpoint.given[1]
    assert len(endpoint.forms) == 2


def test_a_life_may_be_said_as_a_text(endpoint, source):
    endpoint.turns.append((200, {}, {"access_token": "a", "expires_in": "3600", "token_type": "bearer"}))
    with source() as tool:
        assert [tool.ask("get")["token"] for _ in range(2)] == ["a", "a"]


def test_a_refresh_token_that_changes_is_stored_durably(endpoint, source, tmp_path):
    file = tmp_path / "refresh"
    file.write_text("r0\n")
    endpoint.rotates, endpoint.life = True, 1
    with source(refresh_token_file=file, client_secret="") as tool:
        tool.ask("get")
        assert file.read_text().startswith("r1.") and stat.S_IMODE(file.stat().st_mode) == 0o600
        time.sleep(0.95)
        tool.ask("get")
    assert [f["refresh_token"][:2] for f in endpoint.forms] == ["r0", "r1"]
    assert endpoint.forms[0]["grant_type"] == "refresh_token" and "client_secret" not in endpoint.forms[0]
    assert sorted(os.listdir(tmp_path)) == ["refresh", "refresh.lock"]


def test_a_refresh_token_that_cannot_be_stored_is_kept_in_memory(endpoint, source, tmp_path):
    file = tmp_path / "refresh"
    file.write_text("r0\n")
    (tmp_path / "refresh.new").mkdir()  # nothing can be written there
    endpoint.rotates, endpoint.life = True, 1
    with source(refresh_token_file=file) as tool:
        assert tool.ask("get")["rc"] == "ok"
        time.sleep(0.95)
        assert tool.ask("get")["rc"] == "ok"
    assert [f["refresh_token"][:2] for f in endpoint.forms] == ["r0", "r1"] and file.read_text() == "r0\n"


def test_a_kept_refresh_token_that_is_refused_gives_way_to_the_file(endpoint, source, tmp_path):
    file = tmp_path / "refresh"
    file.write_text("r0\n")
    (tmp_path / "refresh.new").mkdir()
    endpoint.rotates, endpoint.life = True, 1
    with source(refresh_token_file=file) as tool:
        assert tool.ask("get")["rc"] == "ok"
        endpoint.turns.append(error("invalid_grant"))
        time.sleep(0.95)
        assert tool.ask("get")["rc"] == "refused"
        file.write_text("another\n")
        time.sleep(5.05)  # the pause after a failure
        assert tool.ask("get")["rc"] == "ok"
    assert [f["refresh_token"][:2] for f in endpoint.forms] == ["r0", "r1", "an"]


def test_two_processes_take_turns_with_one_refresh_token(endpoint, source, tmp_path):
    """Each of them uses what the other was given: no refresh token is shown twice."""
    file = tmp_path / "refresh"
    file.write_text("r0\n")
    endpoint.rotates = True
    with source(refresh_token_file=file) as a, source(refresh_token_file=file) as b:
        for tool in (a, b):
            tool.tell("get")
        assert [tool.hear()["rc"] for tool in (a, b)] == ["ok", "ok"]
    assert [f["refresh_token"][:2] for f in endpoint.forms] == ["r0", "r1"]


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_a_service_account_signs_what_it_asks(endpoint, source, tmp_path):
    key, public = tmp_path / "key.pem", tmp_path / "public.pem"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    subprocess.run(["openssl", "rsa", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
    file = tmp_path / "account.json"
    file.write_text(json.dumps({"type": "service_account", "client_email": "robot@project.example", "private_key_id": "k1",
                                "private_key": key.read_text(), "token_uri": "https://elsewhere.example/"}))
    with source(key_file=file, subject="help@example.org", client_id="", client_secret="", scope="https://mail.google.com/") as tool:
        assert tool.ask("get")["token"] == endpoint.given[0]
    form, = endpoint.forms
    assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" and len(form) == 2
    head, claims, signature = form["assertion"].split(".")
    assert json.loads(unbase64(head)) == {"alg": "RS256", "typ": "JWT", "kid": "k1"}
    said = json.loads(unbase64(claims))
    assert abs(said.pop("iat") - time.time()) < 60 and said.pop("exp") - time.time() <= 3600
    assert said == {"iss": "robot@project.example", "scope": "https://mail.google.com/", "aud": endpoint.url, "sub": "help@example.org"}
    (tmp_path / "signature").write_bytes(unbase64(signature))
    (tmp_path / "signed").write_text(f"{head}.{claims}")
    subprocess.run(["openssl", "dgst", "-sha256", "-verify", public, "-signature", tmp_path / "signature", tmp_path / "signed"],
                   check=True, capture_output=True)


@pytest.mark.parametrize("text, words", [
    ("{}", "no client_email"), ("[1]", "no client_email"), ("not json", "no client_email"),
    ('{"client_email": "a", "private_key": "-----BEGIN X-----"}', "no RSA key"),
])
def test_a_key_that_is_none(endpoint, source, tmp_path, text, words):
    (tmp_path / "key").write_text(text)
    with source(key_file=tmp_path / "key") as tool:
        said = tool.ask("get")
    assert said["rc"] == "refused" and words in said["text"] and endpoint.forms == []


# ---- an endpoint that does not -----------------------------------------------------------------------------


def error(name, description=""):
    return 400, {}, {"error": name, "error_description": description}


@pytest.mark.parametrize("turn, rc, words", [
    (error("invalid_client", "AADSTS7000222: the secret is expired. Trace ID: 17"), "refused",
     ["invalid_client (AADSTS7000222: the secret is expired. Trace ID: 17)", "client_secret_file"]),
    ((401, {}, {"error": "invalid_client"}), "refused", ["client_secret_file"]),
    (error("invalid_grant"), "refused", ["get a new one"]),
    (error("unauthorized_client"), "refused", ["administrator"]),
    (error("invalid_scope"), "refused", ["`scope`"]),
    (error("something_else", "why\r\n\x1b[31m not"), "refused", ["something_else (why [31m not)"]),
    (error("invalid_client", f"no {SECRET} here"), "refused", ["invalid_client;"]),
    (error("invalid_client", "ask ann@example.org"), "refused", ["(ask (address))"]),
    (error("invalid_client", "x" * 9000), "refused", ["xxxx"]),
    (error("temporarily_unavailable"), "deferred", ["asked again"]),
    ((500, {}, "<html>oops"), "deferred", ["500", "it fails"]),
    ((503, {}, {"error": "invalid_client"}), "deferred", ["503"]),
    ((404, {}, "no"), "refused", ["check token_url"]),
    ((400, {}, "no"), "refused", ["does not say why"]),
    ((200, {}, "<html>sign in to the wireless network"), "deferred", ["is it a token endpoint?"]),
    ((200, {}, b"\xff\x00\xfe"), "deferred", ["is it a token endpoint?"]),
    ((200, {}, "[" * 60000), "deferred", ["is it a token endpoint?"]),
    ((200, {}, {"access_token": "two words"}), "deferred", ["is it a token endpoint?"]),
    ((200, {}, {"access_token": "line\r\nbreak"}), "deferred", ["is it a token endpoint?"]),
    ((200, {}, {"access_token": 17}), "deferred", ["is it a token endpoint?"]),
    ((200, {}, {"access_token": "a", "token_type": "mac"}), "deferred", ["is it a token endpoint?"]),
    ((200, {}, '{"access_token": "a", "access_token": "b"}'), "deferred", ["is it a token endpoint?"]),
    ((200, {}, {"access_token": "a" * 200000}), "deferred", ["is it a token endpoint?"]),
], ids=lambda value: None)
def test_what_an_endpoint_says_is_told_without_what_is_secret(endpoint, source, turn, rc, words):
    endpoint.turns.append(turn)
    with source() as tool:
        said = tool.ask("get")
    assert (said["rc"], said["token"]) == (rc, "")
    assert all(word in said["text"] for word in words), said["text"]
    assert SECRET not in said["text"] and "@" not in said["text"] and len(said["text"]) < 480
    assert len(endpoint.forms) == 1


def test_a_redirect_is_followed_nowhere(endpoint, source, pair):
    with TokenEndpoint(*pair) as elsewhere:
        for status in (301, 302, 307, 308):
            endpoint.turns.append((status, {"Location": elsewhere.url}, ""))
            with source() as tool:
                said = tool.ask("get")
            assert said["rc"] == "refused" and "not followed" in said["text"]
    assert elsewhere.forms == []


def test_a_failing_endpoint_is_not_hammered(endpoint, source):
    """Each further question is answered from memory until the pause has passed; and so is a Retry-After."""
    endpoint.turns += [(429, {"Retry-After": "600"}, {"error": "slow_down"}), (500, {}, "")]
    with source() as tool:
        said = [tool.ask("get") for _ in range(5)]
    assert {one["rc"] for one in said} == {"deferred"} and len({one["text"] for one in said}) == 1
    assert "429" in said[0]["text"] and said[1]["waits"] == 0 and len(endpoint.forms) == 1


def stall(handler, _):
    time.sleep(1.2)
    handler.close_connection = True


def drop(handler, _):
    handler.close_connection = True
    handler.connection.close()


@pytest.mark.parametrize("turn", [stall, drop])
def test_an_endpoint_that_does_not_answer(endpoint, source, turn):
    endpoint.turns.append(turn)
    started = time.monotonic()
    with source(timeout=1000) as tool:
        said = tool.ask("get")
    assert said["rc"] == "deferred" and "token_url" in said["text"] and time.monotonic() - started < 4


def test_an_endpoint_that_is_down(authority):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Tool("token_tool", url=f"https://localhost:{port}/", client_id="a", client_secret="b", ca_file=authority.file) as tool:
        said = tool.ask("get")
    assert said["rc"] == "deferred" and "cannot be connected to" in said["text"]


@pytest.mark.parametrize("host, days, known", [
    ("other.example", None, True), ("localhost", ("20200101000000Z", "20200102000000Z"), True), ("localhost", None, False),
], ids=["another name", "expired", "unknown authority"])
def test_nothing_is_sent_to_one_that_proves_to_be_another(authority, tmp_path, host, days, known):
    pair = (authority if known else Authority(tmp_path / "other")).issue(f"bad{host}{bool(days)}{known}", host, days)
    with TokenEndpoint(*pair) as endpoint, \
            Tool("token_tool", url=endpoint.url, client_id="a", client_secret="b", ca_file=authority.file) as tool:
        said = tool.ask("get")
        assert said["rc"] == "refused" and "certificate" in said["text"] and endpoint.forms == []


def test_nothing_is_sent_in_the_clear():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        with Tool("token_tool", url=f"http://localhost:{server.getsockname()[1]}/", client_id="a", client_secret="b") as tool:
            said = tool.ask("get")
        assert said["rc"] == "refused" and "https://" in said["text"]
        with pytest.raises(TimeoutError):
            server.accept()


def test_nothing_of_it_stands_in_the_process_list(endpoint, authority, source, tmp_path):
    seen = []

    def look(handler, form):
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                seen.append(Path(f"/proc/{entry}/cmdline").read_bytes())
            except OSError:
                pass  # it has ended meanwhile
        handler.answer(200, {}, endpoint.token(form))

    file = tmp_path / "refresh"
    file.write_text("refresh.token.17\n")
    endpoint.turns.append(look)
    with source(refresh_token_file=file, client_secret="") as tool:
        assert tool.ask("get")["rc"] == "ok"
    assert len(seen) > 3 and not any(b"refresh.token.17" in line or endpoint.given[0].encode() in line for line in seen)
