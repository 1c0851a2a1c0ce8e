# SPDX-License-Identifier: Apache-2.0
"""The duplicate report as a page: it stands alone, adds up, and prints on two sheets of A4."""
import datetime
import html.parser
import json
import random
import re
import sqlite3
import subprocess

from conftest import EVENING

DAY = 86400000


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.tiles, self.words = [], [], [], []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if ("class", "tile") in attrs or ("class", "tile bad") in attrs:
            self.tiles.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th", "span") and self.rows:
            self.rows[-1].append(data)
        if "div" in self.open and self.tiles and "table" not in self.open and self.open[-1] in ("b", "div"):
            self.tiles[-1] += data.strip() and data + " "


def a_month(desk):
    """A month of copies, from senders whose names are what they like."""
    random.seed(4)
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.row_factory = sqlite3.Row
        item = dict(db.execute("SELECT * FROM item WHERE arrived_as = 'case' LIMIT 1").fetchone())
        run = db.execute("SELECT id FROM run").fetchone()[0]
        for i in range(150):
            key, at = f"{random.getrandbits(250):064x}", EVENING * 1000 - random.randrange(1, 30 * DAY)
            domain = ["example.com", "<script>.example", "a-very-long-name-of-some-department.university.example"][i % 3]
            row = item | dict(key=key, message_id=b"<%d@y>" % i, case_key=key, source_digest=key, octets=key, created_at=at,
                              sender=f"p@{domain}", sender_plain=f"p@{domain}", number=None)
            db.execute(f"INSERT INTO item ({','.join(row)}) VALUES ({','.join('?' * len(row))})", list(row.values()))
            db.execute("INSERT INTO case_record (key, reference, mailbox, state, created_at) VALUES (?, ?, 'help', 'open', ?)",
                       (key, f"HD-{i:08d}", at))
            for n in range(1 + i % 4):
                db.execute("INSERT INTO delivery (key, mailbox, folder, uidvalidity, uid, internal_ms, size, octets, class, won,"
                           " move_to, left_folder, run, seen_at) VALUES (?, 'help', 'INBOX', 7, ?, ?, 1, ?, ?, ?, 'Processed', 1, ?, ?)",
                           (key, 1000 + i * 4 + n, at, key, "redelivered" if n else "first", int(not n), run, at + n))


def test_every_number_of_the_page_is_the_one_of_the_report(desk):
    a_month(desk)
    text = desk.run("report", "duplicates", "--format", "html").stdout
    page, report = Page(text), json.loads(desk.run("report", "duplicates", "--json").stdout)
    totals, numbers = report["totals"], {row[1]: int(row[0]) for row in page.rows if len(row) == 2 and row[0].isdigit()}
    assert numbers["new cases"] == totals["new_cases"] and numbers["further copies"] == totals["redelivered"]
    assert numbers["held for a decision"] == totals["held"] and numbers["other mails, same identifier"] == totals["conflict"]
    assert [re.sub(r'\s+', ' ', tile) for tile in page.tiles] == [f"{totals['cases_prevented']} second cases avoided ",
                          f"{totals['acknowledgements_withheld']} confirmations in doubt, not sent twice ",
                          f"{totals['doubles']} doubles that did happen, after a person's decision ",
                          f"{totals['decided']['waiting']} mails that wait for a decision "]
    bars = {row[0]: int(row[1]) for row in page.rows if len(row) == 2 and row[1].isdigit()}
    assert [bars[what] for what in ("the mail arrived twice", "two runs at once", "a step tried again after a lost answer",
                                    "a person's replay", "another installation")] == list(report["boundaries"].values())
    total, = [row for row in page.rows if "the sum of the rows above" in row]
    assert total[:1] == [str(totals["deliveries"])] and totals["deliveries"] > 300
    assert sum(numbers[what] for what in list(numbers)[:13]) == totals["deliveries"]


def test_it_stands_alone_and_a_sender_writes_nothing_into_it(desk):
    a_month(desk)
    text = desk.run("report", "duplicates", "--format", "html").stdout
    assert not re.search(r"<script|<link|<img|src=|href=|https?:|@import|url\(", text)
    assert "&lt;script&gt;.example" in text and "\033" not in text
    for said in ("Deployment help-desk (production), onecase ", "made 2026-03-02 18:30:00 by root", "times in UTC",
                 "How this is counted", "The first 40 of "):
        assert said in text, said


