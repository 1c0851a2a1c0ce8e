# SPDX-License-Identifier: Apache-2.0
"""The presets of config/destinations as they are shipped, each before a peer that does what its product's
documents say (peers/products.py). Rows D03, D04 and D05."""
import re

import pytest

from mails import MARKER, TEXT, head, multipart, part, plain, raw, sender, with_parts
from products import PRODUCTS, Peer
from rig import TOP, assert_invariants, await_, effects, yaml
from token_endpoint import TokenEndpoint

SHIPPED = TOP / "config" / "destinations"
ELSEWHERE = {"generic-put", "generic-post", "request-tracker"}  # test_destination.py, test_request_tracker.py
PDF = part('attachment; filename="report.pdf"', b"%PDF-1.4 " + bytes(range(256)) * 40)
ODD = part("attachment; filename*=UTF-8''a%20b%20%C3%A4.txt", b"odd", "text/plain")
WHOLE = [name for name in PRODUCTS if "append:" in (SHIPPED / f"{name}.yaml").read_text()]


def test_every_preset_is_tried():
    assert {file.stem for file in SHIPPED.glob("*.yaml")} == set(PRODUCTS) | ELSEWHERE
    assert WHOLE == ["zammad", "glpi", "freshdesk", "servicenow", "jira-service-management"]


@pytest.fixture
def endpoint(rig):
    certificate, key = rig.servers.authority.issue("token endpoint")
    with TokenEndpoint(certificate, key) as made:
        made.turns += [(200, {}, {"access_token": "a-token", "expires_in": 3600, "token_type": "Bearer"})] * 30
        yield made


def replaced(text, old, new):
    assert old in text
    return text.replace(old, new)


def use(rig, peer, monkeypatch, endpoint):
    """Only where it is and who signs in are another."""
    product = peer.product
    text = replaced((SHIPPED / f"{product.preset}.yaml").read_text(), product.url, peer.url)
    for place, secret in getattr(product, "secrets", {}).items():
        file = rig.folder / place.rsplit("/", 1)[1]
        file.write_text(secret + "\n")
        file.chmod(0o600)
        text = replaced(text, place, str(file))
    for name, value in getattr(product, "environment", {}).items():
        monkeypatch.setenv(name, value)
    if "token_url: " in text:
        text = re.sub(r"token_url: \S+", f"token_url: {endpoint.url}", text)
        text = re.sub(r"( +)(guarantee: )", rf"\1ca_file: {rig.servers.authority.file}\n\1\2", text, count=1)
    rig.settings["retry"] = {"first_delay": "30ms", "max_delay": "200ms"}
    rig.settings["case"] = {"destination": re.search(r"- name: (\S+)", text)[1]}
    rig.write = lambda: rig.config.write_text(yaml(rig.settings) + "\n" + text)


@pytest.fixture(params=PRODUCTS)
def at_product(request, rig, monkeypatch, endpoint):
    with Peer(PRODUCTS[request.param]) as peer:
        use(rig, peer, monkeypatch, endpoint)
        yield rig, peer


def step_of(rig, item):
    return next(e for e in effects(rig.json("item", item["key"]), "case") if e["target"] == rig.settings["case"]["destination"])


def settled(rig, count):
    return len(items := rig.items()) == count and {i["state"] for i in items} <= {"complete", "needs_reconciliation"}


def until_settled(rig, count):
    service = rig.serve()
    await_(lambda: settled(rig, count), "all settled")
    service.end()


def assert_one_case_each(rig, peer, count):
    items = [item for item in rig.items() if item["disposition"] == "case"]
    steps = [step_of(rig, item) for item in items]
    assert {(i["state"], s["status"]) for i, s in zip(items, steps, strict=True)} == {("complete", "done")}
    there = {i["key"] for i in items} if peer.product.preset == "osticket" else set(peer.cases)
    assert {step["external_id"] for step in steps} == there and len(peer.cases) == len(items) == count
    assert len(rig.acknowledgements()) == count
    assert_invariants(rig)


def test_D03_D04_each_mail_is_one_case_though_an_answer_is_lost_and_another_says_too_many(at_product):
    rig, peer = at_product
    mail = plain("printer", 'data:,It says "PC LOAD LETTER" <here> & there\r\n\\ {{key}}.')
    peer.faults = ["drop after", 409 if peer.product.preset == "freshdesk" else 429]
    rig.deliver(mail, mail, plain("second"))
    rig.once()
    assert not peer.faults[1:]
    until_settled(rig, 2)
    if peer.product.preset == "osticket":  # which can be asked nothing
        [item] = rig.items("--state", "needs_reconciliation")
        assert item["reason"] == "case-unknown" and len(rig.acknowledgements()) == 1
        rig.run("resolve", item["key"], "--case", "made", item["key"], "--by", "anna", "--reason", "seen there")
        until_settled(rig, 2)
    assert_one_case_each(rig, peer, 2)
    assert len(peer.made("PATCH" if peer.product.preset == "dataverse" else "POST")) == 3  # one was 429
    said = str(list(peer.cases.values()))
    wanted = ("data:,It says \"PC LOAD LETTER\" <here> & there", "{{key}}", "printer", *(i["case"] for i in rig.items()))
    assert all(text in said for text in wanted)


def notes_of(rig, item):
    return " ".join(note["text"] for note in rig.json("item", item["key"])["note_list"])


