"""What is under way, on the standard error, since the standard output is the result's."""

from __future__ import annotations

import sys
import time

STARTED = time.monotonic()


def tell(what: str) -> None:
    """A line with the seconds since the start."""
    print(f"{time.monotonic() - STARTED:5.0f} s  {what}", file=sys.stderr, flush=True)
