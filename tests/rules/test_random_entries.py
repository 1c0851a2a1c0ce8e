# SPDX-License-Identifier: Apache-2.0
"""The millionth mail writes as many pages as the first one: what it enters into an index comes to the index's end.

Where the first column that tells mails apart is a digest, each entry comes to a page of its own, and once the index is
larger than the page cache it costs a page read and a page written (numbers.h). Each such index that a plain mail enters
has a row in ALLOWED, which says why it cannot be by a number.
"""
import re
import sqlite3
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]

# Whatever is in no order of time.
RANDOM = set("key case_key octets source_digest payload_digest fingerprint sha256 ack_id reference message_id address sender_plain "
             "recipient_plain sender external_id subject".split())
# What all or many mails have in common comes before what tells them apart.
COARSE = set("mailbox state status kind class won webhook folder channel".split())
# Where a plain mail leaves a row.
ENTERED = set("item delivery effect attempt acceptance event note letter case_record case_message case_participant case_number".split())
# Entries that a plain mail does not make: mail from before numbers, and what seldom happens.
NOT_PLAIN = ("item_number is null", "case_key <> key", "first_key is not null", "names_ack <> ''", "external_id <> ''", "status in",
             "status = 'refused'", "what = 'wait'", "reason", "original_kept = 0", "merged_into is not null", "state = 'needs_reconciliation'")

ALLOWED = {
    "item (key)": "is the mail known? its digest",
    "item (mailbox, source_digest, message_id)": "the same mail under another identifier",
    "item (fingerprint)": "mails that say the same",
    "item (mailbox, sender_plain, internal_ms)": "how much came from this sender of late",
    "item (mailbox, recipient_plain, internal_ms)": "how much this recipient was told of late",
    "delivery (mailbox, octets)": "the same message in another place",
    "effect (ack_id)": "whose acknowledgement a bounce names",
    "case_record (key)": "is what other tables refer to",
    "case_record (reference)": "what a sender names in a reply",
    "case_message (message_id)": "what a sender replies to",
}


def fresh_ledger():
    ledger = sqlite3.connect(":memory:")
    for path in sorted((TOP / "src" / "store" / "sql").glob("*.sql")):
        ledger.executescript(path.read_text())
    return ledger


def indices():
    """Table, columns and condition of each."""
    ledger = fresh_ledger()
    for table, name, sql in ledger.execute("SELECT tbl_name, name, sql FROM sqlite_schema WHERE type = 'index'").fetchall():
        columns = [column or "?" for (column,) in ledger.execute("SELECT name FROM pragma_index_info(?)", (name,))]
        yield table, columns, re.split(r"\bWHERE\b", sql or "")[-1].lower() if "WHERE" in (sql or "") else ""


def found():
    for table, columns, where in indices():
        telling = [column for column in columns if column not in COARSE]
        if table in ENTERED and telling and telling[0] in RANDOM and not any(words in where for words in NOT_PLAIN):
            yield f"{table} ({', '.join(columns)})"


def test_a_plain_mail_enters_no_more_indices_at_random_than_it_has_to():
    new = sorted(set(found()) - set(ALLOWED))
    assert not new, "entered at random: by item_number instead (src/store/numbers.h), or with a reason here\n" + "\n".join(new)
    assert sorted(found()) == sorted(ALLOWED), "what is allowed and is not there any more"


def test_what_a_mail_writes_is_checked_without_a_list_that_is_made_anew_for_each_row():
    lists = [f"{name}: {words}" for name, table, sql in fresh_ledger().execute("SELECT name, tbl_name, sql FROM sqlite_schema WHERE sql <> ''")
             if table in ENTERED | {"circuit", "attachment"} and "TRIGGER" not in sql
             for words in re.findall(r"\bIN \(([^()]*)\)", sql) if words.count(",") > 1 and "elsewhere <> '' AND" not in sql]
    assert not lists, "SQLite makes a table of each list of three words for every row: OR between them (0023_words.sql)\n" + "\n".join(lists)
