#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the filter of system calls that the units have, as systemd would load it.

    confined.py PROGRAM WORD...

Reads SystemCallFilter= of deploy/systemd/hardening.conf; what @sets hold says systemd-analyze. For where no service
manager runs: a call that the units forbid is refused (EPERM) here as there.
"""
import ctypes
import errno
import os
import re
import subprocess
import sys
from pathlib import Path

HARDENING = Path(__file__).resolve().parents[2] / "deploy/systemd/hardening.conf"
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


def members(name):
    """The calls of a set, those of its sets among them."""
    if not name.startswith("@"):
        return {name}
    said = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    words = [line.strip() for line in said.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*(members(word) for word in words))


def allowed():
    names = set(members("@default"))
    for line in re.findall(r"^SystemCallFilter=(.*)$", HARDENING.read_text(), re.M):
        listed = set().union(*(members(word) for word in line.removeprefix("~").split()))
        names = names - listed if line.startswith("~") else names | listed
    return names


def main():
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(REFUSE)))
    for name in allowed():
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            library.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0)
    if library.seccomp_load(context) != 0:
        sys.exit("confined: the filter cannot be loaded")
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
