# SPDX-License-Identifier: Apache-2.0
"""What happened to mails as a page: it stands alone, tells what the console tells, and prints on A4."""
import hashlib
import html.parser
import json
import re
import sqlite3
import subprocess

TAGS = {"html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "section", "table", "thead",
        "tbody", "tr", "th", "td"}


class Page(html.parser.HTMLParser):
    """Its words, cell by cell; nothing is in it but what this program writes itself."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.mails = [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS and {name for name, _ in attrs} <= {"lang", "charset", "name", "content", "class", "scope"}, (tag, attrs)
        if tag != "meta":
            self.open.append(tag)
        if tag in ("td", "h2", "h1", "p"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "h2", "h1", "p"):
            self.cells[-1] += data
        if self.open and self.open[-1] == "h2":
            self.mails.append(data)


def exported(desk, *words, name="page.html"):
    file = desk.folder / name
    said = desk.run("export", *words, "--format", "html", "--to", str(file)).stdout
    return said, file.read_text()


def test_it_tells_of_a_mail_what_the_terminal_tells(desk):
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        doubts = [row for row, in db.execute("SELECT DISTINCT key FROM evidence")]
    for key in ["HD-EGGGRWE0", *doubts]:
        item = json.loads(desk.run("item", key, "--json").stdout)
        page = Page(exported(desk, key, name=f"{key}.html")[1])
        said = desk.run("item", key, width=400).stdout
        for line in said.split("What happened\n")[1].split("\n\n")[0].splitlines():
            when, what = re.fullmatch(r"(\S+ \S+)  (.+)", line).groups()
            what, _, how = what.partition(": ")
            at = page.cells.index(when)
            assert [when, what, how] in [page.cells[n:n + 3] for n in range(at, len(page.cells))], line
        for line in said.split("\nSteps\n")[1].split("\n\n")[0].splitlines()[1:]:
            assert all(cell in page.cells for cell in re.split(r"  +", line.strip())), line
        for run in {entry["run"] for entry in item["delivery_list"] + item["attempt_list"]}:
            assert run in page.cells
        assert {key.upper() if key.startswith("HD") else item["case"], item["key"], item["digest"]} <= set(page.cells)


def test_it_is_of_the_mails_of_a_period_in_the_order_of_their_arrival(desk):
    said, text = exported(desk, "--since", "1d")
    page, items = Page(text), json.loads(desk.run("items", "--json").stdout)
    items.sort(key=lambda item: item["first_seen"])
    assert page.mails == [item["case"] or "A mail without a case" for item in items] and len(items) >= 8
    assert page.cells[1] == f"From 2026-03-01 18:30:00 until 2026-03-02 18:30:00: {len(items)} mails, times in UTC"
    assert re.match(r"Deployment help-desk \(production\), onecase \S+; made 2026-03-02 18:30:00 by root", page.cells[2])
    assert f"What happened to {len(items)} mails" in said and hashlib.sha256(text.encode()).hexdigest() in said


HOSTILE = "</title></style></td><script>{0}</script><img src=//x/{0} onerror=\"{0}()\">&amp;'\u202e\033[31m"
COLUMNS = ("item.sender", "item.subject", "item.message_id", "delivery.folder", "effect.external_id", "effect.target", "effect.reason",
           "evidence.place", "approval.person", "approval.second", "note.text", "run.host", "run.name", "run.version")


def test_nobody_writes_into_it_but_this_program(desk):
    """Every field that a sender, a server or a person fills, in the page as text and as nothing else."""
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        for column in COLUMNS:
            table, name = column.split(".")
            of = {"effect.target": " WHERE kind = 'attachment'", "effect.external_id": " WHERE kind = 'attachment'"}.get(column, "")
            hostile = HOSTILE.format(column)
            if column == "effect.target":
                hostile = "01-" + hostile
            db.execute(f"UPDATE {table} SET {name} = ?{of}", [hostile.encode() if name == "message_id" else hostile])
    text = exported(desk, "--since", "7d")[1]
    shown = "\n".join(Page(text).cells)
    for column in COLUMNS:
        assert HOSTILE.format(column).split("\u202e")[0] in shown, column
    assert not re.search(r"<script|<link|<img|\shref=|https?:|@import|url\(|[\x00-\x08\x0b-\x1f\u202a-\u202e]", text)


def test_it_prints_on_a4_each_mail_from_a_new_sheet_on(desk):
    pdf = desk.folder / "page.pdf"
    text = exported(desk, "--since", "7d")[1]
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                    f"--user-data-dir={desk.folder / 'chromium'}", f"--print-to-pdf={pdf}", (desk.folder / "page.html").as_uri()],
                   check=True, capture_output=True, timeout=120)
    assert "A4" in subprocess.run(["pdfinfo", pdf], check=True, capture_output=True, text=True).stdout
    sheets = subprocess.run(["pdftotext", "-layout", pdf, "-"], check=True, capture_output=True, text=True).stdout.split("\f")
    mails = Page(text).mails
    assert all(f"{n} / {len(sheets) - 1}" in sheet for n, sheet in enumerate(sheets[:-1], 1))
    begun = [sum(len(re.findall(rf"^\s*{mail}$", sheet, re.M)) for mail in set(mails)) for sheet in sheets]
    assert max(begun) == 1 and sum(begun) == len(mails) >= 8


def test_nothing_is_overwritten_and_a_page_that_cannot_be_made_leaves_no_file(desk):
    page = desk.folder / "page.html"
    facts = json.loads(desk.run("export", "HD-EGGGRWE0", "--format", "html", "--to", str(page), "--json").stdout)
    before = page.read_bytes()
    assert facts == {"file": str(page), "folder": None, "sha256": hashlib.sha256(before).hexdigest(), "size": len(before),
                     "items": 1, "files": 1, "missing": []}
    assert page.stat().st_mode & 0o777 == 0o600
    assert "there already" in desk.run("export", "HD-EGGGRWE0", "--format", "html", "--to", str(page), status=64).stderr
    assert "--format takes tar or html" in desk.run("export", "HD-EGGGRWE0", "--format", "pdf", status=64).stderr
    desk.run("export", "HD-EGGGRWE0", "--format", "html", "--to", str(desk.folder / "no" / "page.html"), status=74)
    desk.run("export", "HD-00000000", "--format", "html", "--to", str(desk.folder / "none.html"), status=66)
    assert page.read_bytes() == before and list(desk.folder.glob("*.html*")) == [page]
