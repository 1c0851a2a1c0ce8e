# SPDX-License-Identifier: Apache-2.0
"""A Debian 12 of its own, with nothing but what a test puts there: in a container of systemd-nspawn (5).

    with Guest("init") as guest:
        guest.enter("apt-get", "install", "-y", "/onecase.deb")    not booted, on this machine's network
        guest.boot()                                              systemd runs; no network but its own loopback
        guest.run("systemctl", "start", "onecase")
        guest.shell("cd /srv/onecase && make", typed="...")
        mail = guest.mail()                                       the servers of mail_servers on that loopback

Nothing of it is left. As root; installs systemd-container where it is not there.
"""
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
WORLD = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root", "TERM=dumb",
         "DEBIAN_FRONTEND=noninteractive"]
HOSTS = "127.0.0.1 localhost imap.example.org smtp.example.org\n"
NAMESPACES = ["--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]


def await_(condition, what, seconds=60):
    """Until `condition` gives something true, which is returned."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, f"not in {seconds} s: {what}"
        time.sleep(0.05)
    return found


def install(package, program):
    if not shutil.which(program):
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


class Guest:
    def __init__(self, *base):
        self.base, self.machine, self.leader, self.peers = base, None, None, None
        self.folder = self.root = self.log = None

    def __enter__(self):
        install("systemd-container", "systemd-nspawn")
        base = subprocess.run([HERE / "base", *self.base], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        self.folder = Path(tempfile.mkdtemp(prefix="onecase-guest.", dir="/var/tmp"))
        self.root, self.log = self.folder / self.folder.name.replace(".", "-"), self.folder / "boot.log"
        subprocess.run(["cp", "-a", base, self.root], check=True)
        (self.root / "etc/hosts").write_text(HOSTS)
        return self

    def __exit__(self, *_):
        self.end()
        subprocess.run(["rm", "-rf", "--one-file-system", self.folder], check=True)

    def nspawn(self):
        """What starts it; where no systemd looks after this machine it needs a control group of its own, not a unit."""
        keep = [] if Path("/run/systemd/system").exists() else ["--keep-unit"]
        return ["systemd-nspawn", "--quiet", f"--directory={self.root}", "--register=no", *keep]

    def groups(self):
        """Control groups of its own, where no systemd makes them: else two of these would share one."""
        if Path("/run/systemd/system").exists():
            return []
        return [top / self.folder.name for top in (Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup/unified")) if top.exists()]

    def begin(self, words, **more):
        for group in self.groups():
            group.mkdir(exist_ok=True)
        into = "".join(f"echo $$ >{group}/cgroup.procs; " for group in self.groups())
        return subprocess.Popen(["sh", "-c", f'{into}exec "$@"', "sh", *words], **more)

    def sweep(self):
        """The control groups that it leaves."""
        for group in self.groups():
            for folder, _, _ in os.walk(group, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:  # somebody is in it yet
                    pass

    # not booted

    def enter(self, *words, status=0, seconds=3600, cwd="/root", show=False):
        """Runs a command as the container's only one, on this machine's network."""
        words = [*self.nspawn(), f"--chdir={cwd}", "--pipe", *WORLD, *words]
        into = {} if show else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        process = self.begin(words, stdin=subprocess.DEVNULL, text=True, **into)
        try:
            said, _ = process.communicate(timeout=seconds)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            self.sweep()
        assert status is None or process.returncode == status, f"{words[-1]}: {process.returncode}\n{(said or '')[-6000:]}"
        return said

    # booted

    def boot(self, seconds=120):
        with open(self.log, "ab") as log:
            self.machine = self.begin([*self.nspawn(), "--boot", "--private-network", "--console=pipe"],
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        def first():
            assert self.machine.poll() is None, "it does not boot:\n" + self.log.read_text()
            children = Path(f"/proc/{self.machine.pid}/task/{self.machine.pid}/children").read_text().split()
            return next((one for one in children if Path(f"/proc/{one}/comm").read_text() == "systemd\n"), None)
        self.leader = await_(first, "its first process", seconds)
        await_(lambda: self.run("systemctl", "is-system-running", "--wait", status=None) in ("running\n", "degraded\n"),
               "systemd runs", seconds)

    def inside(self, *words, cwd="/root"):
        return ["nsenter", "--target", self.leader, *NAMESPACES, "--", *WORLD, "sh", "-c", 'cd "$0" && exec "$@"', cwd, *map(str, words)]

    def run(self, *words, status=0, seconds=600, typed="", cwd="/root"):
        """What the command says, on both its outputs."""
        done = subprocess.run(self.inside(*words, cwd=cwd), input=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=seconds)
        assert status is None or done.returncode == status, f"{words}: {done.returncode}\n{done.stdout[-6000:]}"
        return done.stdout

    def shell(self, line, **more):
        return self.run("bash", "-euc", line, **more)

    def terminal(self, *words, answers, seconds=120, cwd="/root"):
        """Runs a command at a terminal, where `answers` are (what is asked, what is typed)."""
        pid, there = pty.fork()
        if pid == 0:
            os.execvp("nsenter", self.inside(*words, cwd=cwd))
        seen, rest, until = "", list(answers), time.monotonic() + seconds
        while True:
            assert time.monotonic() < until, f"it waits for something: {seen}"
            if not select.select([there], [], [], 0.2)[0]:
                continue
            try:
                seen += os.read(there, 4096).decode(errors="replace")
            except OSError:
                break
            if rest and re.search(rest[0][0], seen[-400:]):
                os.write(there, (rest.pop(0)[1] + "\n").encode())
        os.close(there)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert not rest, f"it did not ask {rest[0][0]!r}: {seen}"
        return status, seen

    def mail(self):
        """Starts the mail servers on its loopback, and has it trust their authority."""
        words = ["nsenter", "--target", self.leader, "--net", "--", HERE / "mail_servers"]
        self.peers = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = self.peers.stdout.readline()
        assert said, "the mail servers do not start"
        places = SimpleNamespace(**{name: Path(path) for name, path in json.loads(said).items()})
        shutil.copy(places.authority, self.root / "usr/local/share/ca-certificates/tests.crt")
        self.run("update-ca-certificates")
        return places

    def mail_again(self):
        """The mail servers anew, after a boot; what was in their mailboxes is gone."""
        self.peers.stdin.close()
        self.peers.wait(30)
        return self.mail()

    def copy_sources(self):
        """The files of the project, as they stand, into /srv/onecase."""
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, check=True, capture_output=True).stdout
        there = self.root / "srv/onecase"
        there.mkdir()
        with subprocess.Popen(["tar", "-C", TOP, "--null", "-T", "-", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tar:
            unpack = subprocess.Popen(["tar", "-C", there, "--no-same-owner", "-x"], stdin=tar.stdout)
            tar.stdin.write(names)
            tar.stdin.close()
            assert unpack.wait() == 0

    def down(self):
        """Shuts it down as a power button does."""
        os.kill(int(self.leader), signal.SIGRTMIN + 4)
        assert self.machine.wait(120) == 0, self.log.read_text()
        self.leader = self.machine = None
        self.sweep()

    def end(self):
        if self.peers:
            self.peers.stdin.close()
            self.peers.wait(30)
        if self.leader and Path(f"/proc/{self.leader}").exists():
            os.kill(int(self.leader), signal.SIGKILL)  # its first process takes all others with it
            await_(lambda: not Path(f"/proc/{self.leader}").exists(), "its processes end", 20)
        if self.machine and self.machine.poll() is None:
            self.machine.kill()
        if self.machine:
            self.machine.wait()
        self.sweep()


def deliver(mail, user, octets, age=0):
    """Puts a mail into somebody's inbox, as one that came `age` seconds ago."""
    box = mail.mail / user
    for folder in (box, box / "new", box / "cur", box / "tmp"):
        if not folder.exists():
            folder.mkdir(mode=0o700)
            shutil.chown(folder, "mail", "mail")
    when = time.time() - age
    name = f"{int(when)}.M{time.monotonic_ns()}.{socket.gethostname()}"
    path = box / "tmp" / name
    path.write_bytes(octets.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    shutil.chown(path, "mail", "mail")
    os.utime(path, (when, when))
    path.rename(box / "new" / name)


def letters(mail):
    """What was sent to people elsewhere."""
    folder = mail.sent / "new"
    return [path.read_bytes() for path in sorted(folder.iterdir())] if folder.exists() else []
