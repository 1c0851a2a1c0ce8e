# SPDX-License-Identifier: Apache-2.0
"""What monitoring reads, the rules that watch it, and the dashboard that shows it; promtool is Debian's."""
import json
import re
import sqlite3
import subprocess

import pytest

from conftest import EVENING, TOP

FOLDER = TOP / "deploy" / "monitoring"
RULES = FOLDER / "onecase.rules.yml"
SAMPLE = re.compile(r'^(onecase_[a-z_]+)(\{[^}]*\})? (\S+)$')
GIB = 1 << 30


def samples(text):
    return {(m[1], m[2] or ""): float(m[3]) for m in map(SAMPLE.match, text.splitlines()) if m}


def promtool(*words, **more):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, **more)


# ---- the numbers ----------------------------------------------------------------------------------------------


def test_the_text_is_prometheus_own(desk):
    text = desk.run("metrics").stdout
    checked = promtool("check", "metrics", input=text)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    assert all(line.startswith("#") or SAMPLE.match(line) for line in text.splitlines())
    assert text.endswith("\n")


def test_every_number_of_the_contract_is_there_and_right(desk):
    said = samples(desk.run("metrics").stdout)
    status = {m["id"]: m for m in json.loads(desk.run("status", "--json").stdout)["mailboxes"]}
    report = json.loads(desk.run("report", "duplicates", "--json").stdout)["totals"]
    for mailbox, m in status.items():
        for state, n in m["states"].items():
            assert said["onecase_items", f'{{mailbox="{mailbox}",state="{state}"}}'] == n
        for reason, n in m["waiting"].items():
            assert said["onecase_waiting", f'{{mailbox="{mailbox}",reason="{reason}"}}'] == n
        here = f'{{mailbox="{mailbox}"}}'
        assert said["onecase_not_told", here] == m["not_told"]
        assert said["onecase_backlog_messages", here] == m["backlog"]
        assert said["onecase_awaiting_choice_messages", here] == m["awaiting_choice"]
        assert said["onecase_oldest_incomplete_seconds", here] == (m["oldest_incomplete_seconds"] or 0)
        assert said["onecase_paused", here] == m["paused"]
    for name in ("first", "redelivered", "reobserved", "returned", "list_copy", "gateway_copy", "replayed", "conflict"):
        assert sum(n for (metric, labels), n in said.items()
                   if metric == "onecase_deliveries_total" and f'class="{name}"' in labels) == report[name]
    tries = [a for i in json.loads(desk.run("items", "--json").stdout)
             for a in json.loads(desk.run("item", i["key"], "--json").stdout)["attempt_list"]]
    for kind in ("case", "attachment", "acknowledgement", "move", "webhook"):
        for outcome in ("done", "refused", "deferred", "unknown"):
            assert said["onecase_effect_attempts_total", f'{{kind="{kind}",outcome="{outcome}"}}'] == sum(
                a["kind"] == kind and a["outcome"] == outcome for a in tries)
    assert said["onecase_decisions_total", '{decision="acknowledgement-sent"}'] == 1
    assert said["onecase_acknowledgement_latency_seconds_count", ""] == 2
    assert said["onecase_acknowledgement_latency_seconds_bucket", '{le="+Inf"}'] == 2
    assert said["onecase_circuit_open", '{mailbox="sales",service="smtp"}'] == 1
    assert said["onecase_disk_free_bytes", ""] > 0 and said["onecase_disk_reserve_bytes", ""] == GIB
    assert {labels for metric, labels in said if metric == "onecase_up"} == {
        '{mailbox="help"}', '{mailbox="sales"}', '{mailbox="orders"}'}  # one that nobody has looked at is down, too


