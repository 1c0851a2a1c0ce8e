# SPDX-License-Identifier: Apache-2.0
"""A receiver of webhooks on loopback: keeps what it gets, answers as its script says, and checks signatures by
itself, from the text of Standard Webhooks (https://www.standardwebhooks.com) alone."""
import base64
import collections
import hashlib
import hmac
import http.server
import json
import threading
import time

Post = collections.namedtuple("Post", "id at headers body said")


def signature(secret, message_id, timestamp, body):
    """`secret` as it is handed out: "whsec_" and base 64."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(mac).decode()


class Answerer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        receiver = self.server.receiver
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with receiver.lock:
            answer = receiver.answer(json.loads(body)) if receiver.answer else None
            if answer is None:
                answer = receiver.answers.pop(0) if receiver.answers else 204
            post = Post(self.headers["webhook-id"], self.headers["webhook-timestamp"], dict(self.headers), body, answer)
            receiver.posts.append(post)
            if answer != "drop after" and answer != "hang" and answer < 300:
                receiver.taken.append(post)
        if answer == "hang":
            receiver.let_go.wait(60)
        if answer in ("hang", "drop after"):
            self.close_connection = True
            return
        self.send_response(answer)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # whoever posts may be killed


class Receiver:
    """`answers` are taken one a post, then 204; `answer` (of the post, read) comes first where it gives one. An
    answer is a status, "hang", or "drop after"."""

    def __init__(self, secret="whsec_" + base64.b64encode(b"a secret of the tests, 24").decode()):
        self.secret, self.lock, self.let_go = secret, threading.Lock(), threading.Event()
        self.posts, self.taken, self.answers, self.answer = [], [], [], None

    def __enter__(self):
        self.start()
        return self

    def start(self, port=0):
        self.server = Server(("127.0.0.1", port), Answerer)
        self.server.receiver, self.port = self, self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def __exit__(self, *_):
        self.let_go.set()
        self.stop()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/hook"

    def settings(self, folder, name="chat", **more):
        file = folder / f"{name}.secret"
        file.write_text(self.secret + "\n")
        file.chmod(0o600)
        return {"name": name, "url": self.url, "secret_file": str(file), **more}

    def check(self):
        """Every post is signed as it says, just now, and says what Standard Webhooks asks for."""
        for post in self.posts:
            assert hmac.compare_digest(post.headers["webhook-signature"], signature(self.secret, post.id, post.at, post.body))
            assert abs(int(post.at) - time.time()) < 300
            said = json.loads(post.body)
            assert set(said) == {"type", "timestamp", "data"} and post.headers["Content-Type"] == "application/json"

    def told(self):
        """What was taken, each id once, in the order in which it came first."""
        return [json.loads(body) for body in {post.id: post.body for post in reversed(self.taken)}.values()][::-1]

    def of(self, key):
        return [t["type"] for t in self.told() if t["data"]["key"] == key]
