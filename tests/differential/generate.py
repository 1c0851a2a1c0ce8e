# SPDX-License-Identifier: Apache-2.0
"""Mails whose truth is known: of any structure, in any charset, encoding and form of name.

`make(random)` gives a mail's octets and the truth about it. Everything follows from the seed.
"""
import base64
import hashlib
import quopri
import random
import re
import unicodedata
from dataclasses import dataclass, field
from urllib.parse import quote

WORDS = {
    "utf-8": "Drucker – größer “heiß” 日本語 🔥 naïve Ελλάδα".split(),
    "iso-8859-1": "Grüße café señor naïve Ærø".split(),
    "windows-1252": "“quoted” €40 that’s naïve…".split(),
    "iso-8859-15": "€40 Œuvre Šaljem žena".split(),
    "iso-8859-2": "Příliš žluťoučký kůň".split(),
    "windows-1251": "Принтер горит опять".split(),
    "koi8-r": "Принтер горит опять".split(),
    "gb2312": "打印机 着火 了".split(),
    "gb18030": "打印机 着火 囍".split(),
    "big5": "印表機 著火 了".split(),
    "shift_jis": "プリンタ が 燃える".split(),
    "iso-2022-jp": "プリンタ が 燃える".split(),
    "euc-jp": "プリンタ が 燃える".split(),
    "euc-kr": "프린터 불이 났다".split(),
    "us-ascii": "The printer is on fire again".split(),
}
CODEC = {"iso-8859-1": "cp1252", "gb2312": "gb18030", "shift_jis": "cp932"}
TYPES = ["application/pdf", "image/png", "application/octet-stream", "application/zip", "text/csv"]
NAMES = ["scan.pdf", "my report.pdf", "Prüfung 2026.pdf", "日本.txt", 'a; b "c".txt', "résumé.doc", "x=y.bin",
         "Вложение с очень длинным именем, которое не помещается в одну строку.pdf"]


@dataclass
class Truth:
    subject: str = ""
    sender: str = ""
    sender_name: str = ""
    texts: list = field(default_factory=list)        # each stands in the text, in order
    attachments: list = field(default_factory=list)  # (type, name, size, sha256)


def encoded_word(r, text):
    """One or more words; several are cut anywhere, also within a character."""
    charset = r.choice([c for c in WORDS if can_encode(c, text)])
    octets = text.encode(CODEC.get(charset, charset))
    if charset == "iso-2022-jp" or r.random() < 0.5:
        pieces = [octets]
    else:
        at = r.randrange(1, len(octets)) if len(octets) > 1 else 1
        pieces = [octets[:at], octets[at:]]
    words = []
    for piece in filter(None, pieces):
        if r.random() < 0.5:
            words.append(f"=?{charset}?B?{base64.b64encode(piece).decode()}?=")
        else:
            q = "".join(chr(b) if chr(b).isalnum() and b < 128 else "_" if b == 32 else f"={b:02X}" for b in piece)
            words.append(f"=?{charset}?{r.choice('Qq')}?{q}?=")
    return r.choice([" ", "\r\n ", "\r\n\t"]).join(words).encode()


def can_encode(charset, text):
    if charset == "big5" and re.search(r"[^\x00-\x7f\u4e00-\u9fff]", text):
        return False  # beyond its ideographs there are several that bear this name
    try:
        return text.encode(CODEC.get(charset, charset)).decode(CODEC.get(charset, charset)) == text
    except UnicodeError:
        return False


def words(r, charset, count):
    return " ".join(r.choice(WORDS[charset]) for _ in range(count))


def header_text(r, text):
    if text.isascii() and r.random() < 0.7:
        return text.encode()
    return text.encode() if r.random() < 0.2 else encoded_word(r, text)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def name_parameter(r, key, name):
    """One of the forms in which a file name is written."""
    percent = quote(name, safe="")
    forms = [f"{key}*=utf-8''{percent}", f"{key}*=UTF-8'en'{percent}",
             "; ".join(f"{key}*{i}*={'utf-8' + chr(39) * 2 if i == 0 else ''}{percent[at:at + 30]}"
                       for i, at in enumerate(range(0, len(percent), 30)))]
    if name.isascii():
        forms.append(f"{key}={quoted(name)}")
    else:
        forms.append(f"{key}={quoted(name)}")  # raw UTF-8
        forms.append(f'{key}="{encoded_word(r, name).decode()}"')
    return r.choice(forms).encode()


