-- SPDX-License-Identifier: Apache-2.0
-- How full a mailbox is, as its server said it last. A limit of 0: none was said.

ALTER TABLE mailbox ADD COLUMN quota_used_octets INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailbox ADD COLUMN quota_limit_octets INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailbox ADD COLUMN quota_used_messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailbox ADD COLUMN quota_limit_messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mailbox ADD COLUMN quota_at INTEGER;    -- when; NULL is never
