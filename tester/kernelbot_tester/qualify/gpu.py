"""Compares the judge with the device's own events, and its scores with plain measurements, as figures.

    python3 -m kernelbot_tester.qualify.gpu     # {"device", "figures"}, or {"nothing": why there is no figure}

`npm run bench -- gpu` prints its output.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from typing import Iterator

from ..device.find import NoAccelerator, find_accelerator
from ..judge.statistics import median
from ..messages import Case, Machine
from .clock import last_line, waited
from .jobs import PROBLEMS, printed, verdict_of
from .load import measure_load
from .noise import Measured, Plain, rank, run_plain
from .progress import log_progress
from .figures import variation
from .session import Session

#: Approximate times of the kernels in microseconds, and bytes that a kernel moves per element.
TIMES_US, ELEMENT_BYTES = (20, 100, 1000), 12
#: Number of ranked runs of each kernel, and time limit of the whole measurement in minutes.
RUNS, MINUTES = 12, 30.0


@dataclass(frozen=True)
class Beside:
    """A figure of the judge, and the same figure by another method; the bench's `Figure`."""

    name: str
    value: float
    unit: str
    peer: str | None = None
    peerValue: float | None = None


def clock_figures(session: Session, source: str) -> Iterator[Beside]:
    """Yields the medians of kernels of known times, by judge and by events, and their difference. The kernel prints
    its events' times."""
    events, measured = waited(session, source)
    if measured is None:
        raise RuntimeError(verdict_of(events))
    by_events = last_line(printed(events))
    for known, calls in measured.items():
        judge_us, events_us = median(calls), by_events[str(known)]
        yield Beside(f"kernel of {known} us, judged", judge_us, "us", "by device events", events_us)
        yield Beside(f"kernel of {known} us, apart", 100 * (judge_us / events_us - 1), "%")


def cases_of(machine: Machine) -> list[Case]:
    """Returns cases with vectors that take these times on the first device, by the measured memory rate. Raises
    RuntimeError."""
    measured = machine["accelerators"][0]["measured"] if machine["accelerators"] else None
    if measured is None:
        raise RuntimeError("the tester could not measure the device's memory rate: see its standard error")
    sizes = [round(measured["memoryBytesPerS"] * 1e-6 * time_us / ELEMENT_BYTES) for time_us in TIMES_US]
    return [{"size": size, "seed": seed} for seed, size in enumerate(sizes)]


def repeatability(session: Session, cases: list[Case], runs: int) -> Iterator[Beside]:
    """Yields how much the times of each kernel vary from run to run: ranked, and measured plainly after each ranked
    run for the same number of seconds. Raises RuntimeError."""
    judged: list[list[Measured]] = []
    plain: list[Plain] = []
    for number in range(runs):
        log_progress(f"run {number + 1} of {runs}")
        started = time.monotonic()
        found = rank(session, cases)
        if isinstance(found, str):
            raise RuntimeError(found)
        judged.append(found)
        plain.append(run_plain(session, cases, time.monotonic() - started))
    for place, case in enumerate(cases):
        ours, theirs = [one[place] for one in judged], [one.cases[place] for one in plain]
        kernel, by = f"saxpy of {case['size']}", plain[0].by
        times = [median([one.ns for one in several]) / 1e3 for several in (ours, theirs)]
        yield Beside(f"{kernel}, score", times[0], "us", by, times[1])
        spreads = [variation([one.ns for one in several]) for several in (ours, theirs)]
        yield Beside(f"{kernel}, score varies by", spreads[0], "%", by, spreads[1])


def main() -> int:
    """Measures if there is an accelerator. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="kernelbot_tester.qualify.gpu", description="Compare the judge with the device's own events.")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"ranked runs of each kernel, 2 at least ({RUNS})")
    runs = max(2, parser.parse_args().runs)
    try:
        accelerator = find_accelerator()
    except NoAccelerator as error:
        print(json.dumps({"nothing": str(error)}))
        return 0
    with Session(measure_load(), time.monotonic() + 60 * MINUTES, accelerator) as session:
        machine = session.tester().machine
        figures = list(clock_figures(session, (PROBLEMS / "waiting/on_device.py").read_text("utf-8")))
        figures += repeatability(session, cases_of(machine), runs)
    device = machine["accelerators"][0]["model"]
    print(json.dumps({"device": device, "figures": [asdict(figure) for figure in figures]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
