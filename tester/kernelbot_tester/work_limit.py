"""The limit of the stage `prepare`: processor time of the submission, with a bound on the time that passes."""

from __future__ import annotations

import time
from typing import Callable

#: How many times the limit may pass on the clock before the stage ends, however little the processor was used.
#: PREPARE_WALL_FACTOR in node/process.ts is the same figure.
WALL_FACTOR = 3.0
#: Seconds between two looks at the processor time, at least.
LOOK_S = 0.05


class WorkLimit:
    """How long a submission may take to be compiled and imported.

    Its time is up when both the clock and its processor time have passed the limit, so a machine that is busy with
    something else fails nobody; or when WALL_FACTOR times the limit has passed on the clock.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self.started = time.monotonic()

    @property
    def deadline(self) -> float:
        """When the time is up in any case, by time.monotonic()."""
        return self.started + WALL_FACTOR * self.limit_s

    def left_s(self, worked_s: Callable[[], float]) -> float:
        """How long to wait until the next look; 0 or less when the time is up. `worked_s` reads the processor time so far."""
        now = time.monotonic()
        if now < self.started + self.limit_s:
            return self.started + self.limit_s - now
        unused_s = self.limit_s - worked_s()
        return min(max(LOOK_S, unused_s), self.deadline - now) if unused_s > 0 else 0.0

    def __str__(self) -> str:
        return f"{self.limit_s:g} s of processor time, and {WALL_FACTOR * self.limit_s:g} s in all"
