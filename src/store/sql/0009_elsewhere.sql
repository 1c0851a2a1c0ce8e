-- SPDX-License-Identifier: Apache-2.0
-- The same mail in several mailboxes may be one item (merge_across). Its message in another mailbox than
-- the item's is filed there, by whoever watches that one, and waits for nobody's lease.

ALTER TABLE effect ADD COLUMN elsewhere TEXT NOT NULL DEFAULT '';    -- a move's mailbox, where it is not the item's
CREATE INDEX effect_elsewhere ON effect (elsewhere, due)
    WHERE elsewhere <> '' AND status IN ('planned', 'deferred', 'attempting', 'unknown');
