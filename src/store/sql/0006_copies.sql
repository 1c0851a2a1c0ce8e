-- SPDX-License-Identifier: Apache-2.0
-- Whose place a list took in From, as the list says it: for telling its copy from another mail.

ALTER TABLE item ADD COLUMN author TEXT NOT NULL DEFAULT '';
