#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A private Dovecot: its own folder, free ports of 127.0.0.1, any user with the password "secret".

    dovecot.py [prefix=INBOX.] [separator=.] [certificate=FILE key=FILE]

prints one line `folder=… imap=PORT imaps=PORT` and runs until its standard input ends; then nothing of
it is left. Needs root, as the mail belongs to another account. For a test: `with Dovecot(…) as server`.
"""
import os
import pwd
import sys

from imap_server import ImapServer, free_port

PASSWORD = "secret"

CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = {ssl}
{certificate}
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:{folder}/mail/%u
first_valid_uid = 1
login_greeting = ready
mail_max_userip_connections = 100
mail_fsync = never
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
namespace inbox {{
  inbox = yes
  separator = {separator}
  prefix = {prefix}
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service stats {{
  chroot =
}}
"""


class Dovecot(ImapServer):
    name, password = "dovecot", PASSWORD

    def write_config(self):
        owner = pwd.getpwnam("mail")
        pair = f"ssl_cert = <{self.certificate}\nssl_key = <{self.key}" if self.certificate else ""
        self.imap, self.imaps = free_port(), free_port()
        (self.folder / "dovecot.conf").write_text(CONFIG.format(
            folder=self.folder, ssl="yes" if self.certificate else "no", certificate=pair, password=self.password,
            uid=owner.pw_uid, gid=owner.pw_gid, separator=self.separator, prefix=self.prefix,
            imap=self.imap, imaps=self.imaps if self.certificate else 0))

    def command(self):
        return ["dovecot", "-F", "-c", self.folder / "dovecot.conf"]


def main():
    if os.geteuid() != 0:
        sys.exit("dovecot.py: needs root")
    with Dovecot(**dict(word.split("=", 1) for word in sys.argv[1:])) as server:
        print(f"folder={server.folder} imap={server.imap} imaps={server.imaps}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
