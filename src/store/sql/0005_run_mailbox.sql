-- SPDX-License-Identifier: Apache-2.0
-- Which mailbox a run serves, also while it has nothing to do there; '' of runs from before.
ALTER TABLE run ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