def test_a_quota_has_numbers_only_where_a_server_said_one_lately(desk):
    def quota():
        return {(name, labels): n for (name, labels), n in samples(desk.run("metrics").stdout).items() if "_quota_" in name}

    assert quota() == {}
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.execute("UPDATE mailbox SET quota_used_octets = 1024, quota_limit_octets = 4096, quota_at = ? WHERE id = 'help'",
                   ((EVENING - 86400) * 1000,))
    assert quota() == {("onecase_mailbox_quota_used_bytes", '{mailbox="help"}'): 1024,
                       ("onecase_mailbox_quota_limit_bytes", '{mailbox="help"}'): 4096}
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        db.execute("UPDATE mailbox SET quota_at = quota_at - 60000")
    assert quota() == {}


def test_what_is_configured_no_more_has_no_numbers(desk):
    with sqlite3.connect(desk.folder / "data/ledger.db") as db:
        for channel in "mail", "webhook":
            db.execute("INSERT INTO notice_try (channel, tried_at, outcome, subject, why) VALUES (?, ?, 'deferred', 'troubles', 'down')",
                       (channel, EVENING * 1000))
    text = desk.config.read_text()
    desk.config.write_text(text + "notify: {webhook: 'https://127.0.0.1:1/', webhook_secret_file: secret, events: [trouble]}\n")
    (desk.folder / "secret").write_text("whsec_" + "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=")
    assert 'mailbox="help"' in desk.run("metrics").stdout
    desk.config.write_text(desk.config.read_text().replace("id: help", "id: other").replace("username: help", "username: other"))
    said = desk.run("metrics").stdout
    assert 'mailbox="help"' not in said and 'onecase_up{mailbox="other"} 0' in said
    assert 'onecase_notices_failing_seconds{channel="webhook"}' in said and 'failing_seconds{channel="mail"}' not in said
    assert "notices by mail" not in desk.run("check", status=None).stdout and "notices by webhook fail" in desk.run("status").stdout


def test_what_people_do_is_counted(desk):
    before = samples(desk.run("metrics").stdout)
    desk.run("replay", "HD-WZDVM6YG", "--approve", "--by", "ann", "--reason", "as a test")
    desk.run("resolve", "HD-7PP1307J", "--acknowledgement", "sent", "--by", "ann", "--reason", "he rang")
    after = samples(desk.run("metrics").stdout)
    changed = {key: (before.get(key, 0), n) for key, n in after.items() if before.get(key, 0) != n}
    changed.pop(("onecase_disk_free_bytes", ""), None)
    assert changed[("onecase_replays_total", "")] == (0, 1)
    assert changed[("onecase_decisions_total", '{decision="acknowledgement-sent"}')] == (1, 2)
    assert changed[("onecase_deliveries_total", '{mailbox="help",class="replayed"}')] == (0, 1)
    assert changed[("onecase_waiting", '{mailbox="help",reason="acknowledgement-unknown"}')] == (1, 0)
    assert not any(name.endswith("_total") and new < old for (name, _), (old, new) in changed.items())


def test_no_personal_data_and_a_bounded_number_of_lines(desk):
    text = desk.run("metrics").stdout
    assert not re.search(r"@|HD-|example|printer|[0-9a-f]{12}", text)
    assert len(text.splitlines()) < 300


def test_the_file_is_replaced_as_a_whole(desk):
    file = desk.folder / "onecase.prom"
    file.write_text("old")
    before = file.stat().st_ino
    said = desk.run("metrics", "--output", str(file))
    assert said.stdout == "" and samples(file.read_text()).keys() == samples(desk.run("metrics").stdout).keys()
    assert file.stat().st_ino != before and file.stat().st_mode & 0o777 == 0o644
    assert [f.name for f in desk.folder.glob("onecase.prom*")] == ["onecase.prom"]


def test_a_file_that_cannot_be_written_is_74_and_leaves_the_old_one(desk):
    said = desk.run("metrics", "--output", str(desk.folder / "none" / "onecase.prom"), status=74)
    assert "cannot be written: No such file or directory" in said.stderr
    (desk.folder / "onecase.prom").mkdir()
    desk.run("metrics", "--output", str(desk.folder / "onecase.prom"), status=74)
    assert [f.name for f in desk.folder.glob("onecase.prom*")] == ["onecase.prom"]


