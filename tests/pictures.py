# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documents: doc/pictures/NAME.svg, drawn by graphviz from what the program says of itself.

For tests/check_pages. A picture carries the digest of the text that it was drawn from, so that whether it is stale is seen
without graphviz; drawing it anew wants `dot` (Debian: graphviz).
"""
import collections
import hashlib
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDER = TOP / "doc" / "pictures"

BY = {"service": "#444444", "peer": "#1f5fa8", "evidence": "#1b7a3d", "person": "#b35300"}  # who causes a step, and its colour
HEAD = """digraph "{name}" {{
  graph [bgcolor=white, fontname="Helvetica,Arial,sans-serif", fontsize=13, rankdir={direction}, nodesep=0.5, ranksep=0.7, pad=0.2];
  node [fontname="Helvetica,Arial,sans-serif", fontsize=13, shape=box, style="rounded,filled", fillcolor="#f4f4f0", color="#777777"];
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=11, color="#444444"];
"""


def quoted(text, width=24):
    return '"' + "\\n".join(textwrap.wrap(text, width)).replace('"', '\\"') + '"'


def table(spec, title):
    """The rows of one table of `onecase spec`, without their quotes."""
    part = re.search(rf"^### {re.escape(title)} \([^)]*\)\n\n(.*?)(?=^### |\Z)", spec, re.M | re.S)
    if not part:
        sys.exit(f"tests/pictures.py: `onecase spec` has no table {title!r}")
    rows = [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in part[1].splitlines() if line.startswith("|")]
    return rows[2:]


def machine(spec, name, states, transitions, columns):
    """A state machine: one arrow for all that leads from a state to another by the same cause."""
    lines = [HEAD.format(name=name, direction="LR" if len(table(spec, states)) < 5 else "TB")]
    for state, meaning in table(spec, states):
        lines.append(f'  "{state}" [label=<<b>{state}</b><br/><font point-size="11">{"<br/>".join(textwrap.wrap(meaning, 26))}</font>>];')
    arrows = collections.defaultdict(list)
    for row in table(spec, transitions):
        start, event, end, by = (row[column] for column in columns)
        if event not in arrows[start, end, by]:
            arrows[start, end, by].append(event)
    for (start, end, by), events in arrows.items():
        lines.append(f'  "{start}" -> "{end}" [label={quoted(", ".join(events), 22)}, color="{BY[by]}", fontcolor="{BY[by]}"];')
    legend = "   ".join(f'<font color="{colour}">{by}</font>' for by, colour in BY.items())
    lines.append(f"  label=<by: {legend}>;\n}}\n")
    return "\n".join(lines)


def items(spec):
    return machine(spec, "items", "Items: states", "Items: transitions", (0, 1, 2, 3))


def effects(spec):
    return machine(spec, "effects", "Effects: statuses", "Effects: transitions", (1, 2, 3, 4))


# The way of one mail: what stands for a step, what is said of it, and where it goes on. What is in quotes is the program's own.
FLOW = [
    # node      label                                                      fill
    ("mail",    "a mail in the inbox",                                     "#ffffff"),
    ("observe", "observe: its octets are kept, its key is made",           "#e8eef7"),
    ("reserve", "reserve: the key is taken once, with a plan",             "#e8eef7"),
    ("copy",    "`redelivered`, `list_copy`: another copy is only filed",  "#f4f4f0"),
    ("conflict", "`conflict`: other content under one key",                "#fdebd8"),
    ("keep",    "keep: original and attachments are on the disk",          "#e8eef7"),
    ("case",    "`case`: made once, in the ledger or at the help desk",    "#e8eef7"),
    ("arm",     "arm: the intent is durable, then the last line leaves",   "#e8eef7"),
    ("done",    "`done`: accepted by the mail server",                     "#dff0e3"),
    ("later",   "`deferred`, surely not sent: tried again",                "#f4f4f0"),
    ("unknown", "`unknown`: may have been sent, never sent by itself",     "#fdebd8"),
    ("proof",   "evidence: the sent copy, a delivery report",              "#dff0e3"),
    ("person",  "`needs_reconciliation`: a person decides",                "#fdebd8"),
    ("accept",  "accept: everything is read back",                         "#e8eef7"),
    ("file",    "file: moved to Processed, `complete`",                    "#dff0e3"),
]
WAYS = [
    ("mail", "observe", ""), ("observe", "reserve", ""), ("reserve", "keep", "first of its key"), ("reserve", "copy", "same content"),
    ("reserve", "conflict", "other content"), ("keep", "case", ""), ("case", "arm", ""), ("arm", "done", "250"), ("arm", "later", "4xx, or cut before the line"),
    ("later", "arm", ""), ("arm", "unknown", "no answer after the line"), ("unknown", "proof", "looked for"), ("proof", "accept", "found"),
    ("unknown", "person", "none found"), ("conflict", "person", ""), ("person", "accept", "sent, or none"), ("person", "arm", "not sent"), ("person", "keep", "a case of its own"),
    ("done", "accept", ""), ("copy", "file", ""), ("accept", "file", ""),
]


def flow(spec):
    lines = [HEAD.format(name="flow", direction="TB")]
    for node, label, fill in FLOW:
        for word in re.findall("`([^`]+)`", label):
            if f"`{word}`" not in spec:
                sys.exit(f"tests/pictures.py: the flow speaks of {word!r}, and `onecase spec` does not")
        lines.append(f'  {node} [label={quoted(label.replace("`", ""))}, fillcolor="{fill}"];')
    lines += [f'  {start} -> {end} [label={quoted(f" {label} " if label else "", 20)}];' for start, end, label in WAYS]
    return "\n".join(lines) + "\n}\n"


PICTURES = {"flow": flow, "items": items, "effects": effects}


def digest(text):
    return f"<!-- drawn from {hashlib.sha256(text.encode()).hexdigest()} -->"


def stale(spec):
    """Names of pictures that show something else than the program has by now."""
    for name, draw in PICTURES.items():
        path = FOLDER / f"{name}.svg"
        if not path.exists() or digest(draw(spec)) not in path.read_text():
            yield f"doc/pictures/{path.name}"


def draw_anew(spec):
    for path in list(stale(spec)):
        name = Path(path).stem
        if not shutil.which("dot"):
            sys.exit(f"{path} is to be drawn anew, by graphviz: apt-get install graphviz")
        text = PICTURES[name](spec)
        drawn = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True).stdout
        drawn = re.sub(r"<!-- Generated by .*?-->\n", "<!-- SPDX-License-Identifier: Apache-2.0 -->\n" + digest(text) + "\n", drawn, flags=re.S)
        (TOP / path).write_text(drawn)
