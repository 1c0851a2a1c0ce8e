# SPDX-License-Identifier: Apache-2.0
"""Whole stories in Chromium, and what every page owes to whoever reads it by eye, ear or keyboard."""
import base64
import json
import re
import subprocess
import time

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from conftest import PASSWORD, new_desk
from test_pages import DOUBT, PAGES

# What a page must not have; each entry of its answer says what, and where.
INSPECT = """
const found = [], say = (what, e) => found.push(what + ': ' + e.outerHTML.slice(0, 120));
const name = e => (e.getAttribute('aria-label') || e.textContent || e.value || '').trim();
for (const e of document.querySelectorAll('input:not([type=hidden]), select, textarea'))
  if (!(e.labels && e.labels.length) && !e.getAttribute('aria-label')) say('a field without a label', e);
for (const e of document.querySelectorAll('a, button, summary')) if (!name(e)) say('nothing to read', e);
for (const e of document.querySelectorAll('a:not([href])')) say('a link to nowhere', e);
for (const e of document.querySelectorAll('svg:not([aria-hidden])'))
  if (e.getAttribute('role') !== 'img' || !name(e)) say('a picture without words', e);
for (const e of document.querySelectorAll('th:not([scope])')) say('a heading of nothing', e);
for (const e of document.querySelectorAll('[aria-labelledby]'))
  if (!document.getElementById(e.getAttribute('aria-labelledby'))) say('labelled by nothing', e);
for (const e of document.querySelectorAll('label[for]')) if (!document.getElementById(e.htmlFor)) say('a label of nothing', e);
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
ids.filter((id, n) => ids.indexOf(id) !== n).forEach(id => found.push('an id that is there twice: ' + id));
let level = 0;
for (const e of document.querySelectorAll('h1, h2, h3, h4')) {
  const n = +e.tagName[1];
  if (n > level + 1) say('a level of headings is left out', e);
  level = n;
}
if (document.querySelectorAll('h1').length !== 1) found.push('not one h1');
for (const mark of ['main', 'header', 'footer']) if (!document.querySelector(mark)) found.push('no ' + mark);
if (!document.documentElement.lang) found.push('no language');
const here = document.querySelector('.places a[aria-current]'), at = here && here.getBoundingClientRect();
if (at && (at.left < 0 || at.right > innerWidth)) say('where one is, out of sight', here);
for (const e of document.querySelectorAll('.filter label'))
  if (Math.abs(e.getBoundingClientRect().top - e.control.getBoundingClientRect().top) > 20) say('a label away from its field', e);
if (document.documentElement.scrollWidth > innerWidth) found.push('wider than the window: ' + document.documentElement.scrollWidth);

const ctx = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgba = text => { ctx.clearRect(0, 0, 1, 1); ctx.fillStyle = text; ctx.fillRect(0, 0, 1, 1);
  return [...ctx.getImageData(0, 0, 1, 1).data].map((v, n) => n == 3 ? v / 255 : v); };
const over = (top, under) => top.slice(0, 3).map((v, n) => v * top[3] + under[n] * (1 - top[3])).concat(1);
const paper = e => { let layers = [];
  for (; e; e = e.parentElement) layers.unshift(rgba(getComputedStyle(e).backgroundColor));
  return layers.reduce((under, top) => over(top, under), [255, 255, 255, 1]); };
const light = c => { const l = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * l[0] + .7152 * l[1] + .0722 * l[2]; };
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let t; t = walk.nextNode();) {
  const e = t.parentElement, style = getComputedStyle(e);
  if (!t.data.trim() || !e.getClientRects().length || e.closest('svg, script, .hidden') || style.visibility === 'hidden') continue;
  const under = paper(e), ink = over(rgba(style.color), under), [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
  const ratio = (a + .05) / (b + .05);
  if (ratio < 4.5) found.push('contrast ' + ratio.toFixed(2) + ': ' + t.data.trim().slice(0, 40));
}
return found;
"""