# ---- the rules ------------------------------------------------------------------------------------------------


def series(name, values, **labels):
    inside = ",".join(f'{k}="{v}"' for k, v in labels.items())
    return {"series": f"{name}{{{inside}}}", "values": values}


# What must fire an alert; each also with less, which must not. Values as promtool writes them: a+bxn.
FIRE = {
    "OnecaseMailboxDown": (
        [series("onecase_up", "0x20", mailbox="help"), series("onecase_paused", "0x20", mailbox="help")],
        [series("onecase_up", "0x20", mailbox="help"), series("onecase_paused", "1x20", mailbox="help")]),
    "OnecaseNoNumbers": ([], [series("onecase_build_info", "1x90", version="0.1")]),
    "OnecaseProcessesDie": ([series("onecase_runs_ended_total", "0+1x90", ended="dead")],
                            [series("onecase_runs_ended_total", "7x90", ended="dead")]),
    "OnecaseClaimLost": ([series("onecase_claim_lost", "1x90", mailbox="help")],
                         [series("onecase_claim_lost", "0x90", mailbox="help")]),
    "OnecaseServerFails": ([series("onecase_circuit_open", "1x90", mailbox="help", service="smtp")],
                           [series("onecase_circuit_open", "1x5 0x85", mailbox="help", service="smtp")]),
    "OnecaseQueueOld": ([series("onecase_oldest_incomplete_seconds", "86401+60x90", mailbox="help")],
                        [series("onecase_oldest_incomplete_seconds", "80000x90", mailbox="help")]),
    "OnecaseBacklogGrows": ([series("onecase_backlog_messages", "101+10x90", mailbox="help")],
                            [series("onecase_backlog_messages", "5000-10x90", mailbox="help")]),
    "OnecaseConfirmationInDoubt": ([series("onecase_waiting", "1x90", mailbox="help", reason="acknowledgement-unknown")],
                                   [series("onecase_waiting", "1x90", mailbox="help", reason="conflict")]),
    "OnecaseManyInDoubt": ([series("onecase_waiting", "21x90", mailbox="help", reason="acknowledgement-unknown")],
                           [series("onecase_waiting", "20x90", mailbox="help", reason="acknowledgement-unknown")]),
    "OnecaseConflicts": ([series("onecase_waiting", "1x300", mailbox="help", reason="conflict")],
                         [series("onecase_waiting", "1x300", mailbox="help", reason="unprocessable")]),
    "OnecaseDecisionsWait": ([series("onecase_waiting_oldest_seconds", "14401x90", mailbox="help")],
                             [series("onecase_waiting_oldest_seconds", "14399x90", mailbox="help")]),
    "OnecaseNotTold": ([series("onecase_not_told", "1x45 2x45", mailbox="help")],
                       [series("onecase_not_told", "5x90", mailbox="help")]),
    "OnecaseMailTakenAway": ([series("onecase_mailbox_difference", "1x90", mailbox="help")],
                             [series("onecase_mailbox_difference", "0x90", mailbox="help")]),
    "OnecaseMailboxFull": (
        [series("onecase_mailbox_quota_used_bytes", f"{GIB}x90", mailbox="help"),
         series("onecase_mailbox_quota_limit_bytes", f"{GIB}x90", mailbox="help")],
        [series("onecase_mailbox_quota_used_bytes", f"{GIB - 1}x90", mailbox="help"),
         series("onecase_mailbox_quota_limit_bytes", f"{GIB}x90", mailbox="help")]),
    "OnecaseMailboxFillsUp": (  # by either of the two limits
        [series("onecase_mailbox_quota_used_messages", "90x90", mailbox="help"),
         series("onecase_mailbox_quota_limit_messages", "100x90", mailbox="help"),
         series("onecase_mailbox_quota_used_bytes", "1x90", mailbox="help")],
        [series("onecase_mailbox_quota_used_bytes", "899x90", mailbox="help"),
         series("onecase_mailbox_quota_limit_bytes", "1000x90", mailbox="help"),
         series("onecase_mailbox_quota_used_messages", "89x90", mailbox="help"),
         series("onecase_mailbox_quota_limit_messages", "100x90", mailbox="help")]),
    "OnecaseDiskFull": ([series("onecase_disk_free_bytes", f"{GIB - 1}x90"), series("onecase_disk_reserve_bytes", f"{GIB}x90")],
                        [series("onecase_disk_free_bytes", f"{9 * GIB}x90"), series("onecase_disk_reserve_bytes", f"{GIB}x90")]),
    "OnecaseDiskFillsUp": ([series("onecase_disk_free_bytes", f"{GIB}x90"), series("onecase_disk_reserve_bytes", f"{GIB}x90")],
                           [series("onecase_disk_free_bytes", f"{2 * GIB}x90"), series("onecase_disk_reserve_bytes", f"{GIB}x90")]),
    "OnecaseBackupOld": ([series("onecase_last_backup_timestamp_seconds", "1x3000")],
                         [series("onecase_last_backup_timestamp_seconds", "7200x3000")]),
    "OnecaseSecretExpires": ([series("onecase_secret_expires_timestamp_seconds", f"{29 * 86400}x90", mailbox="help", service="imap")],
                             [series("onecase_secret_expires_timestamp_seconds", f"{31 * 86400}x90", mailbox="help", service="imap")]),
    "OnecaseNoticesFail": ([series("onecase_notices_failing_seconds", "3601x90", channel="mail")],
                           [series("onecase_notices_failing_seconds", "3600x90", channel="mail")]),
    "OnecaseWebhookFails": ([series("onecase_webhook_failing_seconds", "3601x90", webhook="chat")],
                            [series("onecase_webhook_failing_seconds", "3600x90", webhook="chat")]),
    "OnecaseWebhookDeadLetters": ([series("onecase_webhook_dead", "1x90", webhook="chat")],
                                  [series("onecase_webhook_dead", "0x90", webhook="chat")]),
    # By the hour: 30 days of two copies a day, then one of seventy-two.
    "OnecaseDuplicatesAboveNormal": (
        [series("onecase_deliveries_total", "0+0.1x696 72+3x24", mailbox="help", **{"class": "redelivered"})],
        [series("onecase_deliveries_total", "0+2x720", mailbox="help", **{"class": "redelivered"})]),
}
AT = {"OnecaseConflicts": "4h30m", "OnecaseDuplicatesAboveNormal": "720h", "OnecaseMailboxDown": "15m", "OnecaseBackupOld": "49h"}


