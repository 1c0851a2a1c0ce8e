# SPDX-License-Identifier: Apache-2.0
"""An HTTP proxy that only tunnels (CONNECT), or refuses to."""
import socket
import threading

from listening import Listening, hang_up


def pump(source, target):
    try:
        while octets := source.recv(65536):
            target.sendall(octets)
    except OSError:
        pass
    finally:
        hang_up(target)


class ConnectProxy(Listening):
    """`with ConnectProxy() as proxy: … f"http://127.0.0.1:{proxy.port}"`; asked: where to, in order."""

    def __init__(self, answer="200 Connection established"):
        super().__init__()
        self.answer, self.asked = answer, []

    def talk(self, client):
        request = b""
        while b"\r\n\r\n" not in request:
            request += client.recv(65536)
        self.asked.append(request.split(b" ")[1].decode())
        client.sendall(f"HTTP/1.1 {self.answer}\r\n\r\n".encode())
        if not self.answer.startswith("200"):
            client.close()
            return
        host, port = self.asked[-1].rsplit(":", 1)
        with client, socket.create_connection((host, int(port))) as server:
            down = threading.Thread(target=pump, args=(server, client), daemon=True)
            down.start()
            pump(client, server)
            down.join()
