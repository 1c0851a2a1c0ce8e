# SPDX-License-Identifier: Apache-2.0
"""Who follows deploy/deciding.md, and knows nothing else, decides the five mails of deploy/practice rightly."""
import os
import re
import subprocess

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from rig import TOP, await_

PAGE = (TOP / "deploy" / "deciding.md").read_text()
# What a reader sees on the page of a mail that the table tells apart by.
SEEN = {"its Message-ID is there": lambda page, log: re.search(r"Message-ID +(<\S+>)", page)[1] in log,
        "it is not there": lambda page, log: re.search(r"Message-ID +(<\S+>)", page)[1] not in log,
        "somebody else": lambda page, log: len(set(re.findall(r"^From +(\S+)", page, re.M))) == 2,
        "the same words": lambda page, log: "Please order two keyboards" in page.split("The first mail")[1],
        "a machine": lambda page, log: "Nobody has to do anything" in page}


def table():
    for question, _, if_so, button, key in re.findall(r"^\| ([A-Z][^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| `(.)` \|$", PAGE, re.M):
        yield question.strip(), next(seen for words, seen in SEEN.items() if if_so.startswith(words)), button.strip(), key


def key_for(page, log):
    keys = [key for question, seen, _, key in table() if question in page and seen(page, log)]
    assert len(keys) == 1, (keys, page)
    return keys[0]


def practise(choose):
    run = subprocess.Popen([TOP / "deploy" / "practice"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, "COLUMNS": "80"}, text=True, bufsize=1, start_new_session=True)
    said = ""

    def until(*texts):
        nonlocal said
        start = len(said)
        while not any(text in said[start:] for text in texts):
            piece = run.stdout.read(1)
            if not piece:
                return said[start:]
            said += piece
        return said[start:]

    log = until("Your name:")
    run.stdin.write("ann\nfollowed the page\n")
    run.stdin.flush()
    while "Your key: " in (page := until("Your key: ", "What follows from it")):
        run.stdin.write(choose(page, log))
        run.stdin.flush()
    rest = until("\0")
    run.stdin.close()
    return run.wait(60), said, rest


def test_the_five_are_decided_rightly_by_the_page(tmp_path):
    if os.geteuid() != 0:
        pytest.fail("the private mail server needs root")
    status, said, rest = practise(key_for)
    assert len(list(table())) == 5
    assert re.findall(r"^(right|not right|undecided) ", rest, re.M) == ["right"] * 5, said
    assert status == 0 and "5 decided, 0 skipped, 0 not looked at." in said


def test_who_decides_otherwise_is_told_which(tmp_path):
    status, said, rest = practise(lambda page, log: "k" if "Another mail carries" in page else "n" if "Was the confirmation" in page
                                  else key_for(page, log))
    assert status == 1
    assert re.findall(r"^(right|not right|undecided) +(.*?)(?::|$)", rest, re.M) == [
        ("not right", "My chair is broken"), ("not right", "My badge opens no door"), ("undecided", "My second monitor is dark"),
        ("right", "[EXTERNAL] Two keyboards for the lab"), ("right", "Self-test 3 passed")]


# ---- in the console --------------------------------------------------------------------------------------------


def button_for(entry, log):
    """By what stands in an entry of the queue; its words are those of the terminal, but for the case's name in the question."""
    asked = re.sub(r"(confirmation) for \S+", r"\1", entry)
    ids = re.search(r"<ack\.\S+>", entry)
    page = asked + (f"\nMessage-ID {ids[0]}" if ids else "") + "".join(f"\nFrom {at}" for at in re.findall(r"\S+@\S+", entry.split("From")[-1].split("Subject")[0]))
    page += "\nThe first mail" + entry
    buttons = [button for question, seen, button, _ in table() if question in page and seen(page, log)]
    assert len(buttons) == 1, (buttons, entry)
    return buttons[0]


def says(driver, text):
    """In the middle of a navigation the driver may have other words for "not yet"."""
    try:
        return driver.execute_script("return document.readyState") == "complete" and text in driver.find_element(By.TAG_NAME, "main").text
    except WebDriverException:
        return False


@pytest.fixture
def driver():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(option)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    yield driver
    driver.quit()


def test_the_five_are_decided_rightly_in_the_console_too(driver):
    run = subprocess.Popen([TOP / "deploy" / "practice", "--browser"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, bufsize=1, start_new_session=True)
    log = ""
    while "Press Enter" not in log:
        piece = run.stdout.read(1)
        assert piece, log
        log += piece
    place, password = re.search(r"^Open +(\S+)$", log, re.M)[1], re.search(r"^Password (\S+)$", log, re.M)[1]
    try:
        driver.get(place)
        driver.find_element(By.NAME, "name").send_keys("you")
        driver.find_element(By.NAME, "password").send_keys(password + "\n")
        await_(lambda: says(driver, "5 mails wait"), "the queue")
        for left in range(5, 0, -1):
            entries = driver.find_elements(By.CSS_SELECTOR, "article.entry")
            assert len(entries) == left
            entries[0].find_element(By.NAME, "reason").send_keys("followed the page")
            button = button_for(entries[0].text, log)
            next(b for b in entries[0].find_elements(By.TAG_NAME, "button") if b.text == button).click()
            await_(lambda: says(driver, f"{left - 1} mails wait" if left > 2 else "One mail waits" if left == 2 else "Nothing waits for you."),
                   "one is decided")
    finally:
        run.stdin.write("\n")
        run.stdin.flush()
        rest = run.stdout.read()
        run.stdin.close()
    assert re.findall(r"^(right|not right|undecided) ", rest, re.M) == ["right"] * 5, rest
    assert run.wait(60) == 0
