# SPDX-License-Identifier: Apache-2.0
"""The program on a ledger in PostgreSQL: what is true on SQLite is true there, also where connections are cut
and servers die."""
import pytest

import mails
from mails import plain
from postgres import Postgres
from rig import assert_invariants


@pytest.fixture(scope="module")
def server(scratch):
    with Postgres() as postgres:
        yield postgres


@pytest.fixture
def desk(make_rig, server):
    """A rig whose ledger is a database of its own."""
    rig = make_rig()
    rig.settings["ledger"] = server.make_database(rig.user)
    return rig


def test_varied_mails_and_their_copies_are_a_case_each(desk, server):
    varied = mails.varied()[:12]
    desk.deliver(*varied)
    first = desk.once()
    assert first["new"] == 12 and first["completed"] == 12
    desk.deliver(*varied[:3])
    second = desk.once()
    assert second["new"] == 0 and second["duplicates"] == 3
    assert_invariants(desk)
    assert server.sql(desk.user, "SELECT COUNT(*) FROM case_record") == ["12"]
    assert not (desk.data / "ledger.db").exists()
