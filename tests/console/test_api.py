# SPDX-License-Identifier: Apache-2.0
"""The interface for scripts: what it describes is what there is, and the same as --json."""
import json
import re
import time

import jsonschema
import pytest
import yaml

from conftest import TOP, new_desk
from test_pages import DOUBT

SAME = [("items", "items --json"), (f"items/{DOUBT}", f"item {DOUBT} --json"), ("deliveries", "deliveries --json"),
        ("cases", "cases --json"), (f"cases/{DOUBT}", f"case {DOUBT} --json"), ("status", "status --json"),
        ("deployments", "deployments --json"), ("webhooks", "webhooks --json")]
DESCRIBED = yaml.safe_load((TOP / "templates/console/openapi.yaml").read_text())
OPERATIONS = [(method, path, about) for path, at in DESCRIBED["paths"].items() for method, about in at.items() if method in ("get", "post")]
SOURCE = (TOP / "src/console/api.c").read_text()
REPLAYS = (TOP / "src/console/api_replays.c").read_text()
NEEDED = {"/api/v1/replay-plan": "?state=complete"}  # what must be given


@pytest.mark.parametrize("path, command", SAME)
def test_it_gives_the_objects_of_the_commands(shown, path, command):
    said = json.loads(shown.visitors["operator"].get("/api/v1/" + path).text)
    told = json.loads(shown.run(*command.split()).stdout)
    for one in (said, told):
        for box in one.get("mailboxes", []) if isinstance(one, dict) else []:
            box.pop("oldest_incomplete_seconds")
    by = (lambda list: sorted(list, key=lambda o: json.dumps(o, sort_keys=True))) if isinstance(told, list) else (lambda o: o)
    assert by(said) == by(told)


# ---- the description and the server ------------------------------------------------------------------------------


def resolved(about):
    while "$ref" in about:
        at = DESCRIBED
        for name in about["$ref"].split("/")[1:]:
            at = at[name]
        about = at
    return about


def wrong_with(schema, value):
    """Where the value is not what the schema says."""
    whole = {**schema, "components": DESCRIBED["components"]}
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in jsonschema.Draft202012Validator(whole).iter_errors(value)]


def assert_as_described(about, answer):
    """Of every answer: its status is described, and it is what is said of that one."""
    assert str(answer.status) in about["responses"], (answer.status, answer.text)
    kind, content = next(iter(resolved(about["responses"][str(answer.status)])["content"].items()))
    assert answer.getheader("Content-Type").split(";")[0] == kind
    value = yaml.safe_load(answer.text) if kind == "application/yaml" else json.loads(answer.text)
    assert wrong_with(content["schema"], value) == []
    return value


@pytest.fixture(scope="module")
def tokens(shown):
    return {role: {"Authorization": "Bearer " + shown.run("token", "add", "by-" + role, "--role", role).stdout.strip()}
            for role in ("viewer", "operator")}


def test_every_way_is_described_and_no_other(shown):
    routes = re.findall(r'METHOD_(GET|POST), +"(/api/[^"]+)", +ROLE_(\w+), +(\w+)', (TOP / "src/console/route.c").read_text())
    served = {(method.lower(), path, "" if "OPEN" in flags else role.lower()) for method, path, role, flags in routes}
    assert {(method, re.sub(r"\{\w+\}", "*", path), about.get("x-role", "")) for method, path, about in OPERATIONS} == served
    assert shown.visitor().get("/api/v1/openapi.yaml").text == (TOP / "templates/console/openapi.yaml").read_text()


