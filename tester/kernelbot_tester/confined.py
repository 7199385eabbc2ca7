"""Runs a whole program of ours that runs problems' code in the sandbox: read-only system folders, no network, no process and
no environment of the machine, a user that owns nothing, and a /tmp of its own.

A worker's cell adds a filter of system calls and limits (native/cell.c); here Bubblewrap's namespaces hold alone, since these
programs start workers of their own.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Sequence

from . import native
from .config import configure
from .sandbox import INSIDE, USER_NAMESPACES_FIX, Launch, SandboxError, lasting, package_folders

#: Bytes of /tmp.
SCRATCH_BYTES = 256 << 20


def confine(module: str, arguments: Sequence[str], folders: Sequence[str] = ()) -> None:
    """Becomes `python3 -m module arguments...` in the sandbox, with the open files 0, 1 and 2. `folders` are seen there too.
    Does not return, unless by SandboxError or BuildError."""
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        raise SandboxError("Bubblewrap is missing: install it (Debian, Ubuntu: apt install bubblewrap)")
    launch = Launch(str(native.build()), more=folders)
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