def one_test(name, given, fires):
    hours = name == "OnecaseDuplicatesAboveNormal"
    labels = {k: v for k, v in re.findall(r'(\w+)="([^"]*)"', given[0]["series"])} if given else {}
    if hours:
        labels.pop("class")
    severity = re.search(rf"alert: {name}\n.*?severity: (\w+)", RULES.read_text(), re.S)[1]
    firing = {"alertname": name, "alertstate": "firing", "severity": severity, **labels}
    inside = ", ".join(f'{k}="{v}"' for k, v in firing.items())
    return {"interval": "1h" if hours else "1m", "input_series": given, "promql_expr_test": [{
        "expr": f'ALERTS{{alertname="{name}",alertstate="firing"}}', "eval_time": AT.get(name, "80m"),
        "exp_samples": [{"labels": f"ALERTS{{{inside}}}", "value": 1}] if fires else []}]}


def test_the_rules_are_rules_and_every_one_is_fired_here():
    checked = promtool("check", "rules", RULES)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert set(re.findall(r"alert: (\w+)", RULES.read_text())) == set(FIRE)


@pytest.mark.parametrize("fires", [True, False], ids=["fires", "keeps silent"])
def test_each_rule_fires_when_it_must_and_only_then(tmp_path, fires):
    by_interval = {"1m": [], "1h": []}
    for name, given in FIRE.items():
        test = one_test(name, given[0 if fires else 1], fires)
        by_interval[test["interval"]].append(test)
    for interval, tests in by_interval.items():
        run_rule_tests(tmp_path, interval, tests)


