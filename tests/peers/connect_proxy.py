# SPDX-License-Identifier: Apache-2.0
"""An HTTP proxy that only tunnels (CONNECT), or refuses to."""
import socket
import threading


def pump(source, target):
    try:
        while octets := source.recv(65536):
            target.sendall(octets)
    except OSError:
        pass
    finally:
        target.close()


class ConnectProxy:
    """`with ConnectProxy() as proxy: … f"http://127.0.0.1:{proxy.port}"`; asked: where to, in order."""

    def __init__(self, answer="200 Connection established"):
        self.answer, self.asked = answer, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def tunnel(self, client):
        request = b""
        while b"\r\n\r\n" not in request:
            request += client.recv(65536)
        self.asked.append(request.split(b" ")[1].decode())
        client.sendall(f"HTTP/1.1 {self.answer}\r\n\r\n".encode())
        if not self.answer.startswith("200"):
            client.close()
            return
        host, port = self.asked[-1].rsplit(":", 1)
        server = socket.create_connection((host, int(port)))
        threading.Thread(target=pump, args=(server, client), daemon=True).start()
        pump(client, server)

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.tunnel, args=(client,), daemon=True).start()

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