def test_numbers_that_do_not_add_up_are_red_and_end_with_1(desk):
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.execute("UPDATE item SET arrived_as = 'dismissed' WHERE subject = 'Who am I?'")
    text = desk.run("report", "duplicates", "--format", "html", status=1).stdout
    assert "These numbers do not add up" in text and 'class="bad">which is NOT the sum' in text


def test_it_prints_on_two_sheets_of_a4(desk):
    a_month(desk)
    page, pdf = desk.folder / "report.html", desk.folder / "report.pdf"
    page.write_text(desk.run("report", "duplicates", "--format", "html").stdout)
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                    f"--user-data-dir={desk.folder / 'chromium'}", f"--print-to-pdf={pdf}", page.as_uri()],
                   check=True, capture_output=True, timeout=120)
    said = subprocess.run(["pdfinfo", pdf], check=True, capture_output=True, text=True).stdout
    assert re.search(r"^Pages: +2$", said, re.M) and "A4" in said, said


def test_each_number_of_the_page_has_exactly_as_many_rows(desk):
    text = desk.run("report", "duplicates", "--format", "html").stdout
    numbers = re.findall(r'data-figure="([^"]+)">(?:<td>[^<]*</td>)*<(?:td class="n"|b)>(\d+)<', text)
    assert len(numbers) >= 30
    for figure, number in numbers:
        assert len(json.loads(desk.run("report", "duplicates", "--rows", figure, "--json").stdout)) == int(number), figure


# ---- its bars -----------------------------------------------------------------------------------------------


def in_perth(desk):
    desk.config.write_text(desk.config.read_text().replace("timezone: UTC", "timezone: Australia/Perth"))


BAR = r'<rect class="c-(\w+)" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"><title>([\d-]{10}): (\d+) '


def test_a_bar_stands_at_its_day_as_high_as_its_copies(desk):
    a_month(desk)
    in_perth(desk)
    text = desk.run("report", "duplicates", "--format", "html").stdout
    days = {row["day"]: row["classes"] for row in json.loads(
        desk.run("report", "duplicates", "--json").stdout)["by_day"]}
    drawn, at = {}, {}
    for cause, x, y, height, day, count in re.findall(BAR, text):
        drawn.setdefault(day, {})[cause] = int(count)
        at[day] = float(x)
        assert abs(float(height) - int(count) * 116 / max(sum(d.values()) for d in days.values())) <= 1
    assert drawn == days and len(days) > 20
    first, *rest = sorted(datetime.date.fromisoformat(day) for day in at)
    pitch = (at[str(rest[0])] - at[str(first)]) / (rest[0] - first).days
    for day in rest:  # also where days before it had none
        assert abs(at[str(day)] - at[str(first)] - pitch * (day - first).days) < 0.2, day


def test_a_day_is_one_of_the_zone_in_which_people_read(desk):
    a_month(desk)
    in_perth(desk)
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        copies = [row for row, in db.execute("SELECT id FROM delivery WHERE class = 'redelivered'")]
        for n, at in enumerate(("2026-01-10 15:59:59", "2026-01-10 16:00:00")):  # midnight in Perth
            db.execute("UPDATE delivery SET seen_at = strftime('%s', ?) * 1000 WHERE id = ?", (at, copies[n]))
    said = json.loads(desk.run("report", "duplicates", "--json").stdout)["by_day"]
    for day, at in ("2026-01-10", "2026-01-10T15:59:59Z"), ("2026-01-11", "2026-01-10T16:00:00Z"):
        assert [row["duplicates"] for row in said if row["day"] == day] == [1]
        for figure in f"day:{day}", f"day:{day}/redelivered":
            rows = json.loads(desk.run("report", "duplicates", "--rows", figure, "--json").stdout)
            assert [row["at"] for row in rows] == [at], figure
    assert json.loads(desk.run("report", "duplicates", "--rows", "day:2026-01-10/list_copy", "--json").stdout) == []


def test_no_trend_is_drawn_from_few_arrivals(desk):
    few = desk.run("report", "duplicates", "--since", "40d", "--format", "html").stdout
    assert "<polyline" not in few and "Fewer than 30 arrivals: too few to read a trend from." in few
    a_month(desk)
    many = desk.run("report", "duplicates", "--since", "40d", "--format", "html").stdout
    assert len(re.findall("<polyline", many)) == 1 and "mean of seven days" in many and "Fewer than" not in many