def test_the_description_is_one():
    assert DESCRIBED["openapi"].startswith("3.1")
    for name, schema in DESCRIBED["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
    text = (TOP / "templates/console/openapi.yaml").read_text()
    used = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert used == set(DESCRIBED["components"]["schemas"])
    for method, path, about in OPERATIONS:
        assert about.get("security") == [] or resolved(about["responses"]["503"])["content"], "any may come too late"
        assert set(re.findall(r"\{(\w+)\}", path)) == {p["name"] for p in DESCRIBED["paths"][path].get("parameters", [])}


def test_the_words_of_the_description_are_the_programs(shown):
    tables = {part.split("\n", 1)[0]: re.findall(r"^\| `([^`]+)`", part, re.M) for part in shown.run("spec").stdout.split("### ")[1:]}
    lists = {name: about for name, about in DESCRIBED["components"]["schemas"].items() if "x-spec" in about}
    assert len(lists) == 11
    for name, about in lists.items():
        assert about["enum"] == tables[about["x-spec"]], name


@pytest.mark.parametrize("method, path, about", OPERATIONS, ids=[f"{method} {path}" for method, path, _ in OPERATIONS])
def test_each_way_answers_what_its_schema_says(shown, tokens, method, path, about):
    for name in [name for name, in shown.sql("SELECT key FROM item")] if "{key}" in path else \
            [name for name, in shown.sql("SELECT reference FROM case_record")] if "{reference}" in path else ["1"]:
        there = re.sub(r"\{\w+\}", name, path) + NEEDED.get(path, "")
        if method == "get":
            answer = shown.visitor().get(there, **tokens["operator"])
            assert answer.status == 200
            assert_as_described(about, answer)
    if about.get("security") == []:
        return
    assert_as_described(about, shown.visitor().ask(method.upper(), there))
    wanted = 403 if about["x-role"] == "operator" else 400 if method == "post" else 200
    answer = shown.visitor().ask(method.upper(), there, **tokens["viewer"])
    assert answer.status == wanted
    assert_as_described(about, answer)
    if "{" in path:
        for unknown in ("00000000", "HD-00000000"):
            answer = shown.visitor().ask(method.upper(), re.sub(r"\{\w+\}", unknown, path), {"decision": "undo", "reason": "x"} if method == "post" else None,
                                         **tokens["operator"])
            assert answer.status == 404 and assert_as_described(about, answer)


def test_each_parameter_does_what_is_said_and_no_other_is_read(shown, tokens):
    asked = {"state": {"items": "complete", "deliveries": "duplicate", "cases": "closed", "replay-plan": "needs_reconciliation"},
             "where": "mailbox=sales", "resend": "1", "mailbox": "sales", "not_told": "1", "limit": "1",
             "since": "2026-01-01", "until": "2026-02-01"}
    for method, path, about in OPERATIONS:
        for parameter in about.get("parameters", []):
            name = parameter["name"]
            base = path + (NEEDED.get(path, "?") if name != "state" else "?")
            whole = shown.visitor().get(path + NEEDED.get(path, ""), **tokens["operator"]).text
            value = asked.get(name, "")
            value = value[path.split("/")[-1]] if isinstance(value, dict) else value
            if name == "after":
                continue  # test_lists.py reads each list to its end
            answer = shown.visitor().get(f"{base}&{name}={value}", **tokens["operator"])
            assert_as_described(about, answer)
            few = path.split("/")[-1] in ("deployments", "webhooks", "replays")  # here; test_lists.py reads many
            assert answer.text != whole or few, f"{name} of {path} changes nothing"
            if name in ("state", "limit", "since", "until"):
                for bad in ("nothing", "-1", "0"):
                    answer = shown.visitor().get(f"{base}&{name}={bad}", **tokens["operator"])
                    assert answer.status == 400 and assert_as_described(about, answer), (path, name, bad)
    read = set(re.findall(r'given\(v, "(\w+)"\)', SOURCE + REPLAYS)) | {"after"}
    period = (TOP / "src/console/answer.c").read_text().split("enum rc asked_period(")[1]
    read |= set(re.findall(r'query, "(\w+)"\)', period.split("\n}")[0]))
    assert read == {p["name"] for _, _, about in OPERATIONS for p in about.get("parameters", [])}


def test_decisions_take_and_answer_what_is_described(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path).start()
    try:
        path = "/api/v1/items/{key}/decisions"
        about = DESCRIBED["paths"][path]["post"]
        form = about["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
        assert set(form["properties"]) == set(re.findall(r'form_(?:get|has)\((?:form|&v->request->form), "(\w+)"', SOURCE))
        token = {"Authorization": "Bearer " + desk.run("token", "add", "script", "--role", "operator").stdout.strip()}
        conflict = desk.sql("SELECT key FROM item WHERE first_key IS NOT NULL")[0][0]
        tries = [(400, conflict, {}), (400, conflict, {"decision": "no-such", "reason": "x"}), (400, conflict, {"decision": "conflict-dismiss"}),
                 (409, conflict, {"decision": "acknowledgement-sent", "reason": "it does not fit"}),
                 (200, conflict, {"decision": "conflict-dismiss", "reason": "the same"}), (200, conflict, {"decision": "undo", "reason": "not so"})]
        for status, key, typed in tries:
            assert (wrong_with(form, typed) == []) == (status not in (400,)), typed
            answer = desk.visitor().ask("POST", path.replace("{key}", key), typed, **token)
            assert answer.status == status, (typed, answer.text)
            assert_as_described(about, answer)
        assert desk.sql("SELECT person FROM approval ORDER BY id DESC LIMIT 1")[0][0].startswith("script")
    finally:
        assert desk.stop() == 0


def test_many_are_replayed_by_the_plan_that_was_seen(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path).start()
    try:
        path, plan_path = "/api/v1/replays", "/api/v1/replay-plan"
        about = DESCRIBED["paths"][path]["post"]
        form = about["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
        assert set(form["properties"]) == set(re.findall(r'form_(?:get|has)\((?:form|&v->request->form), "(\w+)"', REPLAYS))
        token = {role: {"Authorization": "Bearer " + desk.run("token", "add", role, "--role", role).stdout.strip()} for role in ("viewer", "operator")}
        chosen = {"state": "complete", "where": "mailbox=help"}
        plan = json.loads(desk.visitor().get(f"{plan_path}?state=complete&where=mailbox%3Dhelp", **token["operator"]).text)
        assert plan == json.loads(desk.run("replay", "--state", "complete", "--where", "mailbox=help", "--json").stdout)
        whole = {**chosen, "plan": plan["plan"], "reason": "after an outage"}
        tries = [(403, "viewer", whole), (400, "operator", {**whole, "reason": " "}), (400, "operator", {**whole, "where": "nothing"}),
                 (409, "operator", {**whole, "plan": "0" * 64}), (409, "operator", {**whole, "where": "mailbox=sales"})]
        for status, role, typed in tries:
            answer = desk.visitor().ask("POST", path, typed, **token[role])
            assert answer.status == status and assert_as_described(about, answer), (typed, answer.text)
        assert desk.sql("SELECT COUNT(*) FROM bulk") == [(0,)], "nothing was begun"
        answer = desk.visitor().ask("POST", path, whole, **token["operator"])
        begun = assert_as_described(about, answer)
        assert answer.status == 200 and begun["items"] == plan["items"] > 1 and begun["by"].startswith("operator")
        until = time.monotonic() + 30
        while not (now := json.loads(desk.visitor().get(f"{path}/{begun['id']}", **token["operator"]).text))["ended_at"]:
            assert time.monotonic() < until, now
        assert now["done"] == plan["items"] and desk.sql("SELECT COUNT(*) FROM delivery WHERE class = 'replayed'") == [(plan["items"],)]
        answer = desk.visitor().ask("POST", f"{path}/{begun['id']}", {}, **token["operator"])
        assert answer.status == 200 and assert_as_described(DESCRIBED["paths"][path + "/{id}"]["post"], answer) == now
        desk.sql("INSERT INTO bulk (id, selection, resend, person, begun_at) VALUES (77, 'replay received', 0, 'bob', 1772440000000)")
        desk.sql("INSERT INTO bulk_item (bulk, key) SELECT 77, key FROM item WHERE state = 'complete' LIMIT 1")
        assert desk.visitor().ask("POST", f"{path}/77", {}, **token["viewer"]).status == 403
        assert desk.visitor().ask("POST", f"{path}/77", {}, **token["operator"]).status == 200
        while not json.loads(desk.visitor().get(f"{path}/77", **token["operator"]).text)["ended_at"]:
            assert time.monotonic() < until
    finally:
        assert desk.stop() == 0


def test_where_two_decide_a_script_begins_no_replay(ledger, tmp_path):
    desk = new_desk(ledger, tmp_path, approval="two-person").start()
    try:
        token = {"Authorization": "Bearer " + desk.run("token", "add", "script", "--role", "admin").stdout.strip()}
        plan = json.loads(desk.visitor().get("/api/v1/replay-plan?state=complete", **token).text)["plan"]
        answer = desk.visitor().ask("POST", "/api/v1/replays", {"state": "complete", "plan": plan, "reason": "again"}, **token)
        assert answer.status == 409 and desk.sql("SELECT COUNT(*) FROM bulk") == [(0,)]
    finally:
        assert desk.stop() == 0


def test_a_field_that_is_not_described_or_not_there_would_be_seen(shown, tokens):
    about = DESCRIBED["paths"]["/api/v1/items/{key}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    item = json.loads(shown.visitor().get(f"/api/v1/items/{DOUBT}", **tokens["operator"]).text)
    assert wrong_with(about, item) == []
    assert wrong_with(about, {**item, "more": 1}) and wrong_with(about, {k: v for k, v in item.items() if k != "case"})
    assert wrong_with(about, {**item, "state": "lost"})