class Reader:
    def __init__(self, chrome, desk):
        self.chrome, self.desk = chrome, desk
        chrome.delete_all_cookies()

    def go(self, path):
        self.chrome.get(f"http://127.0.0.1:{self.desk.port}{path}")
        return self

    def sign_in(self, name):
        self.chrome.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.go("/sign-in").type("name", name).type("password", PASSWORD).click("Sign in")
        return self

    def type(self, field, text):
        self.chrome.find_element(By.NAME, field).send_keys(text)
        return self

    def click(self, text, within=None):
        page = within or self.chrome
        found = [e for e in page.find_elements(By.CSS_SELECTOR, "a, button, summary") if e.text.startswith(text)]
        assert found, f"there is no {text} to click on {self.path}"
        before, leads = self.chrome.find_element(By.TAG_NAME, "html"), found[0].tag_name != "summary"
        found[0].click()
        if leads:
            # in the middle of a navigation the driver may have other words for "gone": it is asked again
            WebDriverWait(self.chrome, 20, ignored_exceptions=[WebDriverException]).until(
                expected_conditions.staleness_of(before))
        return self

    @property
    def path(self):
        return self.chrome.execute_script("return location.pathname + location.search")

    @property
    def text(self):
        return self.chrome.find_element(By.TAG_NAME, "main").text

    def entry(self, name):
        return self.chrome.find_element(By.XPATH, f"//article[.//h3[contains(., '{name}')]]")


@pytest.fixture
def reader(chrome, desk):
    chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    yield Reader(chrome, desk)
    troubles = [entry for entry in chrome.get_log("browser") if not re.search(r"status of 4\d\d", entry["message"])]
    assert not troubles, troubles


