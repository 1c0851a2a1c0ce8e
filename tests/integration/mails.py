# SPDX-License-Identifier: Apache-2.0
"""Mail for the integration tests, and what must become of its attachments.

Every mail says MARKER-… in its subject, its sender, its text and its file names: words that must stand in
no log and no process list.
"""
import base64
import hashlib
import time
from email import utils
from email.message import EmailMessage
from email.policy import SMTP
from typing import NamedTuple

MARKER = "Xylophon"  # in subjects, bodies, addresses and file names, and nowhere else

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==")
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
CSV = b"floor,printer\r\n3,jammed\r\n4,empty\r\n"


class Mail(NamedTuple):
    name: str
    octets: bytes
    files: list  # (stored name, SHA-256), in part order

    @property
    def sha256(self):
        return sha256(self.octets)


def sha256(octets):
    return hashlib.sha256(octets).hexdigest()


def file(name, octets):
    return name, sha256(octets)


def now(age=0):
    return utils.formatdate(time.time() - age)


def sender(name):
    return f"{name}.{MARKER}@senders.example"


def head(name, message_id="", **more):
    """The header block of a raw mail, as a dict that keeps its order; None leaves a field out."""
    fields = {
        "From": f"Sender {MARKER} <{sender(name)}>",
        "To": "Help <help@example.org>",
        "Subject": f"About {name} {MARKER}",
        "Date": now(),
        "Message-ID": message_id or f"<{name}.{time.time_ns()}@senders.example>",
        "MIME-Version": "1.0",
    }
    fields.update({key.replace("_", "-"): value for key, value in more.items()})
    return fields


def raw(fields, body=b""):
    lines = [f"{key}: {value}" for key, value in fields.items() if value is not None]
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def plain(name, text="It does not work any more.", message_id="", **more):
    body = f"{text}\r\n{MARKER}\r\n".encode()
    more = {"Content_Type": "text/plain; charset=utf-8", "Content_Transfer_Encoding": "8bit", **more}
    return raw(head(name, message_id, **more), body)


def composed(name, text=True, message_id="", **more):
    """An EmailMessage with the usual header, to which parts can be added."""
    message = EmailMessage(policy=SMTP.clone(max_line_length=76))
    for key, value in head(name, message_id, **more).items():
        if value is not None and key != "MIME-Version":
            message[key] = value
    if text:
        message.set_content(f"Please look at this.\n{MARKER}\n")
    return message


def multipart(kind, parts, boundary="=_x"):
    """Raw parts, each (header lines, octets), between delimiters."""
    body = b""
    for header, octets in parts:
        body += f"--{boundary}\r\n".encode() + "\r\n".join(header).encode() + b"\r\n\r\n" + octets + b"\r\n"
    return {"Content_Type": f'multipart/{kind}; boundary="{boundary}"'}, body + f"--{boundary}--\r\n".encode()


def b64(octets):
    return base64.encodebytes(octets).replace(b"\n", b"\r\n")


def part(disposition, octets, kind="application/pdf"):
    return [f"Content-Type: {kind}", f"Content-Disposition: {disposition}", "Content-Transfer-Encoding: base64"], b64(octets)


TEXT = (["Content-Type: text/plain; charset=us-ascii"], f"Please look at this. {MARKER}".encode())


def with_parts(name, *parts, kind="mixed", text=True):
    fields, body = multipart(kind, [TEXT, *parts] if text else parts)
    return raw(head(name, **fields), body)


