# SPDX-License-Identifier: Apache-2.0
"""C05 at a help desk over HTTP, and who tells webhooks: killed before and after each call of a port, or answered
otherwise. One deployment each, and a mail for each point: what one leaves the next has to put right."""
from desk import Desk
from mails import plain
from receiver import Receiver

TELLER = [f"{how} {call} 1" for call in ("webhooks.derive", "webhooks.next", "poster.post", "webhooks.tried")
          for how in ("before", "after")]
TELLER += ["lost webhooks.tried 1", "lost poster.post 1"]
DESK = ["before destination.act 1", "before destination.look 1", "after destination.look 1", "after destination.act 1",
        "lost destination.look 1", "lost destination.act 1"]


def meet(deployment, points):
    """A mail and a run for each point; then runs without until nothing moves."""
    for number, point in enumerate(points):
        deployment.trace.unlink(missing_ok=True)
        deployment.deliver(plain(f"point{number}"))
        trace = deployment.crash(point)
        assert point.split()[1:] in [line[1:3] for line in trace], f"{point}: it did not come there"
    deployment.settle()
    deployment.check()


def test_who_tells_a_webhook_is_killed_at_each_step_and_each_mail_is_told_in_order(deployment):
    with Receiver() as receiver:
        deployment.settings["webhooks"] = [receiver.settings(deployment.folder)]
        meet(deployment, TELLER)
        receiver.check()
        keys = [item["key"] for item in deployment.items()]
        assert len(keys) == len(TELLER)
        assert {tuple(receiver.of(key)) for key in keys} == {("case.created", "item.complete")}
        again = len(receiver.taken) - len(receiver.told())
        assert 0 < again <= len(TELLER), "a try whose outcome was not recorded is made once more, under its id"


def test_C05_killed_at_each_request_to_a_desk_there_is_one_case_each(deployment):
    with Desk(unique="key") as desk:
        request = {"id": "/case/id", "key": "/case/key"}
        deployment.settings["case"] = {"destination": "desk"}
        deployment.settings["destinations"] = [
            {"name": "desk", "url": desk.url, "guarantee": "unique-key", "settle": "0s",
             "create": {"method": "POST", "path": "/cases", "body": '{"key": "{{key}}"}', **request},
             "find": {"method": "GET", "path": "/cases?key={{key}}", **request}}]
        meet(deployment, DESK)
        assert sorted(case["key"] for case in desk.cases) == sorted(item["key"] for item in deployment.items())
        assert len(desk.cases) == len(deployment.acknowledgements()) == len(DESK)