@pytest.mark.parametrize("scripts", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_doubt_goes_from_the_queue_to_resolved(reader, desk, scripts):
    reader.chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    reader.sign_in("operator").click("Needs your decision")
    assert "3 mails wait" in reader.text
    entry = reader.entry(DOUBT)
    entry.find_element(By.NAME, "reason").send_keys("It lies in the folder Sent.")
    reader.click("It was sent", entry)
    assert f"{DOUBT}: Recorded." in reader.text and "2 mails wait" in reader.text
    assert desk.sql("SELECT person FROM approval ORDER BY id DESC LIMIT 1") == [("operator (console)",)]
    reader.click("Look at it, or take it back").click("Take the last decision back")
    assert "It lies in the folder Sent." in reader.text
    reader.type("reason", "It was another one.").click("Take the decision back")
    assert "3 mails wait" in reader.go("/queue").text


def test_a_conflict_is_answered_where_it_is_shown(reader, desk):
    reader.sign_in("operator").go("/queue")
    entry = reader.entry("a mail without a case")
    assert {mark.text for mark in entry.find_elements(By.TAG_NAME, "mark")} >= {"Lunch?", "carl@example.net"}
    entry.find_element(By.NAME, "reason").send_keys("spam")
    reader.click("It is the same mail", entry)
    assert "Recorded." in reader.text
    assert desk.sql("SELECT disposition FROM item WHERE first_key IS NOT NULL") == [("dismissed",)]


def test_senders_are_told_in_bulk(reader, desk):
    reader.sign_in("owner").click("Not told")
    for box in reader.chrome.find_elements(By.CSS_SELECTOR, "input[name=mail]"):
        box.click()
    reader.type("reason", "Their server works again.").click("Send those chosen again")
    assert "has been" in reader.text and "Recorded." in reader.text


@pytest.mark.parametrize("scripts", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_many_are_replayed_after_a_look_at_the_plan(reader, desk, scripts):
    reader.chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    reader.sign_in("operator").click("Mails").click("Replay many")
    Select(reader.chrome.find_element(By.NAME, "state")).select_by_visible_text("complete")
    Select(reader.chrome.find_element(By.NAME, "only")).select_by_visible_text("this sender")
    reader.type("value", "ann@example.com").click("Show the plan")
    assert "The plan for mails with the state 'complete', from ann@example.com" in reader.text
    assert desk.sql("SELECT COUNT(*) FROM bulk") == [(0,)], "nothing was done"
    count = len(reader.chrome.find_elements(By.CSS_SELECTOR, "section tbody tr"))
    reader.type("reason", "Their case was lost.").click(f"Replay these {count}")
    until = time.monotonic() + 30
    while "Ended" not in reader.text and time.monotonic() < until:
        reader.click("Look again")
    assert f"{count} of {count} mails" in reader.text and "Their case was lost." in reader.text
    reader.click("Replay others")
    assert "ended" in reader.text and desk.sql("SELECT COUNT(*) FROM delivery WHERE class = 'replayed'") == [(count,)]


def test_each_headline_of_the_report_opens_its_rows(reader):
    reader.sign_in("viewer").go("/duplicates?since=2026-01-01")
    links = [(a.get_attribute("href"), a.find_element(By.TAG_NAME, "strong").get_attribute("textContent"))
             for a in reader.chrome.find_elements(By.CSS_SELECTOR, "a[href*='/arrivals']:has(strong)")]
    assert len(links) > 20
    for href, count in links:
        reader.chrome.get(href)
        assert len(reader.chrome.find_elements(By.CSS_SELECTOR, "tbody tr")) == int(count), href


def test_a_report_of_a_busy_month_prints_on_two_sheets(reader, desk, tmp_path):
    desk.sql("""INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets, class, won, move_to,
                left_folder, run, seen_at, item_number) SELECT key, mailbox, folder, 99, n, internal_ms, size, octets, 'redelivered', 0,
                move_to, 1, run, 1770000000000 + n * 9000000, item_number FROM (SELECT *, row_number() OVER () AS n FROM delivery,
                (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7))""")
    desk.sql("UPDATE approval SET person = person || ' ' || id")
    reader.sign_in("operator").go("/duplicates?since=2026-02-01&until=2026-03-03")
    printed = reader.chrome.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    (tmp_path / "report.pdf").write_bytes(base64.b64decode(printed["data"]))
    said = subprocess.run(["pdfinfo", tmp_path / "report.pdf"], check=True, capture_output=True, text=True).stdout
    assert re.search(r"^Pages: +2$", said, re.M), said


def test_a_viewer_is_not_led_to_what_is_not_theirs(reader):
    reader.sign_in("viewer")
    places = [a.text for a in reader.chrome.find_elements(By.CSS_SELECTOR, "nav.places a")]
    assert "Overview" in places and not [p for p in places if "decision" in p or p in ("Cases", "Audit", "Not told")]
    assert "Not for your role" in reader.go("/queue").text


# What the page asks for and how often; its clock is moved by hand, and the page hidden.
CLOCK = """
window.ticks = []; window.asked = []; window.away = false;
window.setInterval = (call, every, ...more) => ticks.push({every, go: () => call(...more)});
const really = window.fetch;
window.fetch = (to, ...more) => { asked.push(to); return really(to, ...more); };
Object.defineProperty(document, 'hidden', {get: () => away});
"""
LINE = "return document.querySelector('main [aria-live=polite][role=status]').textContent"


@pytest.fixture
def clock(reader):
    script = reader.chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": CLOCK})
    yield lambda: reader.chrome.execute_script("ticks.forEach(tick => tick.go())")
    reader.chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_a_page_stays_fresh_by_itself(reader, desk, clock):
    reader.sign_in("viewer").go("/health")
    reader.chrome.execute_script("document.querySelector('.checks li strong').textContent = 'old'")
    assert reader.chrome.execute_script("return ticks.map(tick => tick.every)") == [10000]
    clock()
    WebDriverWait(reader.chrome, 20).until(lambda _: "old" not in reader.text)


def test_a_list_says_that_more_waits_and_takes_nothing_that_was_typed(reader, desk, clock):
    desk.run("resolve", DOUBT, "--acknowledgement", "sent", "--by", "bob", "--reason", "in Sent")
    reader.sign_in("operator").go("/queue")
    assert "2 mails wait" in reader.text
    reader.entry("a mail without a case").find_element(By.NAME, "reason").send_keys("half a sent")
    looks = desk.sql("SELECT COUNT(*) FROM look")
    desk.run("resolve", DOUBT, "--undo", "--by", "bob", "--reason", "it was another")
    assert reader.chrome.execute_script("return ticks.map(tick => tick.every)") == [10000]
    reader.chrome.execute_script("away = true"), clock()
    assert reader.chrome.execute_script("return asked") == [], "hidden, it asks nothing"
    reader.chrome.execute_script("away = false"), clock()
    WebDriverWait(reader.chrome, 20).until(lambda c: c.execute_script(LINE) == "One more waits: show it")
    assert "2 mails wait" in reader.text and desk.sql("SELECT COUNT(*) FROM look") == looks
    reader.click("show it")
    assert "3 mails wait" in reader.text and reader.path == "/queue" and reader.chrome.execute_script(LINE) == ""
    assert reader.entry("a mail without a case").find_element(By.NAME, "reason").get_attribute("value") == "half a sent"
    assert "half a sent" not in str(reader.chrome.execute_script("return JSON.stringify(sessionStorage)"))
    desk.run("resolve", DOUBT, "--acknowledgement", "sent", "--by", "bob", "--reason", "in Sent"), clock()
    WebDriverWait(reader.chrome, 20).until(lambda c: c.execute_script(LINE) == "One waits no more: show what is left")


def test_the_keyboard_is_enough(reader, desk):
    reader.sign_in("operator").go(f"/mail/{DOUBT}")
    body = reader.chrome.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    first = reader.chrome.switch_to.active_element
    assert first.text == "To the page" and first.location["x"] >= 0
    order = []
    for _ in range(40):
        e = reader.chrome.switch_to.active_element
        order.append(e.get_attribute("name") or e.text)
        if order[-1] == "decision":
            break
        e.send_keys(Keys.TAB)
    assert order.index("reason") < order.index("decision")
    reader.chrome.find_element(By.NAME, "reason").send_keys("by keyboard")
    reader.chrome.switch_to.active_element.send_keys(Keys.TAB)
    reader.chrome.switch_to.active_element.send_keys(Keys.ENTER)
    WebDriverWait(reader.chrome, 10).until(lambda _: "Recorded." in reader.text)


def test_many_are_replayed_by_keyboard_alone(reader, desk):
    def press(*keys):
        ActionChains(reader.chrome).send_keys(*keys).perform()
        return reader.chrome.switch_to.active_element

    def tab_to(name):
        for _ in range(60):
            e = press(Keys.TAB)
            if name in (e.get_attribute("name"), e.text):
                return e
        raise AssertionError(f"the tab key does not come to {name}")

    def seen(words):
        WebDriverWait(reader.chrome, 20, ignored_exceptions=[WebDriverException]).until(lambda _: words in reader.text)

    reader.sign_in("operator").go("/mails/replay")
    tab_to("state"), press("complete")
    tab_to("only"), press("this sender")
    tab_to("value"), press("ann@example.com", Keys.ENTER)
    seen("The plan for mails with the state 'complete', from ann@example.com")
    tab_to("reason")
    assert press("Their case was lost.", Keys.TAB).text.startswith("Replay these")
    press(Keys.ENTER)
    seen("Their case was lost.")
    until = time.monotonic() + 30
    while "Ended" not in reader.text and time.monotonic() < until:
        tab_to("Look again"), press(Keys.ENTER)
        time.sleep(0.05)
        seen("Their case was lost.")
    assert "Ended" in reader.text


LENGTHEN = """
const cells = [...document.querySelectorAll('.rows td')].filter(td => td.textContent.includes('@') && !td.querySelector('a'));
cells.forEach(td => (td.querySelector('small') || td).textContent = 'someone.with.a.long.name@' + 'a-company-that-has-a-longer-one.'.repeat(2) + 'example');
const wide = [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1);
return [cells.length, wide.map(e => e.getAttribute('aria-label'))];
"""


def test_a_long_address_moves_no_list_sideways(chrome, shown):
    reader = Reader(chrome, shown).sign_in("operator")
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 800, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    for path in ("/mails", "/cases", "/not-told", "/deployments", "/webhooks", "/mails/replay?state=complete"):
        cells, wide = reader.go(path).chrome.execute_script(LENGTHEN)
        assert wide == [] and (cells > 0 or path not in ("/mails", "/cases", "/not-told")), path
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


NARROW = """
const wide = [...document.querySelectorAll('.scroll:not(.drawing)')].filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1);
const nameless = [...document.querySelectorAll('.rows td ~ td')].filter(td => td.offsetParent && !td.dataset.label && !td.previousElementSibling.querySelector('input'));
const hidden = [...document.querySelectorAll('.rows input')].filter(e => { e.scrollIntoView({block: 'center'});
  const at = e.getBoundingClientRect();
  return at.width < 16 || document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2) !== e; });
return [document.querySelectorAll('.rows td').length, [wide, nameless, hidden].map(found => found.map(e => e.outerHTML.slice(0, 120)))];
"""


def test_on_a_narrow_screen_each_row_says_its_columns_and_is_read_without_moving_sideways(chrome, shown):
    reader = Reader(chrome, shown).sign_in("operator")
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    for path in ("/mails", "/cases", "/not-told", "/deployments", "/audit", "/webhooks", "/mails/replay?state=complete", f"/mail/{DOUBT}",
                 "/duplicates?since=2026-01-01", "/arrivals?figure=deliveries"):
        cells, troubles = reader.go(path).chrome.execute_script(NARROW)
        assert troubles == [[], [], []] and (cells or path == "/webhooks"), path
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [360, 800, 1400])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_can_be_read_by_everybody(chrome, shown, theme, width):
    reader = Reader(chrome, shown).sign_in("admin")
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    found = {}
    for path in [*PAGES, "/nothing"]:
        troubles = reader.go(path).chrome.execute_script(INSPECT)
        if troubles:
            found[path] = troubles
    chrome.execute_cdp_cmd("Network.clearBrowserCookies", {})
    if reader.go("/sign-in").chrome.execute_script(INSPECT):
        found["/sign-in"] = reader.chrome.execute_script(INSPECT)
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert not found, json.dumps(found, indent=1)
