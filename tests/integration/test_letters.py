# SPDX-License-Identifier: Apache-2.0
"""What senders are told: by state and language, in text and HTML, with the attachments that were not taken."""
import email
import json
import shutil
from email.policy import default

import pytest

from mails import MARKER, PDF, part, plain, sender, with_parts
from rig import TOP, as_stored, assert_invariants, await_
from smtp_peer import SmtpPeer

EXE = b"MZ\x90\0" + b"x" * 60


def letters(peer):
    return [email.message_from_bytes(octets, policy=default) for octets in peer.accepted]


def own_templates(rig):
    """A folder of templates that a test may change."""
    folder = rig.folder / "templates"
    shutil.copytree(TOP / "templates", folder)
    rig.settings["templates_dir"] = str(folder)
    return folder


def test_k09_what_may_have_been_sent_is_sent_again_as_it_was_whatever_its_template_says_now(rig):
    with SmtpPeer("after end-of-data take, then reply 451 4.3.0 later\nafter end-of-data accept") as peer:
        folder = own_templates(rig)
        rig.send_to(peer.port)
        rig.letters["html"] = True
        rig.settings["retry"] = {"first_delay": "2s", "max_delay": "2s"}  # or a slow run tries twice
        rig.deliver(plain("again", Content_Language="fr"))
        assert rig.once()["deferred"] == 1
        for path in folder.glob("*.txt"):
            path.write_text("Subject: Another text\n\n{{reference}} has another text.\n")
        rig.letters["html"] = False
        rig.letters["from"] = f"Somebody else <{rig.address}>"
        rig.letters["language_rules"] = [{"from": "*@senders.example", "language": "es"}]
        (folder / "acknowledgement.es.txt").write_text("Subject: Otro\n\notro\n")
        await_(lambda: rig.once()["completed"], "the second try")
        first, second = peer.accepted
        assert first == second and b"Content-Language: fr" in first
        assert_invariants(rig, letters(peer)[:1])


def test_a_sender_is_told_in_text_and_html_by_rule_by_mail_or_by_mailbox(rig):
    rig.letters.update(html=True, language="fr",
                       language_rules=[{"from": f"*.{MARKER.lower()}@senders.example", "to": "hilfe@example.org",
                                        "language": "de"}])
    with SmtpPeer("") as peer:
        rig.send_to(peer.port)
        rig.deliver(plain("rule", To="hilfe@example.org", Content_Language="es"),
                    plain("mail", Content_Language="es-MX, en"), plain("own", Content_Language="tlh"), plain("none"))
        assert rig.once()["completed"] == 4
    told = {m["To"]: m for m in letters(peer)}
    assert {name: told[sender(name)]["Content-Language"] for name in ("rule", "mail", "own", "none")} == \
        {"rule": "de", "mail": "es", "own": "fr", "none": "fr"}
    for item in rig.items():
        letter = next(m for m in letters(peer) if item["case"] in m["Subject"])
        assert letter.get_content_type() == "multipart/alternative"
        text, html = letter.iter_parts()
        assert (text.get_content_type(), html.get_content_type()) == ("text/plain", "text/html")
        assert item["case"] in text.get_content() and item["case"] in html.get_content()
        assert "{{" not in letter.as_string() and f'lang="{letter["Content-Language"]}"' in html.get_content()
    assert_invariants(rig, letters(peer))


def test_the_letter_names_what_was_not_taken_and_why_in_the_senders_language(rig):
    rig.settings["attachments"] = {"max_size": "1KB", "max_count": 5, "max_name": 20,
                                   "refuse_types": ["application/x-msdownload", ".iso"]}
    rig.letters["html"] = True
    with SmtpPeer("") as peer:
        rig.send_to(peer.port)
        rig.deliver(with_parts(
            "refused", part('attachment; filename="good.pdf"', PDF),
            part('attachment; filename="<b>large</b>.pdf"', PDF * 40),
            part('attachment; filename="photo.png"', EXE, "image/png"),
            part('attachment; filename="disk.iso"', b"x", "application/octet-stream"),
            part('attachment; filename="a name that is longer.pdf"', PDF),
            part('attachment; filename="sixth.pdf"', PDF)).replace(b"MIME-V", b"Content-Language: de\r\nMIME-V"))
        assert rig.once()["completed"] == 1
    text, html = letters(peer)[0].iter_parts()
    said = text.get_content().replace("\r\n", "\n")
    assert said[said.index("- "):said.rindex(")")] == (
        "- b>.pdf\n  (die Datei ist größer, als wir annehmen können)\n"
        "- photo.png\n  (Dateien dieser Art können wir nicht annehmen)\n"
        "- disk.iso\n  (Dateien dieser Art können wir nicht annehmen)\n"
        "- a name that is longer.pdf\n  (der Dateiname ist zu lang)\n"
        "- sixth.pdf\n  (es waren zu viele Anhänge")
    assert html.get_content().count("<li") == 5 and "<b>large" not in html.get_content()
    case, = rig.json("cases")
    assert [(a["status"], a["reason"]) for a in case["attachments"]] == [
        ("stored", None), ("refused", "max-size"), ("refused", "type"), ("refused", "type"),
        ("refused", "name-length"), ("refused", "max-count")]
    item, = rig.items()
    assert item["completion_state"] == "accepted_with_exceptions"
    assert [path.split("/")[-1] for path in rig.files()] == ["01-good.pdf", "original.eml"]
    assert_invariants(rig, letters(peer))


