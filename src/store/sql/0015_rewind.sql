-- SPDX-License-Identifier: Apache-2.0
-- When a mailbox noticed that the ledger had gone back: what came before is told by that, too, once its
-- server has given other UIDs.

ALTER TABLE mailbox ADD COLUMN rewind_at INTEGER NOT NULL DEFAULT 0; -- 0: unknown, or it never did
