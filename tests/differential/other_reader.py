# SPDX-License-Identifier: Apache-2.0
"""The other reader: Python's email package, and how its reading is held against ours.

`disagreements` gives what differs. `why` knows the kinds of difference that are meant, or are the
package's own; what it does not know is to be looked at.
"""
import email
import email.header
import email.policy
import re

CODEC = {"iso-8859-1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949"}
EMBEDDED = ("message/rfc822", "message/global", "message/news")


def fold(text):
    return re.sub(r"[\s\ufffd\x00-\x1f]+", " ", text or "").strip()


def decode(octets, label):
    for charset in filter(None, [CODEC.get((label or "").lower(), label), "utf-8"]):
        try:
            return octets.decode(charset)
        except (LookupError, UnicodeError, ValueError):
            pass
    return octets.decode("cp1252", "replace")


def header_text(raw):
    raw = re.sub(r"\r?\n(?=[ \t])", "", str(raw).strip())
    try:
        pieces = email.header.decode_header(raw)
    except (email.errors.HeaderParseError, UnicodeError, ValueError):
        return None
    return "".join(p if isinstance(p, str) else decode(p, c) for p, c in pieces) if raw.isascii() else \
        decode(raw.encode("utf-8", "surrogateescape"), None)


def leaves(part):
    """Parts that hold octets; messages within the message are not opened."""
    if part.is_multipart() and part.get_content_type() not in EMBEDDED:
        for inner in part.get_payload():
            yield from leaves(inner)
    else:
        yield part


def read(octets):
    plain = email.message_from_bytes(octets, policy=email.policy.compat32)
    found = list(leaves(plain))
    texts = []
    for leaf in found:
        if leaf.get_content_type() == "text/plain" and not leaf.get_filename() and leaf.get_content_disposition() != "attachment":
            payload = leaf.get_payload(decode=True) if not isinstance(leaf.get_payload(), list) else b""
            texts.append(decode(payload or b"", leaf.get_param("charset")))
    subject = next((value for name, value in plain.raw_items() if name.lower() == "subject"), "")
    return {"types": [leaf.get_content_type() for leaf in found], "texts": texts, "subject": header_text(subject),
            "defects": bool(plain.defects or any(p.defects for p in plain.walk()))}


def disagreements(ours, theirs):
    if theirs["subject"] is not None and fold(ours["subject"]) != fold(theirs["subject"]):
        yield "subject"
    if ours["types"] != theirs["types"]:
        yield "parts"
    elif theirs["texts"] and fold(theirs["texts"][0]) not in fold(ours["text"]):
        yield "text"


def why(what, octets, ours, theirs):
    """The kind of a disagreement, or None where it is of no kind that is known."""
    if what == "parts":
        if not all(re.fullmatch(r"[a-z0-9.+-]+/[a-z0-9.+*-]+", t) for t in theirs["types"]):
            return "a damaged type, which is text/plain to us"
        if any(t.startswith("multipart/") for t in theirs["types"]):
            return "a multipart that it does not open is a text to us"
        if ours["types"][:len(theirs["types"])] == theirs["types"] or theirs["types"][:len(ours["types"])] == ours["types"]:
            return "the end of the mail is taken for one part more or less"
        if "SIGN_INCOMPLETE" in ours["signs"]:
            return "a damaged structure, which we say is incomplete"
        if theirs["defects"]:
            return "a damaged structure, which it says is defective"
    if what == "subject":
        if not octets.isascii():
            return "raw octets in a header, which it replaces"
        if "=?" in ours["subject"] or "=?" in (theirs["subject"] or "") or b"=?" in octets:
            return "encoded words cut within a character, or damaged"
        if theirs["subject"] == "" or theirs["defects"]:
            return "a header that it ends at the first line that is no field"
    if what == "text":
        if "SIGN_INCOMPLETE" in ours["signs"] or theirs["defects"]:
            return "a damaged structure, which one of us says"
        if any("\ufffd" in t for t in theirs["texts"]) or "\ufffd" in (ours["text"] or ""):
            return "octets that are of no character"
        return "a damaged label of a charset"
    return None
