"""The time limit of a cell whose processes start others, such as that of a problem's own harness."""

from __future__ import annotations

import contextlib
import os
import time
from collections import defaultdict
from pathlib import Path

from .core_waits import core_wait_ns
from .processor_time_limit import WALL_FACTOR

#: Interval at which the processes of the cell are read, in seconds: what one waited before it ended counts if it was read.
READ_S = 1.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class CellTimeLimit:
    """Limit of elapsed time. The time for which the processes have waited for a core that others used extends it, up to
    WALL_FACTOR times the limit, so that load of other programs fails no submission."""

    def __init__(self, limit_s: float, pid: int, cores: int, proc: Path = Path("/proc")) -> None:
        """`pid`: the first process of the cell, from which all others descend. `cores`: how many cores they may use."""
        self.limit_s = limit_s
        self.pid = pid
        self.cores = cores
        self.proc = proc
        self.started = self.next_read = time.monotonic()
        #: How long each process has waited, in nanoseconds, when it was last read.
        self.waited_ns: dict[int, int] = {}

    def left_s(self) -> float:
        """Returns the seconds to wait until the next check; 0 or less when the time is up."""
        now = time.monotonic()
        if now >= self.next_read:
            self.next_read = min(now + READ_S, self.started + self._extended_limit_s(now - self.started))
        return self.next_read - now

    def _extended_limit_s(self, elapsed_s: float) -> float:
        used_s = 0.0
        for pid, ticks in self._processes():
            used_s += ticks / TICKS_PER_S
            with contextlib.suppress(OSError):
                tasks = os.open(self.proc / str(pid) / "task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                try:
                    self.waited_ns[pid] = max(self.waited_ns.get(pid, 0), core_wait_ns(tasks))
                finally:
                    os.close(tasks)
        # No longer than the cell left its cores unused: its own processes may wait for each other.
        unused_s = max(0.0, elapsed_s - used_s / self.cores)
        waited_s = min(sum(self.waited_ns.values()) / 1e9, unused_s)
        return min(self.limit_s + waited_s, WALL_FACTOR * self.limit_s)

    def _processes(self) -> list[tuple[int, int]]:
        """Returns each process of the cell with its processor time and that of its ended children, in ticks."""
        found: list[tuple[int, int]] = []
        children: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for stat in self.proc.glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                # proc_pid_stat(5): the fields after the name begin with number 3; utime, stime, cutime, cstime.
                fields = stat.read_text(errors="replace").rpartition(")")[2].split()
                pid, parent = int(stat.parent.name), int(fields[1])
                (found if pid == self.pid else children[parent]).append((pid, sum(map(int, fields[11:15]))))
        for pid, _ in found:
            found += children[pid]
        return found
