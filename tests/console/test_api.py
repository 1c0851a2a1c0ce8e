# SPDX-License-Identifier: Apache-2.0
"""The interface for scripts: what it describes is what there is, and the same as --json."""
import json
import re

import pytest

from conftest import TOP
from test_pages import DOUBT

SAME = [("items", "items --json"), (f"items/{DOUBT}", f"item {DOUBT} --json"), ("deliveries", "deliveries --json"),
        ("cases", "cases --json"), (f"cases/{DOUBT}", f"case {DOUBT} --json"), ("status", "status --json")]


@pytest.mark.parametrize("path, command", SAME)
def test_it_gives_the_objects_of_the_commands(shown, path, command):
    said = json.loads(shown.visitors["operator"].get("/api/v1/" + path).text)
    told = json.loads(shown.run(*command.split()).stdout)
    for one in (said, told):
        for box in one.get("mailboxes", []) if isinstance(one, dict) else []:
            box.pop("oldest_incomplete_seconds")
    by = (lambda list: sorted(list, key=lambda o: json.dumps(o, sort_keys=True))) if isinstance(told, list) else (lambda o: o)
    assert by(said) == by(told)


def test_the_description_names_every_way_and_no_other(shown):
    text = shown.visitor().get("/api/v1/openapi.yaml").text
    described = {(method.upper(), re.sub(r"\{\w+\}", "*", path))
                 for path, method in re.findall(r"^  (/api\S+):\n    (get|post):", text, re.M)}
    routes = set(re.findall(r'METHOD_(GET|POST), +"(/api/[^"]+)"', (TOP / "src/console/route.c").read_text()))
    assert described == routes
    for method, path in routes:
        if method == "GET" and "openapi" not in path:
            assert shown.visitor().get(path.replace("*", "x")).status == 401
