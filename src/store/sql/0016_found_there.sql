-- SPDX-License-Identifier: Apache-2.0
-- For the report: cases that a destination had already when they were to be made there.

CREATE INDEX effect_found_there ON effect (key) WHERE reason = 'adopted';