def test_a_mail_that_is_refused_says_why_and_one_that_is_long_or_empty_is_a_case(at_product):
    """422 and its like: a person sees the destination's words, nothing of the mail, and decides."""
    rig, peer = at_product
    refused = plain("refused")
    peer.sender, peer.subject, peer.faults = sender("refused"), f"About refused {MARKER}", ["refuse"]
    long = plain("long", "\r\n".join(["a line of many, with <marks> & \u00e4"] * 1200), Subject="x" * 300 + "\u00e4" * 100)
    empty = with_parts("empty", PDF, text=False)
    rig.deliver(refused, long, empty)
    service = rig.serve()
    await_(lambda: settled(rig, 3), "all settled")
    [item] = rig.items("--state", "needs_reconciliation")
    said = notes_of(rig, item)
    assert item["key"] == rig.item_of(refused)["key"] and item["reason"] == "case-refused"
    assert step_of(rig, item)["status"] == "refused" and peer.sender not in said and MARKER not in said
    assert any(words in said for words in ("No lookup value found for 'customer_id': \"***\"", "ERROR_GLPI_ADD",
                                           "Validation failed; email", "Exception while reading request", "Your input is invalid",
                                           "0x80040203; *** is not valid", "Ticket denied")), said
    rig.run("resolve", item["key"], "--case", "not-made", "--by", "anna", "--reason", "it takes her now")
    await_(lambda: len(rig.acknowledgements()) == 3 and settled(rig, 3), "all complete")
    service.end()
    assert_one_case_each(rig, peer, 3)


def test_D05_dataverse_keeps_the_case_of_a_key_that_is_there(rig, monkeypatch, endpoint):
    """412: it is read, its key compared, and it is taken over as it stands."""
    with Peer(PRODUCTS["dataverse"]) as peer:
        use(rig, peer, monkeypatch, endpoint)
        rig.deliver(plain("there already"))
        rig.run("pause", "--effect", "case", "--by", "anna", "--reason", "another is at it")
        rig.once()
        peer.product.make({"new_onecasekey": rig.items()[0]["key"], "title": "by another"}, "1-1")
        rig.run("resume", "--by", "anna", "--reason", "done")
        until_settled(rig, 1)
        assert_one_case_each(rig, peer, 1)
        assert step_of(rig, rig.items()[0])["reason"] == "adopted" and peer.cases["1-1"]["title"] == "by another"


def reply_to(first, name, *parts):
    wanted = {key: re.search(rf"^{key}: (.*?)\r$".encode(), first, re.M)[1].decode() for key in ("From", "Message-ID")}
    fields, body = multipart("mixed", [TEXT, *parts])
    return raw(head(name, From=wanted["From"], In_Reply_To=wanted["Message-ID"], **fields), body)


@pytest.mark.parametrize("at_product", WHOLE, indirect=True)
def test_D03_replies_files_and_the_end_are_there_once_though_each_answer_is_lost(at_product):
    rig, peer = at_product
    first = with_parts("talk", PDF)
    peer.faults = [None, "drop after"]  # the case, its file
    rig.deliver(first)
    until_settled(rig, 1)
    [case] = peer.cases.values()
    peer.faults = ["drop after", "drop after"]  # the reply, its file
    rig.deliver(reply_to(first, "answer", ODD))
    until_settled(rig, 2)
    assert {i["state"] for i in rig.items()} == {"complete"} and len(peer.cases) == 1
    assert ["look at this" in n["text"] for n in case.notes if n["text"]] == [True]
    kept = {a["path"].rsplit("/", 1)[1]: a["sha256"] for a in rig.json("cases")[0]["attachments"]}
    assert {f["name"]: f["sha256"] for f in case.files} == kept and len(case.files) == 2
    peer.faults = ["drop after"]
    rig.run("case", rig.json("cases")[0]["reference"], "--close", "--by", "anna", "--reason", "solved")
    until_settled(rig, 2)
    assert case.closed
    assert_invariants(rig)


def test_nothing_is_asked_before_a_session_is_opened_and_one_that_has_ended_is_opened_again(rig, monkeypatch, endpoint):
    with Peer(PRODUCTS["glpi"]) as peer:
        use(rig, peer, monkeypatch, endpoint)
        secret = rig.folder / "glpi.authorization"
        secret.write_text("user_token another\n")
        service = rig.serve()
        rig.deliver(plain("first"))
        await_(lambda: peer.requests, "nobody is let in")
        secret.write_text("user_token a-token\n")
        await_(lambda: len(rig.acknowledgements()) == 1, "a case in the first session")
        before = peer.requests.index(("POST", "/apirest.php/Ticket"))
        assert peer.product.opened == 1 and {place for _, place in peer.requests[:before]} == {"/apirest.php/initSession"}
        peer.product.sessions.clear()
        rig.deliver(plain("second"))
        await_(lambda: len(rig.acknowledgements()) == 2, "a case in another session")
        service.end()
        assert peer.product.opened == 2 and len(peer.cases) == 2
        assert not any("a-token" in line or token in line for line in service.log for token in peer.product.sessions)
    assert_invariants(rig)


def test_a_session_that_is_wrongly_described_is_told_with_its_line(rig, monkeypatch, endpoint):
    with Peer(PRODUCTS["glpi"]) as peer:
        use(rig, peer, monkeypatch, endpoint)
        rig.write()
        text = rig.config.read_text().replace("id: /session_token", "id: session_token")
        rig.write = lambda: rig.config.write_text(text)
        done = rig.run("run", "--once", status=78)
        line = int(re.search(r":(\d+):\d+: destination glpi, session: id: expected a JSON pointer", done.stderr)[1])
        assert "session_token" in text.splitlines()[line - 1]