def transfer(r, octets, text):
    """The octets as they are sent, and the header that says how."""
    plain = all(32 <= b < 127 or b in (9, 10, 13) for b in octets)
    ways = ["base64", "quoted-printable"] + (["7bit", None] if plain and text else [])
    way = r.choice(ways)
    if way == "base64":
        body = base64.encodebytes(octets).replace(b"\n", b"\r\n").strip()
    elif way == "quoted-printable":
        body = quopri.encodestring(octets.replace(b"\r\n", b"\n") if text else octets, quotetabs=not text)
        body = body.replace(b"=\n", b"=\r\n") if not text else body.replace(b"\n", b"\r\n")
        if not text:
            body = b"".join(b"=%02X" % b for b in octets)
            body = b"=\r\n".join(body[i:i + 72] for i in range(0, len(body), 72))
    else:
        body = octets
    header = b"" if way is None else b"Content-Transfer-Encoding: " + way.encode() + b"\r\n"
    return header, body


def text_part(r, kind):
    charset = r.choice(list(WORDS))
    text = words(r, charset, r.randrange(1, 12))
    sent = f"<html><body><p>{text}</p></body></html>" if kind == "html" else text
    octets = sent.encode(CODEC.get(charset, charset))
    header, body = transfer(r, octets, True)
    label = charset if r.random() < 0.5 else charset.upper()
    return b"Content-Type: text/%s; charset=%s\r\n" % (kind.encode(), label.encode()) + header, body, text


def attachment(r, truth):
    octets = bytes(r.randrange(256) for _ in range(r.randrange(0, 300)))
    kind, name = r.choice(TYPES), r.choice(NAMES)
    header, body = transfer(r, octets, False)
    head = b"Content-Type: " + kind.encode()
    if r.random() < 0.3:
        head += b";\r\n " + name_parameter(r, "name", name) + b"\r\n"
    else:
        head += b"\r\nContent-Disposition: " + r.choice([b"attachment", b"inline"])
        head += b";\r\n " + name_parameter(r, "filename", name) + b"\r\n"
    truth.attachments.append((kind, unicodedata.normalize("NFC", name), len(octets), hashlib.sha256(octets).hexdigest()))
    return head + header, body


def multipart(r, kind, parts):
    boundary = r.choice(["b", "=_next", "----=_Part_", "a'b(c)"]) + str(r.randrange(10**6))
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + h + b"\r\n" + b + b"\r\n" for h, b in parts)
    if r.random() < 0.2:
        body = b"This is a message in several parts.\r\n" + body
    head = f'Content-Type: multipart/{kind};\r\n boundary="{boundary}"\r\n'.encode()
    return head, body + b"--" + boundary.encode() + b"--"


def part(r, truth, depth, shown=True):
    """A random part; its texts are in the truth only where they are shown."""
    kind = r.choice(["plain", "html", "alternative", "mixed", "related", "file"] if depth > 0 else ["plain", "html"])
    if kind in ("plain", "html"):
        head, body, text = text_part(r, kind)
        if shown:
            truth.texts.append(text)
        return head, body
    if kind == "file":
        return attachment(r, truth)
    if kind == "alternative":
        plain, html = text_part(r, "plain"), text_part(r, "html")
        if shown:
            truth.texts.append(plain[2])
        return multipart(r, kind, [plain[:2], html[:2]])
    return multipart(r, kind, [part(r, truth, depth - 1, shown) for _ in range(r.randrange(1, 4))])


def make(seed):
    r, truth = random.Random(seed), Truth()
    truth.subject = words(r, r.choice(list(WORDS)), r.randrange(1, 8))
    truth.sender_name = words(r, r.choice(list(WORDS)), 2)
    truth.sender = r.choice(["ann@example.com", "j.doe+tag@mail.example.org"])
    name = quoted(truth.sender_name).encode() if truth.sender_name.isascii() else header_text(r, truth.sender_name)
    head, body = part(r, truth, 3)
    mail = (b"From: " + name + b" <" + truth.sender.encode() + b">\r\nSubject: " + header_text(r, truth.subject)
            + b"\r\nDate: Mon, 2 Mar 2026 09:15:00 +0800\r\nMIME-Version: 1.0\r\n"
            + b"Message-ID: <%d@example.com>\r\n" % seed + head + b"\r\n" + body)
    return (mail if r.random() < 0.7 else mail.replace(b"\r\n", b"\n")), truth
