# SPDX-License-Identifier: Apache-2.0
"""The pictures of the console in doc/pictures show what it shows: taken here, of the ledger and at the hour of the README's
examples, and compared. GOLDEN=write takes them anew; look at them before they are committed.

Each picture carries the words of its page, which are compared exactly; of how it looks every fifth point in each direction, so
that how a letter is drawn does not count, and a box that moved or has another colour does."""
import base64
import io
import os
import shutil

import pytest
from PIL import Image, ImageChops, ImageStat, PngImagePlugin

from conftest import PASSWORD, TOOLS, TOP, Desk
from test_browser import By, Reader

EVENING = 1772476200  # 2026-03-02T18:30:00Z, as in tests/cli
FOLDER = TOP / "doc" / "pictures"
WIDTH, HIGHEST = 800, 1150
PICTURES = {  # name: the page
    "console-overview": "/",
    "console-doubt": "/mail/HD-7PP1307J",
    "console-conflict": "/mail/10bedee54427",
    "console-duplicates": "/duplicates",
}
WORDS = "words of the page"
SMALLER, SAME, OTHER = 5, 24, 0.003  # how much may differ: of 255 shades, and of all points


class Still(Desk):
    """At half past six of the evening on which everything happened."""

    def environment(self):
        return {**super().environment(), "LD_PRELOAD": str(TOOLS / "still_clock.so"), "STILL_CLOCK": str(EVENING)}


@pytest.fixture(scope="module")
def ann(ledger, chrome, tmp_path_factory):
    """Signed in, without scripts: what they add depends on the hour and the zone of who looks."""
    folder = tmp_path_factory.mktemp("pictured")
    shutil.copytree(ledger, folder / "data")
    desk = Still(folder)
    desk.config.write_text(desk.config.read_text().replace("Australia/Perth", "UTC"))
    desk.run("user", "add", "ann", "--role", "operator", said=PASSWORD + "\n")
    desk.start()
    emulate = {"setScriptExecutionDisabled": {"value": True}, "setScrollbarsHidden": {"hidden": True},
               "setEmulatedMedia": {"features": [{"name": "prefers-color-scheme", "value": "light"}]}}
    for what, how in emulate.items():
        chrome.execute_cdp_cmd(f"Emulation.{what}", how)
    yield Reader(chrome, desk).sign_in("ann")
    for what, how in {"setScriptExecutionDisabled": {"value": False}, "setScrollbarsHidden": {"hidden": False},
                      "setEmulatedMedia": {"features": []}, "clearDeviceMetricsOverride": {}}.items():
        chrome.execute_cdp_cmd(f"Emulation.{what}", how)
    chrome.get_log("browser")
    assert desk.stop() == 0


def taken(reader, path):
    """The page as a picture, with its words."""
    def size(height):
        reader.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False})

    size(900)
    reader.go(path)
    size(min(HIGHEST, reader.chrome.execute_script("return document.documentElement.scrollHeight")))
    octets = base64.b64decode(reader.chrome.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
    words = " ".join(reader.chrome.find_element(By.TAG_NAME, "body").text.split())
    return Image.open(io.BytesIO(octets)).convert("RGB"), words


def write(path, picture, words):
    kept = PngImagePlugin.PngInfo()
    kept.add_itxt(WORDS, words)
    picture.save(path, pnginfo=kept, optimize=True)


def differ(one, other):
    """Which part of all points looks otherwise, seen from so far away that letters are grey."""
    size = (one.width // SMALLER, one.height // SMALLER)
    apart = ImageChops.difference(*(picture.resize(size, Image.Resampling.BOX) for picture in (one, other)))
    return max(ImageStat.Stat(apart.point(lambda shade: 255 * (shade > SAME))).mean) / 255


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_documents_is_what_the_console_shows(ann, name):
    path = FOLDER / f"{name}.png"
    picture, words = taken(ann, PICTURES[name])
    if os.environ.get("GOLDEN") == "write":
        write(path, picture, words)
    shown = Image.open(path)
    assert shown.text[WORDS] == words, f"{name} says something else by now: GOLDEN=write takes it anew"
    assert shown.size == picture.size
    assert differ(shown.convert("RGB"), picture) < OTHER, f"{name} looks otherwise by now: GOLDEN=write takes it anew"


def test_no_picture_of_the_console_is_taken_by_hand():
    assert {path.stem for path in FOLDER.glob("*.png")} == set(PICTURES)
