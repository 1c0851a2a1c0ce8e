-- SPDX-License-Identifier: Apache-2.0
-- How many posts a webhook has taken that were let go since: what is counted never counts down.

ALTER TABLE webhook ADD COLUMN let_go INTEGER NOT NULL DEFAULT 0;
