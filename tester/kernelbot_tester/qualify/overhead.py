"""Measures the cost of judging in addition to the kernel's own time."""

from __future__ import annotations

import time
from typing import Iterator

from .jobs import PROBLEMS, job, load_problem, time_ns, timed_cases, verdict_event, verdict_of
from .figures import Figure, Row
from .session import Session

#: Beyond this time per call, a ranked run would have too few calls.
MOST_PER_CALL_MS = 20.0


def overhead(session: Session) -> Iterator[Row]:
    """Times one run, inputs and checks included, per timed call."""
    problem = load_problem(PROBLEMS / "saxpy")
    session.tester()
    started = time.monotonic()
    events = session.run(job(problem, problem["files"]["kernel.py"], "benchmark", session.target))
    whole_s = time.monotonic() - started
    if verdict_event(events)["verdict"] != "passed":
        yield Row("overhead", False, verdict_of(events), "Stop other work on the machine for a minute, then qualify again")
        return
    (rounds,) = timed_cases(events)
    calls = sum(len(one["candidateNs"]) + len(one["referenceNs"]) for one in rounds)
    (stage_ns,) = [
        event["durationNs"] for event in events if event["type"] == "stage_finished" and event["stage"] == "benchmark"
    ]
    each_ms = stage_ns / 1e6 / calls
    figures = [
        Figure("a call, judged", each_ms, "ms"),
        Figure("the kernel alone", time_ns(rounds) / 1e6, "ms"),
        Figure("the whole run", whole_s, "s"),
    ]
    detail = f"{calls} calls, each with fresh inputs and checked"
    fix = "Stop other work on the machine: judging itself takes a few milliseconds per call"
    yield Row("overhead", each_ms <= MOST_PER_CALL_MS, detail, fix, figures)
