"""The process that keeps the core of a stopped worker awake (native/awake.c)."""

from __future__ import annotations

import contextlib
import os

from ..sandbox.native_library import native


def start_awake() -> None:
    """Starts it, in the host, before judges are forked. It ends with the host. Where it cannot start, no core is kept
    awake."""
    host = os.getpid()
    native().kb_share_awake()
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            # The readers of the pipes wait until all their ends are closed.
            os.closerange(0, 1 << 16)
            native().kb_spin(host)
            os._exit(0)
