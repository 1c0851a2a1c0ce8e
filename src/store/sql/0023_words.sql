-- SPDX-License-Identifier: Apache-2.0
-- Works with programs from schema 22 on.
--
-- A list of three words and more is a table of its own for SQLite, which it makes and fills anew for every row that is
-- written; words one after another are compared. What a column may hold is what it was.

DROP INDEX effect_open;
CREATE INDEX effect_open ON effect (kind, status)
    WHERE status <> 'planned' AND status <> 'done' AND status <> 'skipped';

-- A check alone is changed where it is written down: https://www.sqlite.org/lang_altertable.html, section 7.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql,
    'key_source IN (''reference'', ''message-id'', ''digest'', ''conflict'', ''delivery'')',
    'key_source = ''reference'' OR key_source = ''message-id'' OR key_source = ''digest'' OR
     key_source = ''conflict'' OR key_source = ''delivery''')
    WHERE type = 'table' AND name = 'item';
UPDATE sqlite_schema SET sql = replace(sql,
    'disposition IN (''case'', ''append'', ''report'', ''evidence'', ''adopted'', ''held'', ''dismissed'')',
    'disposition = ''case'' OR disposition = ''append'' OR disposition = ''report'' OR
     disposition = ''evidence'' OR disposition = ''adopted'' OR disposition = ''held'' OR
     disposition = ''dismissed''')
    WHERE type = 'table' AND name = 'item';
UPDATE sqlite_schema SET sql = replace(sql,
    'state IN (''received'', ''in_progress'', ''complete'', ''needs_reconciliation'')',
    'state = ''received'' OR state = ''in_progress'' OR state = ''complete'' OR
     state = ''needs_reconciliation''')
    WHERE type = 'table' AND name = 'item';
UPDATE sqlite_schema SET sql = replace(sql,
    'completion IN ('''', ''accepted'', ''accepted_with_exceptions'', ''appended'', ''closed'')',
    'completion = '''' OR completion = ''accepted'' OR completion = ''accepted_with_exceptions'' OR
     completion = ''appended'' OR completion = ''closed''')
    WHERE type = 'table' AND name = 'item';
UPDATE sqlite_schema SET sql = replace(sql,
    'kind IN (''case'', ''attachment'', ''acknowledgement'', ''move'', ''webhook'')',
    'kind = ''case'' OR kind = ''attachment'' OR kind = ''acknowledgement'' OR kind = ''move'' OR
     kind = ''webhook''')
    WHERE type = 'table' AND name = 'effect';
UPDATE sqlite_schema SET sql = replace(sql,
    'phase IN (''armed'', ''ended'', ''lost'')',
    'phase = ''armed'' OR phase = ''ended'' OR phase = ''lost''')
    WHERE type = 'table' AND name = 'attempt';
UPDATE sqlite_schema SET sql = replace(sql,
    'outcome IN ('''', ''done'', ''refused'', ''deferred'', ''unknown'')',
    'outcome = '''' OR outcome = ''done'' OR outcome = ''refused'' OR outcome = ''deferred'' OR
     outcome = ''unknown''')
    WHERE type = 'table' AND name = 'attempt';
UPDATE sqlite_schema SET sql = replace(sql,
    'service IN (''imap'', ''smtp'', ''destination'', ''scanner'')',
    'service = ''imap'' OR service = ''smtp'' OR service = ''destination'' OR service = ''scanner''')
    WHERE type = 'table' AND name = 'circuit';
UPDATE sqlite_schema SET sql = replace(sql,
    'state IN (''closed'', ''open'', ''probing'')',
    'state = ''closed'' OR state = ''open'' OR state = ''probing''')
    WHERE type = 'table' AND name = 'circuit';
UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (''planned'', ''stored'', ''refused'', ''quarantined'')',
    'status = ''planned'' OR status = ''stored'' OR status = ''refused'' OR status = ''quarantined''')
    WHERE type = 'table' AND name = 'attachment';
UPDATE sqlite_schema SET sql = replace(sql,
    'class IN (''first'', ''redelivered'', ''reobserved'', ''returned'',
                                               ''list_copy'', ''gateway_copy'', ''replayed'', ''conflict'')',
    'class = ''first'' OR class = ''redelivered'' OR class = ''reobserved'' OR class = ''returned'' OR
     class = ''list_copy'' OR class = ''gateway_copy'' OR class = ''replayed'' OR class = ''conflict''')
    WHERE type = 'table' AND name = 'delivery';
UPDATE sqlite_schema SET sql = replace(sql,
    'status IN (''planned'', ''attempting'', ''done'', ''skipped'',
                                                  ''deferred'', ''refused'', ''unknown'')',
    'status = ''planned'' OR status = ''attempting'' OR status = ''done'' OR status = ''skipped'' OR
     status = ''deferred'' OR status = ''refused'' OR status = ''unknown''')
    WHERE type = 'table' AND name = 'effect';
PRAGMA writable_schema = RESET;
