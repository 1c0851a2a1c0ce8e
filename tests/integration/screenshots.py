# SPDX-License-Identifier: Apache-2.0
"""Four weeks of a help desk, played by the program, and the console's pages after them as pictures;
tests/console/screenshots runs this."""
import base64
import email
import imaplib
import json
import os
import subprocess
import time
from email import utils
from pathlib import Path

from mails import PNG
from receiver import Receiver
from rig import PROGRAM, PASSWORD, await_
from smtp_peer import SmtpPeer

from dovecot import free_port

FOLDER, WANTED = Path(os.environ["FOLDER"]), os.environ.get("PAGES", "").split()
HIGHEST = 6000  # pixels of a picture
DAY, HOUR = 86_400, 3600
DAYS = 28

PEOPLE = [("Priya Raman", "priya.raman@northwind.example"), ("Tomás Ferreira", "tomas@northwind.example"), ("Ingrid Løken", "ingrid.loken@fjord.example"),
          ("Wei Zhang", "wei.zhang@harbour.example"), ("Amara Okafor", "amara@harbour.example"), ("Jürgen Weiß", "j.weiss@fjord.example"),
          ("山田 太郎", "yamada@sakura.example"), ("Accounts Payable", "payables@supplier.example"), ("Lena Fischer", "lena.fischer@northwind.example"),
          ("Ben O'Neill", "ben.oneill@longcompanynameforthelayout.example")]
REQUESTS = [("The printer on the third floor has jammed", "It says paper jam, but there is none."),
            ("VPN asks for a code that never comes", "Since this morning I cannot sign in from home."),
            ("Invoice 4711 is not right", "We ordered two keyboards and are charged for twenty. Please correct it."),
            ("New starter on Monday", "Amara begins on Monday and needs a laptop, a badge and an account."),
            ("Meeting room screen stays black", "Room 2.14, since the update last night."),
            ("Re-order of toner, article 0815-X, for the offices in Perth and Fremantle, as agreed with Facilities in the call of last Thursday", "As agreed."),
            ("プリンターが動きません", "三階のプリンターが動きません。"), ("Password", "I have forgotten it again. Sorry."),
            ("Access to the folder Projects/2026/Harbour bridge", "Please give me access, my manager agrees."),
            ("Mailbox is full", "I get a warning each morning.")]


class Clock:
    """The program's own day: at work from ten o'clock, some minutes later with each mail."""

    def __init__(self):
        self.now = int(time.time()) - DAYS * DAY

    def to(self, ago, hour):
        self.now = int(time.time()) // DAY * DAY - ago * DAY + int(hour * HOUR)