def test_a_template_test_shows_what_is_sent_and_touches_nothing(rig, tmp_path):
    file = tmp_path / "mail.eml"
    file.write_bytes(as_stored(plain("shown", Content_Language="de")))
    rig.letters["html"] = True
    with SmtpPeer("") as peer:
        rig.send_to(peer.port)
        said = rig.json("template", "test", str(file))
        assert peer.accepted == [] and rig.folders() == ["INBOX"] and not rig.data.exists()
        rig.deliver(file.read_bytes())
        rig.once()
        sent, = letters(peer)
    shown = email.message_from_string(said["octets"], policy=default)
    for name in sent.keys():
        if name not in ("Date", "X-Onecase-Proof"):
            assert sent[name] == shown[name], name
    assert [p.get_content() for p in shown.iter_parts()] == [p.get_content() for p in sent.iter_parts()]
    assert (said["to"], said["skipped"], said["language"], said["subject"]) == \
        (sent["To"], None, "de", sent["Subject"])
    page = rig.run("template", "test", str(file)).stdout
    assert f"Goes to       {sender('shown')}" in page and "Subject, as it is read" in page and "<html lang" in page


@pytest.mark.parametrize("more, words, status, says", [
    ({"Auto_Submitted": "auto-replied"}, [], 0, "nobody: automatic mail"),
    ({"From": "help@example.org"}, [], 0, "nobody: it would go to ourselves"),
    ({}, ["--state", "closed"], 0, "nobody: no confirmation is configured"),
    ({}, ["--language", "ja"], 0, "Language      en"),
    ({}, ["--state", "open"], 64, "accepted|accepted_with_exceptions|appended|closed"),
    ({}, ["--language", "../x"], 64, "--language takes one such as de"),
    ({}, ["--mailbox", "nobody"], 64, "there is no mailbox 'nobody'"),
])
def test_a_template_test_says_why_nobody_is_told(rig, tmp_path, more, words, status, says):
    file = tmp_path / "mail.eml"
    file.write_bytes(plain("shown", **more))
    done = rig.run("template", "test", str(file), *words, status=status)
    assert says in done.stdout + done.stderr


def test_a_template_that_is_wrong_stops_the_start_with_its_line_and_what_there_is(rig):
    folder = own_templates(rig)
    (folder / "acknowledgement.fr.txt").write_text("Subject: {{reference}}\n\nBonjour {{prenom}}\n")
    (folder / "closed.html").write_text("<p>\n{{#exceptions}}{{nom}}{{/exceptions}}</p>")
    rig.letters.update(html=True, templates={"accepted": "closed.txt"})
    said = rig.run("run", "--once", status=78).stderr
    assert "closed.html:2: there is no field of the name 'nom'; here there are reference, " in said
    rig.letters.update(html=False, templates={})
    said = rig.run("run", "--once", status=78).stderr
    assert "acknowledgement.fr.txt:3: there is no field of the name 'prenom'" in said and not rig.data.exists()
    rig.letters.update(language="it", language_rules=[{"language": "de"}])
    said = rig.run("run", "--once", status=78).stderr
    assert "onecase.yaml:" in said and 'there is no template in "it": expected ' in said
    assert "a language rule says for whom" in said


def test_every_shipped_letter_is_whole_in_every_language_and_state(rig, tmp_path):
    rig.letters.update(html=True, templates={"appended": "appended.txt", "closed": "closed.txt"})
    file = tmp_path / "mail.eml"
    file.write_bytes(plain("shown"))
    subjects = set()
    for state in ("accepted", "accepted_with_exceptions", "appended", "closed"):
        for language in ("en", "de", "fr", "es"):
            said = json.loads(rig.run("template", "test", str(file), "--state", state, "--language", language,
                                      "--json").stdout)
            assert said["language"] == language and said["case"] in said["text"] and said["case"] in said["html"]
            assert max(map(len, said["text"].splitlines())) <= 76, (state, language)
            subjects.add(said["subject"])
    assert len(subjects) == 12
