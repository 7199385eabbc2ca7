"""Progress messages on the standard error; the standard output is reserved for the result."""

from __future__ import annotations

import sys
import time

STARTED = time.monotonic()


def log_progress(what: str) -> None:
    """Prints a line with the seconds since the start."""
    print(f"{time.monotonic() - STARTED:5.0f} s  {what}", file=sys.stderr, flush=True)
