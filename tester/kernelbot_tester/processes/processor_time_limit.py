"""The limit of the stage `prepare`: processor time of the submission, with an upper bound on wall-clock time."""

from __future__ import annotations

import time
from typing import Callable

#: Multiple of the limit in wall-clock time after which a stage ends, even if little processor time was used.
#: WALL_FACTOR in node/run-limit.ts is the same figure.
WALL_FACTOR = 3.0
#: Minimum interval between two reads of the processor time, in seconds.
CHECK_S = 0.05


class ProcessorTimeLimit:
    """Time limit for compiling and importing a submission.

    The time is up when both wall-clock time and processor time have passed the limit, so that load of other programs
    fails no submission; or when wall-clock time has passed WALL_FACTOR times the limit.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.started = time.monotonic()

    @property
    def deadline(self) -> float:
        """Latest end, as a value of time.monotonic()."""
        return self.started + WALL_FACTOR * self.limit_s

    def left_s(self, cpu_time_s: Callable[[], float]) -> float:
        """Returns the seconds to wait until the next check; 0 or less when the time is up. `cpu_time_s` reads the
        processor time so far, in seconds."""
        now = time.monotonic()
        if now < self.started + self.limit_s:
            return self.started + self.limit_s - now
        unused_s = self.limit_s - cpu_time_s()
        return min(max(CHECK_S, unused_s), self.deadline - now) if unused_s > 0 else 0.0

    def __str__(self) -> str:
        return f"{self.limit_s:g} s of processor time, and {WALL_FACTOR * self.limit_s:g} s in all"
