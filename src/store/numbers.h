/* SPDX-License-Identifier: Apache-2.0
 *
 * numbers - what belongs to an item, found by the item's number.
 *
 *     "SELECT id FROM effect WHERE " OF_KEY("effect", "$1") " AND kind = 'move'"
 *     "INSERT INTO note (key, item_number, ...) VALUES ($1, " NUMBER_OF("$1") ", ..."
 *
 * Keys are digests, so that in an index by key each mail comes to a page of its own: once the index is larger
 * than the page cache each entry costs a page read and a page written. Numbers come in the order of arrival,
 * and entries by them to the end of an index. Rows of an item have its number beside its key, and one of the
 * two is indexed: the number, or the key where there is none. Mail from before numbers has none, also in rows
 * that come later; so of one item all rows stand in one index, and what is unique there is unique.
 */
#pragma once

#define NEXT_NUMBER     "(SELECT COALESCE(MAX(number), 0) + 1 FROM item WHERE number IS NOT NULL)"
#define NUMBER_OF(key_) "(SELECT item.number FROM item WHERE item.key = " key_ ")"

/* Rows of `table` whose item has that key; `at` names the column that holds it. */
#define OF_KEY_AT(table, at, key_)                                                                 \
    "(" table ".item_number = " NUMBER_OF(key_) " OR (" table ".item_number IS NULL AND " table    \
                                                "." at " = " key_ "))"
#define OF_KEY(table, key_) OF_KEY_AT(table, "key", key_)

/* The same, of the row of `item` that stands beside it. */
#define OF_ITEM(table)                                                                             \
    "(" table ".item_number = item.number OR (" table ".item_number IS NULL AND " table            \
    ".key = item.key))"
