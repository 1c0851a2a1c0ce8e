# SPDX-License-Identifier: Apache-2.0
"""OpenStack Swift of Debian with its S3 interface (s3api), started for tests: proxy, account, container and
object server in one process, on loopback, with a folder of their own.

    with Swift() as store:      store.make_bucket("mail"); store.settings(); store.objects("mail")

It checks each signature and the digest of each body. Nothing of it is replicated, and it does not wait for
the disk: what must survive a power cut is not tested here.
"""
import contextlib
import datetime
import hashlib
import hmac
import http.client
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

from listening import Listening

ACCESS, SECRET, REGION = "desk:onecase", "s3-secret-of-tests", "eu-test-1"

PROXY = """
[DEFAULT]
log_level = {level}
[pipeline:main]
pipeline = catch_errors listing_formats s3api tempauth copy slo symlink versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = {region}
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_desk_onecase = {secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:symlink]
use = egg:swift#symlink
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
"""


class Cache:
    """What Swift keeps in memcached, for one process."""

    def __init__(self):
        self.kept = {}

    def get(self, key, **_):
        return self.kept.get(key)

    def set(self, key, value, **_):
        self.kept[key] = value

    def delete(self, key, **_):
        self.kept.pop(key, None)

    def incr(self, key, delta=1, **_):
        self.kept[key] = self.kept.get(key, 0) + delta
        return self.kept[key]