def varied():
    """25 mails of 25 senders: each is a request, gets one acknowledgement, and has these attachments."""
    mails = []

    def add(name, octets, *files):
        mails.append(Mail(name, octets.as_bytes() if isinstance(octets, EmailMessage) else octets, list(files)))

    add("plain", plain("plain"))
    add("utf8", plain("utf8", "Größenänderung – 東京", Subject="=?utf-8?B?" + base64.b64encode(
        f"Störung {MARKER}".encode()).decode() + "?="))
    add("latin1", raw(head("latin1", Content_Type="text/plain; charset=iso-8859-1",
                           Content_Transfer_Encoding="quoted-printable"), b"Gr=FC=DFe aus K=F6ln\r\n"))
    html = composed("html", text=False)
    html.set_content(f"<p>It is <b>broken</b> {MARKER}</p>", subtype="html")
    add("html", html)
    both = composed("alternative")
    both.add_alternative(f"<p>Please look {MARKER}</p>", subtype="html")
    add("alternative", both)
    pdf = composed("pdf")
    pdf.add_attachment(PDF, "application", "pdf", filename=f"offer {MARKER}.pdf")
    add("pdf", pdf, file(f"01-offer {MARKER}.pdf", PDF))
    add("same-names", with_parts("same-names", part('attachment; filename="scan.pdf"', PDF),
                                 part('attachment; filename="scan.pdf"', PDF + b"2")),
        file("01-scan.pdf", PDF), file("02-scan.pdf", PDF + b"2"))
    add("rfc2231", with_parts("rfc2231", part("attachment; filename*=utf-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.pdf", PDF)),
        file("01-отчёт.pdf", PDF))
    add("rfc2047", with_parts("rfc2047", part('attachment; filename="=?utf-8?Q?B=C3=BCcher.pdf?="', PDF)),
        file("01-Bücher.pdf", PDF))
    add("inline-image", with_parts("inline-image", (["Content-Type: image/png", "Content-ID: <logo@x>",
                                                     "Content-Transfer-Encoding: base64"], b64(PNG)), kind="related"),
        file("01-attachment.png", PNG))
    inner = plain("inner", "the mail that was forwarded").rstrip(b"\r\n")
    add("forwarded", with_parts("forwarded", (["Content-Type: message/rfc822"], inner)),
        file("01-attachment.eml", inner))
    add("calendar", with_parts("calendar", (["Content-Type: text/calendar; method=REQUEST"], b"BEGIN:VCALENDAR\r\nEND:VCALENDAR"),
                               kind="alternative"),
        file("01-attachment.ics", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR"))
    add("no-message-id", raw({k: v for k, v in head("no-message-id").items() if k != "Message-ID"}, b"no id\r\n"))
    add("bare-message-id", plain("bare-message-id", message_id=f"bare.{time.time_ns()}@senders.example"))
    add("folded-message-id", plain("folded-message-id", message_id=f"\r\n <fold.{time.time_ns()}@senders.example>"))
    add("reply-to", plain("reply-to", Reply_To=f"other.{MARKER}@senders.example"))
    add("traversal", with_parts("traversal", part('attachment; filename="../../etc/passwd"', PDF)), file("01-passwd", PDF))
    add("unnamed", with_parts("unnamed", part("attachment", b"\0\1\2\3", "application/octet-stream")),
        file("01-attachment.bin", b"\0\1\2\3"))
    add("empty-body", raw(head("empty-body", Date=None)))
    large = bytes(range(256)) * 4096
    add("large", with_parts("large", part('attachment; filename="disk.img"', large, "application/octet-stream")),
        file("01-disk.img", large))
    add("long-name", with_parts("long-name", part(f'attachment; filename="{"a" * 300}.pdf"', PDF)),
        file(f"01-{'a' * 116}.pdf", PDF))
    add("signed", with_parts("signed", part('attachment; filename="smime.p7s"', b"0\x82", "application/pkcs7-signature"),
                             kind="signed"),
        file("01-smime.p7s", b"0\x82"))
    add("text-file", with_parts("text-file", part('attachment; filename="printers.csv"', CSV, "text/csv"),
                                part('attachment; filename="notes.txt"', b"a\r\nb\r\n", "text/plain")),
        file("01-printers.csv", CSV), file("02-notes.txt", b"a\r\nb\r\n"))
    add("zero-octets", with_parts("zero-octets", part('attachment; filename="empty.pdf"', b"")), file("01-empty.pdf", b""))
    nested, body = multipart("alternative", [TEXT, (["Content-Type: text/html"], b"<p>hi</p>")], "=_n")
    add("nested", with_parts("nested", ([f"Content-Type: {nested['Content_Type']}"], body),
                             part('attachment; filename="a.pdf"', PDF), text=False), file("01-a.pdf", PDF))
    assert len(mails) == 25
    return mails
