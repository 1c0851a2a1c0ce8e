# SPDX-License-Identifier: Apache-2.0
"""A certificate authority for one test run, made with openssl in a folder of the test's.

    authority = Authority(folder)
    authority.issue("good")                            for "localhost", by this authority
    authority.issue("name", host="other.example")
    authority.issue("old", days=("20200101000000Z", "20200102000000Z"))

Each gives (certificate file, key file); authority.file is what `ca_file` wants.
"""
import subprocess
from pathlib import Path

CONFIG = """
[ca]
default_ca = here
[here]
dir = {folder}
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = names
copy_extensions = copy
unique_subject = no
[names]
commonName = supplied
"""


def openssl(*args):
    subprocess.run(["openssl", *map(str, args)], check=True, capture_output=True)


class Authority:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file, self.key = self.folder / "ca.pem", self.folder / "ca.key"
        self.config = self.folder / "ca.cnf"
        self.config.write_text(CONFIG.format(folder=self.folder))
        (self.folder / "index").touch()
        (self.folder / "serial").write_text("01\n")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self.key, "-out", self.file,
                "-days", 3, "-subj", f"/CN=authority {self.folder.name}")

    def issue(self, name, host="localhost", days=None):
        request, key, certificate = (self.folder / f"{name}.{kind}" for kind in ("csr", "key", "crt"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", request,
                "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}")
        span = ["-startdate", days[0], "-enddate", days[1]] if days else ["-days", 2]
        openssl("ca", "-batch", "-config", self.config, "-cert", self.file, "-keyfile", self.key,
                "-in", request, "-out", certificate, *span)
        return certificate, key
