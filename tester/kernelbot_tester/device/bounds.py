"""Combines the times of judge and device where both have a clock.

The judge's time h runs from before the inputs can be read until the judge holds a sample of the outputs. It is at
least the kernel's time, and includes overhead. The worker's time e, from device events around the call, is the wanted
figure, but untrusted. The overhead h - e is known from the reference, which is trusted and runs in a worker of the
same kind, call by call next to the submission.

- A time e > h, or one that is not a valid time, is rejected.
- In a call, at most 1.5 times the median overhead of the reference's calls is subtracted from h. (The overheads of honest
  calls reach 1.3 times: a lower limit raised the times of whole rounds.)

On a device this overhead is longer than many kernels, and a worker that does not wait for its kernel hides the kernel's
time in it. So the times of a case also have a lower bound that only the judge's clock decides (stages/burst.py).
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Sequence

from ..failures import Failed
from ..judge.statistics import median

#: Allowed difference of two correct clocks: the resolution of the device's, and their drift.
CLOCK_STEP_NS, CLOCK_DRIFT = 2_000.0, 1e-3
#: Limit of the subtraction, as a multiple of the reference's median overhead, and the number of its latest calls that
#: count.
MOST, LATEST = 1.5, 200


@dataclass(frozen=True)
class Timed:
    """Times of one call: the judge's, and the worker's (NaN where it reported none)."""

    host_ns: int
    device_ns: float = math.nan


class Overhead:
    """Overhead of a call, estimated from calls of the reference."""

    def __init__(self) -> None:
        self.seen: deque[float] = deque(maxlen=LATEST)

    def learn(self, timed: Timed) -> None:
        """Adds a call of the reference. A negative difference, caused by the clocks' resolution, counts as 0."""
        if math.isfinite(timed.device_ns):
            self.seen.append(max(0.0, timed.host_ns - timed.device_ns))

    def most_ns(self) -> float:
        """Returns the maximum that is subtracted from a call; 0 before the reference was called."""
        return MOST * median(self.seen) if self.seen else 0.0


def device_time(timed: Timed, most_ns: float) -> float:
    """Returns the worker's time of a call, but at least the judge's minus the maximum overhead; the judge's where the
    worker reported none. Raises Failed for an impossible time."""
    host_ns, device_ns = timed.host_ns, timed.device_ns
    if math.isnan(device_ns):
        return host_ns
    if device_ns < 0 or device_ns > host_ns * (1 + CLOCK_DRIFT) + CLOCK_STEP_NS:
        raise Failed(
            "rejected",
            f"the worker reports {device_ns:.0f} ns on the device, for a call of {host_ns} ns by the judge's clock",
        )
    return min(host_ns, max(device_ns, host_ns - most_ns))


def accepted_ns(calls: Sequence[Timed], overhead: Overhead) -> list[int]:
    """Returns the accepted times of a round's calls, in whole nanoseconds, each at least 1. Raises Failed."""
    most_ns = overhead.most_ns()
    return [max(1, round(device_time(timed, most_ns))) for timed in calls]
