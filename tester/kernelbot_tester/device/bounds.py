"""Which time counts where judge and device both have a clock.

The judge's figure h runs from before the inputs can be read until a sample of the outputs is in the judge's hands. It
is at least the kernel's time, and more by the way in and out. The worker's figure e, from events of the device
around the call, is what one wants to know, and only the worker's word. What the way takes is known from the reference,
which runs trusted in a worker of the same kind, call by call beside the submission: h - e of its calls.

- e > h is a lie, and so is what is no time.
- In no call more is subtracted from h than what nine of ten calls of the reference take on their way.
- Over a round no more is subtracted than the reference takes on average: if it was more, each call gets the excess back.

So a worker that lies in every call gains nothing but noise, one that lies in some calls loses in the others what it
gains, and one that reports too much only harms itself.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Sequence

from ..failures import Failed

#: How far two honest clocks may differ: the step of the device's, and their drift.
CLOCK_STEP_NS, CLOCK_DRIFT = 2_000.0, 1e-3
#: The part of the reference's calls whose way in and out takes less than what is subtracted at most, and how many of
#: the latest calls are looked at.
QUANTILE, LATEST = 0.9, 200


@dataclass(frozen=True)
class Timed:
    """One call: the judge's figure, and the worker's where it gave one (else NaN)."""

    host_ns: int
    device_ns: float = math.nan


class Overhead:
    """What the way in and out takes, from calls of the reference."""

    def __init__(self) -> None:
        self.seen: deque[float] = deque(maxlen=LATEST)

    def learn(self, timed: Timed) -> None:
        """A call of the reference. What the clocks' steps make negative is nothing."""
        if math.isfinite(timed.device_ns):
            self.seen.append(max(0.0, timed.host_ns - timed.device_ns))

    def most_ns(self) -> float:
        """At most this much is subtracted from a call; nothing before the reference was called."""
        ordered = sorted(self.seen)
        return ordered[min(len(ordered) - 1, int(QUANTILE * len(ordered)))] if ordered else 0.0

    def usual_ns(self) -> float:
        """The mean, in which no call counts for more than the most."""
        most = self.most_ns()
        return sum(min(one, most) for one in self.seen) / len(self.seen) if self.seen else 0.0


def device_time(timed: Timed, most_ns: float) -> float:
    """The worker's figure of a call, at least what the judge's leaves it; the judge's where it gave none. Raises Failed
    for a figure that cannot be."""
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
    """The times of a round's calls that count, in whole nanoseconds, each at least one. Raises Failed."""
    if not calls:
        return []
    most_ns = overhead.most_ns()
    times = [device_time(timed, most_ns) for timed in calls]
    claimed = sum(timed.host_ns - time for timed, time in zip(calls, times)) / len(calls)
    excess = max(0.0, claimed - overhead.usual_ns())
    return [max(1, round(min(timed.host_ns, time + excess))) for timed, time in zip(calls, times)]
