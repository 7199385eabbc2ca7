"""Why a program of the sandbox could not be started."""

from __future__ import annotations

import subprocess

#: What root of a container needs to become another user, and the way around it.
CHANGE_USER_FIX = (
    "root in a container needs CAP_SETUID, CAP_SETGID and CAP_SYS_ADMIN for that: start the container with them, or this "
    "program as another user"
)


def start_failure(error: OSError | subprocess.SubprocessError) -> str:
    """Returns why a process did not start as the user of the sandbox. Of an exception between fork and exec, where the process changes
    its user, Python reports only that there was one."""
    if isinstance(error, subprocess.SubprocessError):
        return f"root is not permitted to change its user here; {CHANGE_USER_FIX}"
    return str(error)
