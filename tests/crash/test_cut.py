# SPDX-License-Identifier: Apache-2.0
"""The way to IMAP and to SMTP is cut, reset or stalls after so many octets: at points spread evenly over what
an undisturbed run says and hears. The end is that of the undisturbed run."""
import pytest

from deployment import difference, letters_of_scenario
from proxy import Proxy

POINTS = {"cut": 6, "reset": 6, "stall": 3}  # of each direction and each server


@pytest.fixture(scope="session")
def scenario():
    return letters_of_scenario()


@pytest.fixture
def calm(make, scenario):
    """The end of an undisturbed run, and how many octets passed in it."""
    if not hasattr(calm_of, "found"):
        calm_of.found = calm_of(make(), scenario)
    return calm_of.found


def calm_of(deployment, scenario):
    deployment.deliver(*scenario)
    with Proxy(deployment.servers.dovecot.imap) as imap, Proxy(deployment.peer.port) as smtp:
        through(deployment, imap.port, smtp.port)
        deployment.run("run", "--once")
    direct(deployment)
    deployment.settle()
    return deployment.end_state(), {"imap": imap.octets, "smtp": smtp.octets}


def through(deployment, imap, smtp):
    deployment.mailbox["imap"]["port"] = imap
    deployment.send_to(smtp)


def direct(deployment):
    through(deployment, deployment.servers.dovecot.imap, deployment.peer.port)


def doubts_allowed(protocol, proxy):
    return 2 if protocol == "smtp" and proxy.happened else 0  # at most one a connection, and there are two


@pytest.mark.parametrize("protocol", ["imap", "smtp"])
@pytest.mark.parametrize("direction", ["down", "up"])
@pytest.mark.parametrize("how", ["cut", "reset", "stall"])
def test_the_way_fails_after_so_many_octets(make, calm, scenario, protocol, direction, how):
    expected, octets = calm
    length = octets[protocol][direction]
    for number in range(POINTS[how]):
        at = length * number // POINTS[how] + number % 3
        deployment = make()
        deployment.deliver(*scenario)
        deployment.mailbox["imap"]["timeout"] = "1s"
        deployment.letters.update(timeout="1s", final_timeout="1s")
        server = deployment.servers.dovecot.imap if protocol == "imap" else deployment.peer.port
        with Proxy(server, how, direction, at) as proxy:
            through(deployment, *((proxy.port, deployment.peer.port) if protocol == "imap" else
                                  (deployment.servers.dovecot.imap, proxy.port)))
            deployment.run("run", "--once", status=None)
            direct(deployment)
        deployment.settle()
        assert len(deployment.asked("acknowledgement-unknown")) <= doubts_allowed(protocol, proxy)
        deployment.settle_doubts()
        deployment.settle()
        deployment.check()
        found = difference(expected, deployment.end_state())
        assert not found, f"{protocol} {direction} {how} after {at} octets: {found}"
        deployment.__exit__()
