"""Limits the memory of this process."""

from __future__ import annotations

import math
import resource


def limit_memory(more_bytes: float) -> None:
    """Limits this process's address space to its current size plus `more_bytes`."""
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    most = resource.RLIM_INFINITY if more_bytes == math.inf else taken + int(more_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
