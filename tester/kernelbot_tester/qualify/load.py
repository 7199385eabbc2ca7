"""Measures the load of the machine by other programs."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

#: Maximum load by other programs on a machine that is to be measured, in per cent of our cores' time.
MOST_BUSY, MOST_STOLEN = 10.0, 1.0
#: Duration of the measurement in seconds.
MEASURE_S = 1.0


@dataclass(frozen=True)
class Load:
    """Load of the cores available to the tester, in per cent of their time; and the load average of a minute."""

    busy: float
    stolen: float
    average: float

    @property
    def quiet(self) -> bool:
        """Whether the load is low enough for measured times to be the machine's own."""
        return self.busy <= MOST_BUSY and self.stolen <= MOST_STOLEN


def measure_load(seconds: float = MEASURE_S) -> Load:
    """Measures the load over this many seconds, while idle."""
    before = core_times()
    time.sleep(seconds)
    busy, stolen, whole = (max(0, after - first) for first, after in zip(before, core_times()))
    return Load(100 * busy / max(1, whole), 100 * stolen / max(1, whole), os.getloadavg()[0])


def core_times() -> tuple[int, int, int]:
    """Returns the ticks of our cores since boot: busy, stolen by a hypervisor, all. Source: proc(5), /proc/stat."""
    names = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    busy = stolen = whole = 0
    with open("/proc/stat") as file:
        for name, *fields in map(str.split, file):
            if name in names:
                ticks = [int(field) for field in fields[:8]]
                stolen += ticks[7]
                busy += sum(ticks[:3]) + sum(ticks[5:7])
                whole += sum(ticks)
    return busy, stolen, whole
