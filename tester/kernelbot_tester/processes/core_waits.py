"""For how long a process waits for a core that other processes use, which the kernel counts for each thread."""

from __future__ import annotations

import contextlib
import os


def core_wait_ns(tasks: int) -> int:
    """Returns for how long all threads of a process have waited for a core so far, in nanoseconds; 0 once it is dead.
    `tasks`: the folder of its threads in /proc."""
    waited_ns = 0
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir(tasks):
            file = os.open(f"{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=tasks)
            try:
                # Processor time, waiting time, number of time slices.
                waited_ns += int(os.pread(file, 64, 0).split()[1])
            finally:
                os.close(file)
    return waited_ns
