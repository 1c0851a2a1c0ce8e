# SPDX-License-Identifier: Apache-2.0
"""A help desk over HTTP that can be told what to do wrong, and remembers all it was asked.

    with Desk(unique="key") as desk:
        desk.faults = ["drop after", 503]     # one a request that makes something, in turn; then none
        ...
        desk.cases                             # what truly stands there

POST /cases makes a case, PUT /cases/KEY too (If-None-Match: * where there is one: 412, RFC 9110 13.1.2);
GET /cases?key=KEY finds, GET /cases/ID reads. `unique`: "key" answers a second case of a key with 409;
"idempotency" gives the first answer to a repeated Idempotency-Key again (draft-ietf-httpapi-
idempotency-key-header); "" makes another.
"""
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse


class Desk:
    def __init__(self, unique="key", tokens=()):
        self.unique, self.tokens = unique, set(tokens)
        self.cases, self.requests, self.answers = [], [], {}
        self.faults, self.find_faults = [], []
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

    def make(self, key, said):
        case = {**said, "key": key, "id": f"T-{len(self.cases) + 1}", "at": time.monotonic()}
        self.cases.append(case)
        return case


class Request(BaseHTTPRequestHandler):
    desk = None
    protocol_version = "HTTP/1.1"

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
        return {"case": {"id": case["id"], "key": case["key"]}}

    # looking

    def do_GET(self):
        desk, url = self.desk, urlparse(self.path)
        with desk.lock:
            desk.requests.append(("GET", self.path, dict(self.headers), None))
            fault = desk.find_faults.pop(0) if desk.find_faults else None
            found = [c for c in desk.cases if c["at"] + desk.hidden_for <= time.monotonic() and
                     (c["key"] in parse_qs(url.query).get("key", []) or url.path == f"/cases/{c['id']}")]
        if not self.signed_in():
            return None
        if fault == "other key":
            return self.answer(200, {"case": {"id": "T-99", "key": "0" * 64}})
        if isinstance(fault, int):
            return self.answer(fault)
        if fault == "drop":
            return self.drop()
        return self.answer(200, self.shown(found[0])) if found else self.answer(404, {"error": "none"})

    # making

    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        self.create(said.get("key"), said)

    def do_PUT(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        self.create(self.path.rsplit("/", 1)[1], said)

    def create(self, key, said):
        desk = self.desk
        with desk.lock:
            desk.requests.append((self.command, self.path, dict(self.headers), said))
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
