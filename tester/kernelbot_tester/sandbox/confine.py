"""Runs a program of the tester that executes problems' code in the sandbox: read-only system folders, no network, no
processes and no environment of the machine, a user without files, and its own /tmp.

A worker's cell adds a system call filter and limits (native/cell.c). Here only Bubblewrap's namespaces apply, since
these programs start workers themselves.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Sequence

from . import native_library
from .config import configure
from .sandbox import INSIDE, USER_NAMESPACES_FIX, Launch, SandboxError, lasting, package_folders

#: Size limit of /tmp in bytes.
SCRATCH_BYTES = 256 << 20


def confine(module: str, arguments: Sequence[str], folders: Sequence[str] = ()) -> None:
    """Replaces this process by `python3 -m module arguments...` in the sandbox, with the open files 0, 1 and 2.
    `folders` are bound there too. Returns only by SandboxError or BuildError."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise SandboxError("Bubblewrap is missing: install it (Debian, Ubuntu: apt install bubblewrap)")
    launch = Launch(str(native_library.build()), more=folders)
    path = [INSIDE, *map(lasting, package_folders())]
    environment = {**configure(True).worker_environment(), "PYTHONPATH": os.pathsep.join(path)}
    options = launch.options(environment)
    place = options.index("--tmpfs")
    options[place:place] = ["--size", str(SCRATCH_BYTES)]
    try:
        launch.become_nobody()
        command = [bubblewrap, *options, "--", lasting(sys.executable), "-B", "-m", module, *arguments]
        os.execve(bubblewrap, command, environment)
    except OSError as error:
        raise SandboxError(f"the sandbox cannot be made: {error}; {USER_NAMESPACES_FIX}") from None
