# SPDX-License-Identifier: Apache-2.0
"""Ledgers as older programs left them: the schema of then, by the very files that made it, with rows in every table."""
import hashlib
import sqlite3
from pathlib import Path

SQL = sorted((Path(__file__).resolve().parents[2] / "src/store/sql").glob("[0-9]*.sql"))
NEWEST = len(SQL)
OUTBOX = "webhook_outbox"  # nothing stood in it before 0010, which makes it anew


def tables(db):
    """Those with rows of their own, and the search index."""
    return [name for name, in db.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
                                         " AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name")]


def columns(db, table):
    return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def rows(db, table, names):
    chosen = ", ".join(f'"{name}"' for name in names)
    return sorted(db.execute(f"SELECT {chosen} FROM {table}").fetchall(), key=repr)


def is_counted(table):
    """The ledger keeps it itself, by triggers."""
    return table.endswith("_count") or table == "shared_fingerprint"


def make(newest, path, schema):
    """What `newest` holds, as far as the schema of then could hold it. Its event chain is whole in any case."""
    old = sqlite3.connect(path, isolation_level=None)
    source = sqlite3.connect(f"file:{newest}?mode=ro", uri=True)
    old.execute("PRAGMA journal_mode = WAL")
    for file in SQL[:schema]:
        old.executescript(file.read_text())
    old.execute("BEGIN")
    for table in sorted(tables(old), key=lambda name: name != "item"):  # others are held to an item's number
        if is_counted(table) or (table == OUTBOX and schema < 10):
            continue
        names = [name for name in columns(old, table) if name in columns(source, table)]
        marks = ", ".join("?" * len(names))
        if table == "case_search":
            old.executemany("INSERT INTO case_search (rowid, reference, sender, subject) VALUES (?, ?, ?, ?)",
                            source.execute("SELECT rowid, reference, sender, subject FROM case_search"))
        else:  # a word that is younger than the schema's CHECK is left out
            old.executemany(f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})",
                            source.execute(f"SELECT {', '.join(names)} FROM {table}"))
    old.execute("DELETE FROM meta WHERE name LIKE 'schema!_%' ESCAPE '!'")
    for number, file in enumerate(SQL[:schema], 1):
        old.execute("INSERT INTO meta VALUES (?, ?)", (f"schema_{number}", hashlib.sha256(file.read_bytes()).hexdigest()))
    old.execute("COMMIT")
    assert old.execute("PRAGMA foreign_key_check").fetchall() == []
    old.close()
    source.close()
    Path(path).chmod(0o600)


def everything(path):
    """{table: (columns, rows)} of all but what says which schema it is."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        found = {table: (columns(db, table), rows(db, table, columns(db, table))) for table in tables(db)}
    names, held = found["meta"]
    found["meta"] = names, [row for row in held if not row[0].startswith("schema_") and not row[0].startswith("oldest_schema")]
    return found


def schema_of(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute("SELECT COUNT(*) FROM meta WHERE name LIKE 'schema!_%' ESCAPE '!'").fetchone()[0]
