-- SPDX-License-Identifier: Apache-2.0
-- Who is just telling a webhook a post, and until when nobody else does: several machines may share a ledger.

ALTER TABLE webhook_outbox ADD COLUMN held_by TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook_outbox ADD COLUMN held_until INTEGER;      -- wall time; NULL: nobody is