def serve(folder, listening):
    """The four servers, until the process ends."""
    import eventlet
    eventlet.monkey_patch()
    from swift.common import utils
    utils.SWIFT_CONF_FILE = str(folder / "swift.conf")
    (folder / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = tests\n[storage-policy:0]\nname = one\ndefault = yes\n")
    utils.validate_hash_conf()
    utils.fsync = utils.fsync_dir = os.fsync = os.fdatasync = lambda *_: None
    from eventlet import wsgi
    from swift.account.server import AccountController
    from swift.common.ring import RingBuilder
    from swift.common.storage_policy import reload_storage_policies
    from swift.common.wsgi import loadapp
    from swift.container.server import ContainerController
    from swift.obj.server import ObjectController
    reload_storage_policies()
    settings = {"devices": str(folder), "mount_check": "false", "swift_dir": str(folder), "log_level": "CRITICAL"}
    (folder / "disk").mkdir()
    log = open(os.devnull, "w")
    pool = eventlet.GreenPool(2000)
    for kind, controller in (("account", AccountController), ("container", ContainerController), ("object", ObjectController)):
        near = eventlet.listen(("127.0.0.1", 0))
        ring = RingBuilder(1, 1, 0)
        ring.add_dev({"region": 1, "zone": 1, "weight": 1.0, "ip": "127.0.0.1", "port": near.getsockname()[1], "device": "disk"})
        ring.rebalance()
        ring.get_ring().save(str(folder / f"{kind}.ring.gz"))
        pool.spawn(wsgi.server, near, controller(dict(settings)), log, log_output=False)
    (folder / "proxy.conf").write_text(PROXY.format(region=REGION, secret=SECRET, level="CRITICAL"))
    app = loadapp(str(folder / "proxy.conf"), global_conf={"swift_dir": str(folder), "log_level": "CRITICAL"})
    cache = Cache()
    wsgi.server(eventlet.greenio.GreenSocket(listening), lambda env, start: app({**env, "swift.cache": cache}, start), log, log_output=False)



def signed(method, port, path, query="", body=b"", headers=()):
    """The headers of a request, signed by Signature Version 4; `path` and `query` as they are sent."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope, digest = f"{now[:8]}/{REGION}/s3/aws4_request", hashlib.sha256(body).hexdigest()
    names = {"host": f"127.0.0.1:{port}", "x-amz-content-sha256": digest, "x-amz-date": now, **dict(headers)}
    canonical = "\n".join([method, path, query, *(f"{name}:{names[name]}" for name in sorted(names)), "", ";".join(sorted(names)), digest])
    text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = b"AWS4" + SECRET.encode()
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    proof = hmac.new(key, text.encode(), "sha256").hexdigest()
    names["authorization"] = f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope}, SignedHeaders={';'.join(sorted(names))}, Signature={proof}"
    return names


class Swift:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="swift."))
        listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = listening.getsockname()[1]
        self.process = subprocess.Popen(["/usr/bin/python3", __file__, self.folder, str(listening.fileno())], pass_fds=[listening.fileno()],
                                        stdin=subprocess.DEVNULL)
        listening.close()  # whoever connects waits until it is served

    def ask(self, method, path, query="", body=b"", port=None):
        """(status, body) of a signed request."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path + (f"?{query}" if query else ""), body=body, headers=signed(method, self.port, path, query, body))
            answer = connection.getresponse()
            return answer.status, answer.read()

    def make_bucket(self, name):
        status, said = self.ask("PUT", f"/{name}")
        assert status == 200, said
        return name

    def objects(self, bucket, prefix=""):
        """Their names and octets."""
        status, said = self.ask("GET", f"/{bucket}", f"list-type=2&max-keys=1000&prefix={urllib.parse.quote(prefix, safe='')}")
        assert status == 200, said
        names = re.findall("<Key>([^<]*)</Key>", said.decode())
        return {name: self.ask("GET", f"/{bucket}/{urllib.parse.quote(name)}")[1] for name in names}

    def get(self, bucket, name):
        """Its octets, or None."""
        status, said = self.ask("GET", f"/{bucket}/{urllib.parse.quote(name)}")
        return said if status == 200 else None

    def uploads(self, bucket):
        """Names of objects whose parts were never put together."""
        return re.findall("<Key>([^<]*)</Key>", self.ask("GET", f"/{bucket}", "uploads=")[1].decode())

    def put(self, bucket, name, octets):
        status, said = self.ask("PUT", f"/{bucket}/{urllib.parse.quote(name)}", body=octets)
        assert status == 200, said

    def remove(self, bucket, name):
        status, said = self.ask("DELETE", f"/{bucket}/{urllib.parse.quote(name)}")
        assert status in (204, 404), said

    def settings(self, port=None):
        """The block `s3` of a configuration."""
        return {"endpoint": f"http://127.0.0.1:{port or self.port}", "region": REGION, "access_key": ACCESS, "secret_key": SECRET}

    def __enter__(self):
        assert self.ask("GET", "/")[0] == 200
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        shutil.rmtree(self.folder)


SLOW_DOWN = (b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: 59\r\nConnection: close\r\n\r\n"
             b"<Error><Code>SlowDown</Code><Message>x</Message></Error>\r\n\r")


class Faulty(Listening):
    """A way to the store on which requests of a kind go wrong, `times` of them. How:

    "slow-down"  it is answered with 503, and does not come to the store
    "drop"       the connection ends before the store hears of it
    "lost"       the store does it, and its answer is lost
    "half"       half of the answer comes
    "stall"      it does not come to the store, and nothing is answered for as long as anybody waits
    "trickle"    the store does it, and its answer comes octet by octet, and never whole

    `conditional`: what is written with If-None-Match: * and is there is answered with 412, as by stores that
    know it (Swift's s3api answers 501). `before` is called with "METHOD path?query" first of all.
    """

    def __init__(self, store):
        super().__init__()
        self.target, self.how, self.kind, self.times, self.faults, self.asked = store.port, None, "", 0, 0, []
        self.store, self.conditional, self.before = store, False, lambda line: None

    def go_wrong(self, how, kind, times=1):
        """`kind` is a regular expression for "METHOD path?query"."""
        self.how, self.kind, self.times, self.faults = how, kind, times, 0

    def talk(self, near):
        with near, contextlib.suppress(OSError), near.makefile("rb") as said:
            while (request := self.read(near, said)) and self.one(near, *request):
                pass

    @staticmethod
    def read(near, said):
        """Head and body of a request; what waits to be told to go on is told."""
        head = b"".join(iter(said.readline, b"\r\n"))
        if not head:
            return None
        size = re.search(rb"(?im)^content-length: *(\d+)", head)
        if re.search(rb"(?im)^expect: *100-continue", head):
            near.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            head = re.sub(rb"(?im)^expect:[^\r]*\r\n", b"", head)
        return head, said.read(int(size[1])) if size else b""

    def is_it(self, head):
        line = b" ".join(head.split(b" ", 2)[:2]).decode()
        self.asked.append(line)
        self.before(line)
        if not self.how or self.faults >= self.times or not re.search(self.kind, line):
            return None
        self.faults += 1
        return self.how

    def sign_anew(self, head, body):
        """The same request without its condition."""
        method, whole = head.decode().split(" ")[:2]
        path, _, query = whole.partition("?")
        names = {**signed(method, self.target, path, query, body), "content-length": len(body)}
        return (f"{method} {whole} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in names.items())).encode()

    def is_there(self, head):
        bucket, name = urllib.parse.unquote(head.split(b" ")[1].split(b"?")[0].decode())[1:].split("/", 1)
        return self.store.get(bucket, name) is not None

    def one(self, near, head, body):
        """Whether there may be another on this connection."""
        how = self.is_it(head)
        if self.conditional and re.search(rb"(?im)^if-none-match: *\*", head):
            if self.is_there(head):
                near.sendall(b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return False
            head = self.sign_anew(head, body)
        if how == "slow-down":
            near.sendall(SLOW_DOWN)
        if how == "stall":
            self.until_gone(near)
        if how in ("slow-down", "drop", "stall"):
            return False
        with socket.create_connection(("127.0.0.1", self.target)) as far:
            # what is signed stays as it is: the host that was asked, and no header more
            far.sendall(re.sub(rb"(?im)^connection:[^\r]*\r\n", b"", head) + b"Connection: close\r\n\r\n" + body)
            answer = b"".join(iter(lambda: far.recv(1 << 20), b""))
        if how == "half":
            at = answer.index(b"\r\n\r\n") + 4
            near.sendall(answer[:at + (len(answer) - at) // 2])
        if how == "trickle":
            self.until_gone(near, answer[:-1])
        if how not in ("lost", "half", "trickle"):
            near.sendall(answer)
        return False

    @staticmethod
    def until_gone(near, octets=b""):
        """Waits until whoever asked has gone, and says an octet now and then."""
        near.settimeout(0.1)
        for at in itertools.count():
            near.sendall(octets[at:at + 1])
            with contextlib.suppress(TimeoutError):
                if not near.recv(1 << 16):
                    return


if __name__ == "__main__":
    serve(Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2])))