class Desk:
    def __init__(self, rig):
        self.rig, self.clock, self.count, self.letters = rig, Clock(), 0, []
        rig.mailbox["imap"].update(host="127.0.0.1", port=rig.box.imap, security="none")
        sales = json.loads(json.dumps(rig.mailbox))
        sales.update(id="sales", addresses=["sales@example.org"])
        sales["imap"]["username"] = rig.user + "-sales"
        rig.settings["mailboxes"].append(sales)
        rig.settings.update(name="help-desk", environment="production", owner="service-desk@example.org", timezone="Australia/Perth",
                            retry={"first_delay": "100ms", "give_up_after": "1s"})
        rig.letters.update(final_timeout="1s", evidence={"wait": "0s"}, connections=1, own_lists=[])
        rig.letters["from"] = "Service Desk <help@example.org>"
        rig.environment = lambda: {**os.environ, "ONECASE_CONFIG": str(rig.config), "TZ": "UTC", "STILL_CLOCK": str(self.clock.now),
                                   "LD_PRELOAD": str(PROGRAM.resolve().parent / "tests" / "still_clock.so")}
        self.told = {"chat": Receiver(), "stock-system": Receiver()}
        rig.settings["webhooks"] = [receiver.start() or receiver.settings(rig.folder, name) for name, receiver in self.told.items()]
        self.boxes = {"help": rig.imap(), "sales": imaplib.IMAP4("127.0.0.1", rig.box.imap)}
        self.boxes["sales"].login(rig.user + "-sales", PASSWORD)

    def mail(self, n, text=None, subject=None, **more):
        (name, address), (about, says) = PEOPLE[n % len(PEOPLE)], REQUESTS[(n * 3 + n // len(PEOPLE)) % len(REQUESTS)]
        self.count += 1
        fields = {"From": utils.formataddr((name, address), "utf-8"), "To": "Help <help@example.org>", "Subject": subject or about,
                  "Date": utils.formatdate(self.clock.now - 90), "Message-ID": f"<{self.count}.{self.clock.now}@{address.split('@')[1]}>",
                  "MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "8bit"}
        fields.update({key.replace("_", "-"): value for key, value in more.items()})
        fields = {key: value for key, value in fields.items() if value}
        body = f"Good morning,\r\n\r\n{text or says}\r\n\r\nThank you\r\n{name}\r\n"
        return fields, body

    def put(self, mail, box="help", attach=False):
        fields, body = mail
        if attach:
            fields = {**fields, "Content-Type": 'multipart/mixed; boundary="b"'}
            body = ("--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n" + body
                    + '\r\n--b\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename="the screen.png"\r\n\r\n'
                    + PNG.decode("latin1") + "\r\n--b--\r\n")
        octets = ("".join(f"{key}: {value}\r\n" for key, value in fields.items()) + "\r\n" + body).encode("utf-8", "replace")
        self.again(octets, box)
        return octets

    def again(self, octets, box="help"):
        assert self.boxes[box].append("INBOX", "", imaplib.Time2Internaldate(self.clock.now), octets)[0] == "OK"

    def turn(self, script="on RCPT reply 250 ok", minutes=2):
        """One turn of the program, some minutes later."""
        self.clock.now += minutes * 60
        with SmtpPeer(script) as peer:
            self.rig.send_to(peer.port)
            self.rig.once()
            self.letters += [email.message_from_bytes(octets) for octets in peer.accepted]

    def answer(self, text, **more):
        """To the confirmation that went out last, by whom it went to."""
        letter = self.letters[-1]
        self.put(({"From": letter["To"], "To": "help@example.org", "Subject": "Re: " + letter["Subject"], "In-Reply-To": letter["Message-ID"],
                   "Date": utils.formatdate(self.clock.now - 60), "Message-ID": f"<answer.{self.clock.now}@harbour.example>", "MIME-Version": "1.0",
                   **{key.replace("_", "-"): value for key, value in more.items()}}, text + "\r\n"))

    def drag_back(self):
        """As somebody does who wants to see a filed mail again."""
        box = self.boxes["help"]
        box.select("Processed")
        assert box.copy("1", "INBOX")[0] == "OK"
        box.store("1", "+FLAGS", "(\\Deleted)"), box.expunge(), box.unselect()


BY = ("--by", "Ann Lee", "--reason")


def four_weeks(desk):
    rig, n = desk.rig, 0
    desk.clock.to(DAYS, 1)
    desk.turn()  # the first look draws the line to the mail from before
    earlier = []
    for ago in range(DAYS - 1, -1, -1):
        weekend = (int(time.time()) // DAY - ago + 3) % 7 >= 5
        desk.clock.to(ago, 2 if ago else max(0.1, time.time() % DAY / HOUR - 3))
        for _ in range(1 if weekend else 3 + ago % 3):
            n += 1
            box = "sales" if n % 4 == 0 else "help"
            earlier.append((desk.put(desk.mail(n), box, attach=n % 6 == 0), box))
            desk.clock.now += 240
        if ago % 3 == 1:  # a relay that sends again what it could not prove to have sent
            for octets, box in earlier[-5:-3 - (ago % 2)]:
                desk.again(octets, box)
        if ago % 5 == 2 and len(earlier) > 6:
            desk.again(*earlier[-6])
        if ago % 7 == 3:  # once to the address, once by a list
            fields, body = desk.mail(n + 3)
            desk.put((fields, body))
            desk.put(({**fields, "List-Id": "<all.example.org>", "Subject": "[All] " + fields["Subject"]}, body + "-- \r\nall@example.org\r\n"))
        if ago % 9 == 4:  # a sender that numbers its mails in one way only
            desk.put(desk.mail(7, f"Order {ago}: two keyboards.", "An order", Message_ID="<order@supplier.example>"))
        if ago in (20, 17, 9):
            desk.put(desk.mail(9, f"Ticket of the day: {ago}.", "Your ticket", Message_ID="<ticket@longcompanynameforthelayout.example>"))
        if ago % 6 == 5 and desk.letters:
            desk.answer("Thank you. It also happens on the second floor.")
        if ago % 8 == 7 and desk.letters:
            desk.answer("I am away until Monday.", Auto_Submitted="auto-replied", Subject="Out of office")
        if ago in (18, 7):
            desk.drag_back()
        if ago == 8:
            fields, body = desk.mail(2, "The same, by a gateway.")
            desk.put((fields, body))
            desk.put(({**fields, "Subject": "[External] " + fields["Subject"]}, "Caution: from outside.\r\n\r\n" + body))
        desk.turn({12: "on RCPT reply 550 5.1.1 who?", 5: "on RCPT reply 550 5.1.1 who?\non RCPT reply 250 ok",
                   16: "after end-of-data take, then close", 6: "after end-of-data take, then close",
                   1: "after end-of-data take, then close\nafter end-of-data take, then close"}.get(ago, "on RCPT reply 250 ok"))
        if ago in (14, 4):
            for item in rig.items("--state", "needs_reconciliation")[-2:]:
                how = ("--conflict", "new-case") if item["reason"] == "conflict" else ("--acknowledgement", "sent" if ago == 14 else "not-sent")
                rig.run("resolve", item["key"], *how, *BY, "It lies in the folder Sent." if ago == 14 else "The provider's log has it not.", status=None)
            desk.turn()
        if ago == 17:  # one such sender of whom it is said for good, and a receiver that cannot read what it is told
            said = next(item for item in rig.items() if item["reason"] == "conflict")
            rig.run("resolve", said["key"], "--conflict", "new-case", "--always", *BY, "Their tickets all carry one number.")
            desk.told["stock-system"].answers = [422]
        if ago == 2:
            desk.told["stock-system"].stop()
        if ago == 10:
            rig.run("replay", rig.items("--state", "complete")[3]["key"], "--approve", *BY, "The case looked odd.")
        if ago == 3:
            open_ones = [case for case in rig.json("cases") if case["state"] == "open"]
            for case in open_ones[::2]:
                rig.run("case", case["reference"], "--close", *BY, "solved", status=None)
            octets, box = earlier[-8]
            desk.again(octets.replace(b"Message-ID: <", b"Message-ID: <other."), box)  # the same words under another identifier


# ---- pictures ----------------------------------------------------------------------------------------------------


def chrome():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en-AU"):
        options.add_argument(option)
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def pages_of(rig):
    asks = {item["reason"]: item["case"] or item["key"][:12] for item in rig.items("--state", "needs_reconciliation")}
    done = next(item for item in rig.items("--state", "complete") if item["duplicates"] and item["case"])
    bulk = json.loads(rig.run("replay", "--state", "needs_reconciliation", "--json").stdout)
    assert bulk["items"] > 0
    rig.run("replay", "--state", "needs_reconciliation", "--where", "mailbox=help", "--approve", *BY, "after an outage")
    return {"overview": "/", "queue": "/queue", "cases": "/cases", "case": f"/case/{done['case']}", "mails": "/mails", "mail": f"/mail/{done['key'][:12]}",
            "doubt": f"/mail/{asks['acknowledgement-unknown']}", "conflict": f"/mail/{asks['conflict']}", "not-told": "/not-told",
            "duplicates": "/duplicates", "arrivals": f"/arrivals?figure=redelivered&since=0&until={1000 * int(time.time())}", "deployments": "/deployments",
            "webhooks": "/webhooks", "audit": "/audit", "health": "/health", "rules": "/rules", "replays": "/mails/replay?state=needs_reconciliation",
            "bulk": "/mails/replay/1", "refused": "/nothing"}


def shoot(driver, path, width):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    height = min(HIGHEST, driver.execute_script("return document.documentElement.scrollHeight"))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    path.write_bytes(base64.b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]))


def test_every_page_is_pictured(rig):
    from selenium.webdriver.common.by import By
    desk = Desk(rig)
    four_weeks(desk)
    desk.clock.now = int(time.time())
    pages = pages_of(rig)
    rig.settings["console"] = {"listen": f"127.0.0.1:{(port := free_port())}"}
    rig.run("user", "add", "ann", "--role", "admin", typed="correct horse battery\n")
    with SmtpPeer("on RCPT reply 250 ok") as peer:
        rig.send_to(peer.port)
        rig.environment = lambda: {**os.environ, "ONECASE_CONFIG": str(rig.config)}
        rig.serve()
        driver = chrome()
        try:
            at = f"http://127.0.0.1:{port}"

            def signed_in():
                try:
                    driver.get(at + "/sign-in")
                    return driver.find_elements(By.NAME, "name")
                except Exception:  # it is not up yet
                    return False
            await_(signed_in, "the console answers", 30)
            FOLDER.mkdir(parents=True, exist_ok=True)
            for theme in ("light", "dark"):
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                for width in (360, 800, 1600):
                    shoot(driver, FOLDER / f"sign-in-{width}-{theme}.png", width)
            driver.find_element(By.NAME, "name").send_keys("ann")
            driver.find_element(By.NAME, "password").send_keys("correct horse battery\n")
            await_(lambda: "Overview" in driver.title, "ann is in")
            for name, path in pages.items():
                if WANTED and name not in WANTED:
                    continue
                for theme in ("light", "dark"):
                    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
                    for width in (360, 800, 1600):
                        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
                        driver.get(at + path)
                        shoot(driver, FOLDER / f"{name}-{width}-{theme}.png", width)
        finally:
            driver.quit()
    print(f"\n{len(list(FOLDER.glob('*.png')))} pictures in {FOLDER}")
