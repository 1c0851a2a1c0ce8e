# SPDX-License-Identifier: Apache-2.0
"""A help desk over HTTP that can be told what to do wrong, and remembers all it was asked.

    with Desk(unique="key") as desk:
        desk.faults = ["drop after", 503]     # one a request that makes something, in turn; then none
        ...
        desk.cases                             # what truly stands there

POST /cases makes a case, PUT /cases/KEY too (If-None-Match: * where there is one: 412, RFC 9110 13.1.2);
GET /cases?key=KEY finds, GET /cases/ID reads. POST /cases/ID/notes and /cases/ID/files add to one, PUT
/cases/ID/files/NAME too, as their octets are; GET lists them, or gives a file back; PATCH changes its state,
DELETE takes it away. What is larger than `room` is answered with 413 (RFC 9110 15.5.14). `unique`: "key" answers a second case of a key with 409;
"idempotency" gives the first answer to a repeated Idempotency-Key again (draft-ietf-httpapi-
idempotency-key-header); "" makes another.
"""
import base64
import email.parser
import email.policy
import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlparse


class Desk:
    def __init__(self, unique="key", tokens=(), flat=False):
        self.unique, self.tokens = unique, set(tokens)
        self.flat = flat  # answers {"id", "key"}, and a look-up by key with a list of them
        self.cases, self.requests, self.answers = [], [], {}
        self.turns = []  # of each request for a case: the how manieth of its connection it was
        self.faults, self.find_faults = [], []
        self.add_faults, self.list_faults = [], []  # of notes and files
        self.room = 1 << 30
        self.hidden_for = 0  # seconds until a look-up finds a new case
        self.lock = threading.Lock()
        self.server = self.thread = None
        self.port = 0

    def __enter__(self):
        self.start()
        return self

    def start(self):
        desk = self

        class Handler(Request):
            pass

        Handler.desk = desk
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def of(self, key):
        return [case for case in self.cases if case["key"] == key]

    def with_id(self, number):
        return next((case for case in self.cases if number in (case["id"], case["key"])), None)

    def make(self, key, said):
        case = {**said, "key": key, "id": f"T-{len(self.cases) + 1}", "at": time.monotonic(),
                "notes": [], "files": [], "state": "open"}
        self.cases.append(case)
        return case