def run_rule_tests(folder, interval, tests):
    file = folder / "test.yml"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": interval, "tests": tests}))
    done = promtool("test", "rules", file)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_programs_own_numbers_fire_what_is_the_matter(desk, tmp_path):
    """As the ledger of these tests stands: nobody looks, a mail server of one mailbox fails, decisions wait."""
    given = [{"series": name + labels, "values": f"{value:.0f}x300"}
             for (name, labels), value in samples(desk.run("metrics").stdout).items()
             if not name.startswith("onecase_disk")]
    expected = [("OnecaseMailboxDown", "critical", 'mailbox="help"'), ("OnecaseMailboxDown", "critical", 'mailbox="orders"'),
                ("OnecaseServerFails", "critical", 'mailbox="sales", service="smtp"'),
                ("OnecaseConfirmationInDoubt", "warning", 'mailbox="help", reason="acknowledgement-unknown"'),
                ("OnecaseConflicts", "warning", 'mailbox="help", reason="conflict"'),
                ("OnecaseDecisionsWait", "warning", 'mailbox="help"')]
    run_rule_tests(tmp_path, "1m", [{"interval": "1m", "input_series": given, "promql_expr_test": [{
        "expr": 'ALERTS{alertstate="firing"}', "eval_time": "290m", "exp_samples": [
            {"labels": f'ALERTS{{alertname="{name}", alertstate="firing", severity="{severity}", {labels}}}', "value": 1}
            for name, severity, labels in expected]}]}])


def test_an_alert_says_what_it_means_and_what_to_type(tmp_path):
    run_rule_tests(tmp_path, "1m", [{"interval": "1m", "input_series": FIRE["OnecaseDecisionsWait"][0], "alert_rule_test": [{
        "eval_time": "30m", "alertname": "OnecaseDecisionsWait", "exp_alerts": [{
            "exp_labels": {"severity": "warning", "mailbox": "help"},
            "exp_annotations": {
                "summary": "A mail of help has waited 4h 0m 1s for a decision",
                "description": "Nothing is lost and nothing runs out; a sender waits. Type: onecase decide"}}]}]}])


def test_what_an_alert_tells_to_type_can_be_typed(new_desk):
    for words in set(re.findall(r"(?:: |; )onecase ([a-z]+(?: [a-z]+)?)", RULES.read_text())):
        assert new_desk.run("help", *words.split()[:2 if words.startswith("report") else 1]).stdout


# ---- the dashboard ----------------------------------------------------------------------------------------------


def test_every_query_of_the_dashboard_names_a_metric_that_exists(desk, tmp_path):
    panels = json.loads((FOLDER / "onecase-dashboard.json").read_text())["panels"]
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", desk.run("metrics").stdout, re.M))
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) if name not in types else name
             for query in queries for name in re.findall(r"onecase_[a-z_]+", query)}
    assert shown <= set(types), shown - set(types)
    assert set(types) - shown == {"onecase_build_info", "onecase_events_total", "onecase_last_success_timestamp_seconds", "onecase_last_backup_timestamp_seconds",
                                 "onecase_secret_expires_timestamp_seconds"}
    for query in queries:  # a counter is shown by its rate, never by itself
        for name in re.findall(r"(onecase_\w+_total)", query):
            assert types[name] == "counter" and re.search(rf"(rate|increase)\({name}", query)
    rules = tmp_path / "queries.yml"
    rules.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": [
        {"record": f"q{i}", "expr": query.replace("$__rate_interval", "5m").replace("$mailbox", ".*")}
        for i, query in enumerate(queries)]}]}))
    checked = promtool("check", "rules", rules)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_metric_is_described_where_an_admin_looks(desk):
    page = (FOLDER / "README.md").read_text()
    types = re.findall(r"^# TYPE (\S+) (\S+)$", desk.run("metrics").stdout, re.M)
    assert re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.M) == types
