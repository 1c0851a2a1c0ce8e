# SPDX-License-Identifier: Apache-2.0
"""Prints sections of a page of the manual as a page of doc/, with the configurations that they speak of; tests/check_pages
holds the two to each other. It knows the macros of mdoc that these pages use, and fails at any other."""
import re
import sys
import textwrap
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
WIDTH = 125
LITERAL = ("Ic", "Ql", "Li", "Pa", "Ar", "Cm", "Fl", "Ev", "Nm")
NAMES = {"GLPI": "GLPI", "OSTICKET": "osTicket", "SERVICENOW": "ServiceNow", "ANY SERVICE WITH PUT": "Any service with PUT",
         "ANY SERVICE WITH POST": "Any service with POST", "MICROSOFT 365": "Microsoft 365", "A WHOLE EXAMPLE": "A whole example",
         "WHAT AN ANSWER MEANS": "What an answer means", "WHAT BECOMES OF EACH STEP": "What becomes of each step"}

PAGES = [  # page, its heading, the page of the manual, its sections (None: all from DESCRIPTION on), configurations
    ("doc/microsoft-365.md", "With Microsoft 365",     "onecase-providers.7",    ["DESCRIPTION", "MICROSOFT 365"],    ["config/microsoft-365.yaml"]),
    ("doc/gmail.md",         "With Gmail",             "onecase-providers.7",    ["DESCRIPTION", "GOOGLE", "OTHERS"], ["config/google.yaml", "config/google-refresh-token.yaml"]),
    ("doc/console.md",       "The console",            "onecase-console.7",      None,                                []),
    ("doc/destinations.md",  "Cases at another desk, product by product", "onecase-destinations.7", None,           ["config/destinations/request-tracker.yaml"]),
]


def plain(text):
    return text.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")


def inline(words):
    """One line of macros: each run of words between punctuation is one span."""
    first, *rest = words
    if first == "Pq":
        tail = [rest.pop()] if rest[-1] in (".", ",", ":", ";") else []
        return "(" + (inline(rest) if rest[0] in (*LITERAL, "Em", "Xr") else re.sub(r" ([,.])", r"\1", " ".join(rest))) + ")" + "".join(tail)
    if first == "Xr":
        return f"{rest[0]}({rest[1]})" + "".join(rest[2:])
    assert first == "Em" or first in LITERAL, first
    said, span = "", [""] if first == "Fl" else []
    for word in [*rest, None]:
        if word is None or word in (",", ".", ";", ":", "(", ")"):
            if span:
                said += (" " if said and not said.endswith("(") else "") + (f"*{' '.join(span)}*" if first == "Em" else f"`{' '.join(span)}`")
            said, span = said + (word or ""), []
        elif word == "Fl":
            span.append("")
        elif word not in LITERAL:
            span.append("-" + word if span[-1:] == [""] else word)
            span = [one for one in span if one]
    return said


class Printer:
    def __init__(self):
        self.out, self.words, self.lists, self.literal, self.inner = [], [], [], None, False

    def end_paragraph(self):
        if self.words:
            margin = self.lists[-1]["margin"] if self.lists else ""
            first = self.lists[-1].pop("mark", margin) if self.lists else ""
            self.out += [*textwrap.wrap(" ".join(self.words), WIDTH, initial_indent=first, subsequent_indent=margin, break_long_words=False,
                                        break_on_hyphens=False), ""]
            self.words = []

    def item(self, words):
        here = self.lists[-1]
        here["count"] += 1
        here["mark"] = f"{here['count']}. " if here["kind"] == "-enum" else "- "
        here["margin"] = " " * len(here["mark"])
        if words:
            self.words.append(f"**{inline(words).strip('*')}**:" if words[0] == "Em" else inline(words) + ":")

    def line(self, line):
        macro, _, rest = line[1:].partition(" ") if line.startswith(".") else ("", "", line)
        words = re.findall(r'"[^"]*"|\S+', plain(rest))
        if self.literal is not None:
            self.literal = None if macro == "Ed" else [*self.literal, plain(rest if not macro else line)]
            margin = self.lists[-1]["margin"] if self.lists else ""
            self.out += [margin + "```", ""] if macro == "Ed" else [margin + plain(line)]
        elif not macro:
            self.words.append(plain(line))
        elif macro in ("Pp", "Bl", "It", "El", "Bd", "Ss", "Sh", "Dl"):
            self.end_paragraph()
            if macro == "Bl":
                self.lists.append({"kind": words[0], "count": 0, "margin": "", "mark": ""})
            elif macro == "El":
                self.lists.pop()
            elif macro == "It":
                self.item(words)
            elif macro == "Bd":
                self.literal = []
                self.out.append((self.lists[-1]["margin"] if self.lists else "") + "```text")
            elif macro == "Dl":
                self.out += ["```text", plain(rest), "```", ""]
            elif macro in ("Ss", "Sh"):
                self.inner |= macro == "Sh"
                self.out += [("### " if macro == "Ss" and self.inner else "## ") + (NAMES.get(rest, rest.title()) if macro == "Sh" else plain(rest)), ""]
        else:
            self.words.append(inline([macro, *words]))


def printed(heading, name, sections, files):
    text = (TOP / "deploy/man" / name).read_text()
    printer = Printer()
    for part in text.split("\n.Sh ")[1:]:
        section, _, body = part.partition("\n")
        if section in ("NAME", "SEE ALSO") or sections and section not in sections:
            continue
        if section != "DESCRIPTION":
            printer.line(".Sh " + section)
        for line in body.rstrip("\n").split("\n"):
            printer.line(line)
        printer.end_paragraph()
    out = [f"# {heading}", "", f"This is `{name[:-2]}(7)`, printed here by `tests/check_pages --fix`: change `deploy/man/{name}`.", "", *printer.out]
    for file in files:
        out += [f"## `{file}`", "", "```yaml", (TOP / file).read_text().rstrip("\n"), "```", ""]
    return "\n".join(out).rstrip("\n") + "\n"


def stale():
    for page, *how in PAGES:
        path = TOP / page
        if not path.exists() or path.read_text() != printed(*how):
            yield page


def print_anew():
    for page, *how in PAGES:
        (TOP / page).write_text(printed(*how))


if __name__ == "__main__":
    sys.stdout.write(printed(*next(how for page, *how in PAGES if page == sys.argv[1])))
