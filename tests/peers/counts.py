# SPDX-License-Identifier: Apache-2.0
"""What a run of the program cost, in counts that do not depend on the machine's mood (tests/tools/count_calls.c)."""
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

# Once a start, whatever comes: of a ledger that is no larger than 32 MB every page is looked at, and is it one, of which schema?
AT_START = ("PRAGMA quick_check", "SELECT COUNT(*) AS count FROM sqlite_schema", "SELECT CAST(substr(name, 8) AS BIGINT) AS version")
WAITS = ("fsync", "fdatasync", "syncfs")


def preloaded(program, path):
    """What to add to the environment, so that counts come to the file at `path`."""
    return {"LD_PRELOAD": str(Path(program).resolve().parent / "tests" / "count_calls.so"), "COUNTS_TO": str(path)}


@dataclass
class Counts:
    calls: Counter = field(default_factory=Counter)
    steps: Counter = field(default_factory=Counter)   # by statement
    times: Counter = field(default_factory=Counter)   # how often each ran, with what it set off
    walked: Counter = field(default_factory=Counter)  # rows that it walked past
    times_hashed: int = 0
    octets_hashed: int = 0
    pages_read: int = 0
    pages_written: int = 0

    def each(self, messages):
        """A message."""
        return {"statements": sum(self.times.values()) / messages, "steps of statements": sum(self.steps.values()) / messages,
                "rows walked past": sum(self.walked.values()) / messages, "pages written": self.pages_written / messages,
                "pages read": self.pages_read / messages, "waits for the disk": sum(self.calls[name] for name in WAITS) / messages}

    def dearest(self, other, count=5):
        """The statements that cost more here than there."""
        more = Counter({sql: steps - other.steps[sql] for sql, steps in self.steps.items()})
        return "\n".join(f"{steps:9} steps more: {sql}" for sql, steps in more.most_common(count) if steps > 0)


def read(path):
    found, parts = Counts(), defaultdict(list)
    for line in Path(path).read_text().splitlines():
        kind, rest = line.split(" ", 1)
        parts[kind].append(rest)
    for rest in parts["calls"]:
        name, count = rest.split()
        found.calls[name] += int(count)
    for rest in parts["hashed"]:
        times, octets = map(int, rest.split())
        found.times_hashed += times
        found.octets_hashed += octets
    for rest in parts["sql"]:
        times, steps, walked, sql = rest.split(" ", 3)
        if sql.startswith(AT_START):
            continue
        found.times[sql] += int(times)
        found.steps[sql] += int(steps)
        found.walked[sql] += int(walked)
    for rest in parts["pages"]:
        pages_read, pages_written = map(int, rest.split())
        found.pages_read += pages_read
        found.pages_written += pages_written
    return found