class Request(BaseHTTPRequestHandler):
    desk = None
    turn = 0
    protocol_version = "HTTP/1.1"

    def parse_request(self):
        self.turn += 1
        return super().parse_request()

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, **headers):
        octets = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def drop(self):
        self.close_connection = True

    def signed_in(self):
        tokens = self.desk.tokens
        if tokens and self.headers.get("Authorization") not in tokens:
            self.answer(401, {"error": "who are you?"})
            return False
        return True

    def shown(self, case):
        if self.desk.flat:
            shown = {"id": case["id"], "key": case["key"]}
            return {"cases": [shown]} if self.command == "GET" and "?" in self.path else shown
        return {"case": {"id": case["id"], "key": case["key"]}}

    def octets(self):
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def heard(self, faults, said=None):
        """Remembers the request; the fault that is to meet it."""
        with self.desk.lock:
            self.desk.requests.append((self.command, self.path, dict(self.headers), said))
            return faults.pop(0) if faults else None

    # looking

    def do_GET(self):
        desk, url = self.desk, urlparse(self.path)
        parts = url.path.strip("/").split("/")
        if len(parts) > 2:
            return self.children(parts)
        fault = self.heard(desk.find_faults)
        with desk.lock:
            found = [c for c in desk.cases if c["at"] + desk.hidden_for <= time.monotonic() and
                     (c["key"] in parse_qs(url.query).get("key", []) or url.path in (f"/cases/{c['id']}", f"/cases/{c['key']}"))]
        if not self.signed_in():
            return None
        if fault == "other key":
            return self.answer(200, {"case": {"id": "T-99", "key": "0" * 64}})
        if isinstance(fault, int):
            return self.answer(fault)
        if fault == "drop":
            return self.drop()
        return self.answer(200, self.shown(found[0])) if found else self.answer(404, {"error": "none"})

    def children(self, parts):
        """/cases/ID/notes, /cases/ID/files and one file."""
        fault, case = self.heard(self.desk.list_faults), self.desk.with_id(parts[1])
        if case is None or isinstance(fault, int):
            return self.answer(fault or 404)
        if len(parts) == 4:
            name = unquote(parts[3])
            if parts[2] == "notes":
                return self.answer(*((200, {"ref": name}) if any(n["ref"] == name for n in case["notes"]) else (404,)))
            file = next((f for f in case["files"] if f["name"] == name), None)
            return self.answer(200, file["octets"] if fault != "other" else b"?") if file else self.answer(404)
        shown = [{k: v for k, v in child.items() if k != "octets"} for child in case[parts[2]]]
        if fault == "other":
            shown = [{**child, "sha256": "0" * 64} for child in shown]
        return self.answer(200, {"items": shown})

    # making

    def do_POST(self):
        parts = self.path.strip("/").split("/")
        if len(parts) == 3:
            return self.add(parts, *self.child_of(parts[2], self.octets()))
        said = json.loads(self.octets() or b"{}")
        return self.create(said.get("key"), said)

    def do_PUT(self):
        parts = self.path.strip("/").split("/")
        if len(parts) == 4:
            name, octets = unquote(parts[3]), self.octets()
            if parts[2] == "notes":
                return self.add(parts, {**json.loads(octets), "ref": name}, name)
            return self.add(parts, {"name": name, "sha256": hashlib.sha256(octets).hexdigest(), "octets": octets}, name)
        said = json.loads(self.octets() or b"{}")
        return self.create(self.path.rsplit("/", 1)[1], said)

    def do_PATCH(self):
        said = json.loads(self.octets() or b"{}")
        fault, case = self.heard(self.desk.add_faults, said), self.desk.with_id(self.path.rsplit("/", 1)[1])
        if fault == "drop before" or case is None:
            return self.drop() if fault else self.answer(404)
        if isinstance(fault, int):
            return self.answer(fault)
        case["state"] = said["state"]
        return self.drop() if fault == "drop after" else self.answer(200, self.shown(case))

    def do_DELETE(self):
        fault, case = self.heard(self.desk.add_faults), self.desk.with_id(self.path.rsplit("/", 1)[1])
        if case is None:
            return self.answer(404)
        if isinstance(fault, int):
            return self.answer(fault)
        self.desk.cases.remove(case)
        return self.drop() if fault == "drop after" else self.answer(204)

    def child_of(self, kind, octets):
        """What is added, and what tells it apart."""
        if kind == "notes":
            said = json.loads(octets)
            return said, said["ref"]
        if self.headers["Content-Type"].startswith("multipart/form-data"):
            head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
            form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + octets)
            fields = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
            name, file = fields["file"].get_filename().replace("%22", '"'), fields["file"].get_payload(decode=True)
            said = {"note": fields["note"].get_payload()} if "note" in fields else {}
        else:
            said = json.loads(octets)
            name, file = said.pop("name"), base64.b64decode(said.pop("data"), validate=True)
        return {**said, "name": name, "sha256": hashlib.sha256(file).hexdigest(), "octets": file}, name

    def add(self, parts, child, name):
        """One more note or file; a name that is taken is answered as the desk's uniqueness says."""
        desk, case, kind = self.desk, self.desk.with_id(parts[1]), parts[2]
        fault = self.heard(desk.add_faults, child)
        if not self.signed_in():
            return None
        if case is None:
            return self.answer(404, {"error": "no such case"})
        if fault == "drop before":
            return self.drop()
        if isinstance(fault, int):
            return self.answer(fault, {"error": "no"})
        if len(child.get("octets", b"")) > desk.room:
            return self.answer(413, {"error": "too large"})
        with desk.lock:
            there = [c for c in case[kind] if c.get("name", c.get("ref")) == name]
            if there and self.headers.get("If-None-Match") == "*":
                return self.answer(412, {"error": "it is there"})
            if not there or desk.unique != "idempotency":
                child["id"] = len(case[kind]) + 1
                case[kind].append(child)
        if fault == "drop after":
            return self.drop()
        return self.answer(201, {"id": child.get("id", 1)})

    def create(self, key, said):
        desk = self.desk
        with desk.lock:
            desk.requests.append((self.command, self.path, dict(self.headers), said))
            desk.turns.append(self.turn)
            fault = desk.faults.pop(0) if desk.faults else None
        if not self.signed_in():
            return None
        if fault == "drop before":
            return self.drop()
        if isinstance(fault, int):
            return self.answer(fault, {"error": "not now"}, **({"Retry_After": "1"} if fault == 429 else {}))
        with desk.lock:
            status, case = self.decide(key, said)
        if fault == "drop after":
            return self.drop()
        if fault == "stall":
            time.sleep(3)
            return self.drop()
        if fault == "half":
            self.send_response(201)
            self.send_header("Content-Length", "999")
            self.end_headers()
            self.wfile.write(b'{"case": {"id":')
            return self.drop()
        if fault == "page":
            return self.answer(200, b"<html>Welcome</html>")
        if fault == "other key":
            return self.answer(201, {"case": {"id": case["id"], "key": "0" * 64}})
        return self.answer(status, self.shown(case) if status < 300 else {"error": "it is there"})

    def decide(self, key, said):
        desk, there = self.desk, self.desk.of(key)
        once = self.headers.get("Idempotency-Key")
        if self.command == "PUT" and there:
            return 412 if self.headers.get("If-None-Match") == "*" else 200, there[0]
        if desk.unique == "key" and there:
            return 409, there[0]
        if desk.unique == "idempotency" and once in desk.answers:
            return 201, desk.answers[once]
        case = desk.answers[once] = desk.make(key, said)
        return 201, case
