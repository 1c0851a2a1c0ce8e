# SPDX-License-Identifier: Apache-2.0
"""Every page of the console as axe-core reads it; tests/console/axe runs this."""
import json
import os
from pathlib import Path

from test_browser import Reader
from test_pages import PAGES

AXE = Path(os.environ["AXE"])

# Its own words, and where it found that.
ASK_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations.map(
  v => v.id + ': ' + v.help + ': ' + v.nodes.map(n => n.html.slice(0, 160)).join(' | '))));
"""


def test_axe_finds_nothing_on_any_page(chrome, shown):
    reader, found = Reader(chrome, shown).sign_in("admin"), {}
    axe = AXE.read_text()
    conflict, = shown.sql("SELECT substr(key, 1, 12) FROM item WHERE reason = 'conflict'")[0]
    for path in [*PAGES, f"/mail/{conflict}", "/duplicates?since=2026-01-01", "/nothing"]:
        reader.go(path).chrome.execute_script(axe)
        violations = reader.chrome.execute_async_script(ASK_AXE)
        if violations:
            found[path] = violations
    assert not found, json.dumps(found, indent=1)
    reader.chrome.execute_script("document.querySelector('main').append(document.createElement('img'))")
    assert "image-alt" in str(reader.chrome.execute_async_script(ASK_AXE)), "it does find what is there"
