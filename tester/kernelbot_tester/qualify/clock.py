"""Compares the judge's clock with kernels that wait for a known time."""

from __future__ import annotations

import json
from typing import Iterator, Mapping, Sequence, cast

from ..judge.statistics import median
from ..messages import JudgeEvent
from .jobs import PROBLEMS, job, load_problem, printed, timed_cases, verdict_event, verdict_of
from .figures import Figure, Row, quantile
from .session import Session

#: Maximum overhead in microseconds, at the median, for kernels of up to a millisecond.
MOST_ADDED_US = 200.0
#: Tolerance (resolution and drift) within which a call may be shorter by the judge's clock than by the worker's;
#: beyond it the clocks disagree.
CLOCK_STEP_US, CLOCK_DRIFT = 1.0, 1e-3
#: Maximum difference between the judge's time and that of the device's events, in per cent: the goal at 100 us, and
#: the limit.
GOAL, MOST_APART = 2.0, 10.0


def clock(session: Session) -> Iterator[Row]:
    """Yields the row for measured minus known time, over all calls of a run. On an accelerator, its own events give
    the known time."""
    kernel = "kernel.py" if session.device == "cpu" else "on_device.py"
    events, measured = waited(session, load_problem(PROBLEMS / "waiting")["files"][kernel])
    if measured is None:
        yield Row("clock", False, verdict_of(events), "Stop other work on the machine for a minute, then qualify again")
        return
    yield judged(measured) if session.device == "cpu" else compared_with_events(measured, last_line(printed(events)))


def waited(session: Session, source: str) -> tuple[list[JudgeEvent], dict[int, list[float]] | None]:
    """Runs the kernel that waits. Returns the events, and the judge's times of all calls in microseconds, by the known
    time; None where the run did not pass."""
    problem = load_problem(PROBLEMS / "waiting")
    events = session.run(job(problem, source, "benchmark", session.target))
    if verdict_event(events)["verdict"] != "passed":
        return events, None
    spec = problem["spec"]
    known = [cast(int, case["duration_us"]) for case in spec["targets"][session.target].get("benchmarks", spec["benchmarks"])]
    calls = [[ns / 1e3 for one in rounds for ns in one["candidateNs"]] for rounds in timed_cases(events)]
    return events, dict(zip(known, calls))


def judged(measured: Mapping[int, Sequence[float]]) -> Row:
    """Returns the row for calls of known times, in microseconds."""
    figures: list[Figure] = []
    short: list[float] = []
    most = 0.0
    for known, calls in measured.items():
        added = [call - known for call in calls]
        name = "to nothing" if known == 0 else f"to {known} us"
        figures.append(Figure(f"adds {name}, median", median(added), "us"))
        figures.append(Figure(f"adds {name}, 95 % below", quantile(added, 0.95), "us"))
        short += [one for one in added if one < -(CLOCK_STEP_US + CLOCK_DRIFT * known)]
        most = max(most, median(added) if known <= 1000 else 0.0)
    if short:
        detail = f"{len(short)} calls took less time by the judge's clock than by the kernel's, by up to {-min(short):.1f} us"
        fix = "Check the machine's clock source (/sys/devices/system/clocksource/clocksource0): use tsc, or another host"
        return Row("clock", False, detail, fix, figures)
    detail = f"the judge's clock adds {most:.0f} us at most (medians, up to 1 ms)"
    fix = f"It should add at most {MOST_ADDED_US:.0f} us: stop other work on the machine, and reserve a core for the tester"
    return Row("clock", most <= MOST_ADDED_US, detail, fix, figures)


def compared_with_events(measured: Mapping[int, Sequence[float]], by_events: Mapping[str, float]) -> Row:
    """Returns the row for calls of a device that its own events have timed, in microseconds, by the nominal time."""
    figures: list[Figure] = []
    apart: dict[int, float] = {}
    for known, calls in measured.items():
        events_us = by_events.get(str(known))
        if events_us is None:
            return Row("clock", False, f"the device's events measured no kernel of {known} us", "Report it to KernelBot's developers")
        apart[known] = 100 * (median(calls) / events_us - 1)
        figures.append(Figure(f"by events, {known} us", events_us, "us"))
        figures.append(Figure(f"by the judge, {known} us", median(calls), "us"))
        figures.append(Figure(f"apart at {known} us", apart[known], "%"))
    close = abs(apart[100]) <= GOAL
    detail = f"judge and events are {apart[100]:+.1f} % apart at 100 us, {'within' if close else 'beyond'} the goal of {GOAL:g} %"
    fix = "Stop other work on the device, fix its clocks (nvidia-smi -lgc), and reserve the judge's core"
    return Row("clock", abs(apart[100]) <= MOST_APART, detail, fix, figures)


def last_line(text: str) -> dict[str, float]:
    """Parses the last JSON document that a kernel printed; empty if there is none."""
    lines = [line for line in text.splitlines() if line.startswith("{") and line.endswith("}")]
    return json.loads(lines[-1]) if lines else {}
