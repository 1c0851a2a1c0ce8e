# SPDX-License-Identifier: Apache-2.0
"""An OAuth 2.0 token endpoint over TLS, which also says whose token one is (RFC 6749, RFC 7662).

    with TokenEndpoint(certificate, key) as endpoint:
        endpoint.url                  https://localhost:PORT/token
        endpoint.introspection        https://localhost:PORT/introspect, for a mail server
        endpoint.forms                what was asked for, a dict a request
        endpoint.turns.append(…)      an answer in place of the next token: (status, headers, body), or a
                                      function of (handler, form) that answers by itself
        endpoint.life, endpoint.user, endpoint.rotates
        endpoint.revoke()             no token that was given is good any longer
"""
import json
import secrets
import ssl
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if self.path.startswith("/introspect"):
            self.answer(200, {}, self.server.endpoint.whose(form["token"]))
        else:
            self.give(form)

    def give(self, form):
        endpoint = self.server.endpoint
        endpoint.forms.append(form)
        turn = endpoint.turns.pop(0) if endpoint.turns else (200, {}, endpoint.token(form))
        if callable(turn):
            turn(self, form)
        else:
            self.answer(*turn)

    def answer(self, status, headers, body):
        octets = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    endpoint = None

    def handle_error(self, *_):
        """A client that hangs up is part of the tests."""


class TokenEndpoint:
    def __init__(self, certificate, key):
        self.forms, self.turns, self.given, self.good = [], [], [], set()
        self.life, self.user, self.rotates = 3600, "help@example.org", False
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.endpoint = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        self.url, self.introspection = (f"https://localhost:{self.port}/{page}" for page in ("token", "introspect"))
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)

    def token(self, form):
        token = f"t{len(self.given)}.{secrets.token_urlsafe(24)}"
        self.given.append(token)
        self.good.add(token)
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": self.life}
        if self.rotates:
            answer["refresh_token"] = f"r{len(self.given)}.{secrets.token_urlsafe(16)}"
        return answer

    def whose(self, token):
        return {"active": token in self.good, "username": self.user, "token_type": "Bearer"}

    def revoke(self):
        self.good.clear()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
