# SPDX-License-Identifier: Apache-2.0
"""What happens to mails on their way: each is a function from octets, and a random, to octets."""
import re


def cut_off(mail, r):
    return mail[:r.randrange(len(mail) // 2, len(mail))]


def lose_the_last_delimiter(mail, r):
    return re.sub(rb"\r?\n--[^\r\n]+--\s*$", b"\n", mail)


def lose_an_empty_line(mail, r):
    ends = [m.start() for m in re.finditer(rb"\n\r?\n", mail)]
    at = r.choice(ends)
    return mail[:at + 1] + mail[mail.index(b"\n", at + 1) + 1:]


def lose_a_line(mail, r):
    lines = mail.splitlines(keepends=True)
    del lines[r.randrange(len(lines))]
    return b"".join(lines)


def double_a_line(mail, r):
    lines = mail.splitlines(keepends=True)
    at = r.randrange(len(lines))
    return b"".join(lines[:at + 1] + lines[at:])


def change_an_octet(mail, r):
    at = r.randrange(len(mail))
    return mail[:at] + bytes([r.randrange(256)]) + mail[at + 1:]


def lose_an_octet(mail, r):
    at = r.randrange(len(mail))
    return mail[:at] + mail[at + 1:]


def mix_line_ends(mail, r):
    return re.sub(rb"\r?\n", lambda m: r.choice([b"\n", b"\r\n"]), mail)


def pad_lines(mail, r):
    return re.sub(rb"(--[^\r\n]+)(\r?\n)", lambda m: m[1] + b" " * r.randrange(3) + m[2], mail)


def change_case(mail, r):
    return re.sub(rb"(?m)^[A-Z][A-Za-z-]+:", lambda m: r.choice([m[0].upper(), m[0].lower()]), mail)


def strip_eighth_bit(mail, r):
    return bytes(b & 0x7F for b in mail)


def add_a_footer(mail, r):
    return mail + b"\r\n-- \r\nA footer of a list\r\n"


def add_an_mbox_line(mail, r):
    return b"From ann@example.com Mon Mar  2 09:15:00 2026\n" + mail


DAMAGES = [cut_off, lose_the_last_delimiter, lose_an_empty_line, lose_a_line, double_a_line, change_an_octet,
           lose_an_octet, mix_line_ends, pad_lines, change_case, strip_eighth_bit, add_a_footer, add_an_mbox_line]
