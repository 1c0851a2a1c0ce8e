# SPDX-License-Identifier: Apache-2.0
"""The mail that figures are taken with: 165 kB at the mean, 4 kB in the middle, a third of it with files."""
import random
import shutil
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "integration"))

from mails import b64, head, multipart, raw  # noqa: E402

# of 100 mails: how many, octets of text, octets of each attachment
MIXTURE = [(48, 2000, []), (20, 4000, []), (12, 12_000, []), (10, 800, [60_000]), (6, 2000, [100_000, 300_000]),
           (3, 800, [1_500_000]), (1, 800, [4_200_000])]
WORDS = ("printer", "invoice", "access", "network", "please", "since", "yesterday", "again", "the", "does")


def text_of(octets, dice):
    body = b""
    while len(body) < octets:
        body += " ".join(dice.choice(WORDS) for _ in range(10)).encode() + b"\r\n"
    return body


def mail(number, text, files, dice):
    """One mail, and the octets of its attachments."""
    name, body = f"bench{number}", text_of(text, dice)
    if not files:
        return raw(head(name, Content_Type="text/plain; charset=utf-8"), body), []
    decoded = [dice.randbytes(size) for size in files]
    parts = [(["Content-Type: text/plain"], body)]
    for n, octets in enumerate(decoded):
        parts.append(([f'Content-Type: application/pdf; name="file{n}.pdf"',
                       f'Content-Disposition: attachment; filename="file{n}.pdf"',
                       "Content-Transfer-Encoding: base64"], b64(octets)))
    fields, whole = multipart("mixed", parts)
    return raw(head(name, **fields), whole), decoded


def mixed(count, first=0):
    """Mails of the mixture, the kinds spread evenly."""
    dice = random.Random(count + first)
    kinds = [(text, files) for share, text, files in MIXTURE for _ in range(share)]
    return [mail(first + number, *kinds[number * 37 % 100], dice) for number in range(count)]


def small(count, octets=800, first=0):
    dice = random.Random(count)
    return [mail(first + number, octets, [], dice) for number in range(count)]


def large(octets):
    """One mail with a file, about so long on the wire."""
    return [mail(0, 800, [octets * 3 // 4], random.Random(45))]


def sizes(mails):
    lengths = [len(octets) for octets, _ in mails]
    return {"messages": len(mails), "octets": sum(lengths), "mean": statistics.mean(lengths), "median": statistics.median(lengths)}


def fill(dovecot, user, mails, mark=""):
    """Straight into the Maildir, as the server's own account."""
    box = dovecot.folder / "mail" / user
    for name in ("", "new", "cur", "tmp"):
        (box / name).mkdir(exist_ok=True)
        shutil.chown(box / name, "mail", "mail")
    for number, (octets, _) in enumerate(mails):
        path = box / "new" / f"{int(time.time())}.{mark}{number:06}.bench"
        path.write_bytes(octets)
        shutil.chown(path, "mail", "mail")
