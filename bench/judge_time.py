"""Runs the tester with timers around the parts of a timed stage. Each judge writes one line of JSON to standard error
before its verdict: exclusive seconds of each part, and the number of calls.

    python3 judge_time.py -m kernelbot_tester serve
"""

from __future__ import annotations

import collections
import functools
import json
import os
import runpy
import sys
import time
from typing import Any, Callable

sys.path.insert(0, os.getcwd())

from kernelbot_tester.device import accelerator, host  # noqa: E402
from kernelbot_tester.judge import run  # noqa: E402
from kernelbot_tester.judge.report import Reporter  # noqa: E402
from kernelbot_tester.processes import case_memory, problem_process, stoppable_process, worker_process  # noqa: E402
from kernelbot_tester.stages import checked_calls, timed, timed_calls  # noqa: E402

seconds: dict[str, float] = collections.defaultdict(float)
calls: dict[str, int] = collections.defaultdict(int)
#: Seconds that nested timers have taken from each open timer.
nested: list[float] = [0.0]
#: Worker of the reference in the current turn.
reference_worker: Any = None


def timer(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function, whose time is added to a part without that of timed functions that it calls."""

    @functools.wraps(function)
    def timed_function(*args: Any, **options: Any) -> Any:
        started = time.perf_counter()
        nested.append(0.0)
        try:
            return function(*args, **options)
        finally:
            took = time.perf_counter() - started
            seconds[part] += took - nested.pop()
            nested[-1] += took
            calls[part] += 1

    return timed_function


def wrap(part: str, owner: Any, name: str) -> None:
    """Adds a timer to a function of a module or class."""
    setattr(owner, name, timer(part, getattr(owner, name)))


def split_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `Worker.call`, whose measured time is added to the part `kernel` or `reference`."""

    @functools.wraps(function)
    def split(worker: Any, *args: Any) -> Any:
        result = function(worker, *args)
        took = result.host_ns / 1e9
        part = "reference" if worker is reference_worker else "kernel"
        seconds[part] += took
        calls[part] += 1
        nested[-1] += took
        return result

    return split


def remember_reference(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `attempt_turn`, which records the worker of the reference."""

    @functools.wraps(function)
    def remembered(stage: Any, one: Any, *args: Any) -> Any:
        global reference_worker
        reference_worker = one.reference.worker
        return function(stage, one, *args)

    return remembered


def report(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function that reports a verdict, before which the times are written."""

    @functools.wraps(function)
    def reported(*args: Any, **options: Any) -> Any:
        print(f"judge-time {json.dumps({'seconds': seconds, 'calls': calls})}", file=sys.stderr, flush=True)
        return function(*args, **options)

    return reported


wrap("inputs", problem_process.ProblemProcess, "inputs")
wrap("comparing", problem_process.ProblemProcess, "is_correct")
wrap("expected output and comparison", problem_process.ProblemProcess, "check")
wrap("copying outputs", problem_process.ProblemProcess, "_stage_outputs")
for contents in (host.HostContents, accelerator.AcceleratorContents):
    wrap("writing inputs, poisoning and eviction", contents, "fill")
    wrap("sampling", contents, "changed_since_done")
wrap("describing inputs", case_memory, "describe")
wrap("freeze and thaw", stoppable_process.StoppableProcess, "freeze")
wrap("memory: close", checked_calls.BoundCase, "close")
wrap("memory: bind", worker_process.Worker, "bind")
wrap("memory: allocate", worker_process.Worker, "allocate")
timed_calls.attempt_turn = remember_reference(timed_calls.attempt_turn)
worker_process.Worker.call = split_call(worker_process.Worker.call)  # type: ignore[method-assign]
wrap("release and waiting", worker_process.Worker, "call")
wrap("bursts", timed, "raise_short_times")
wrap("rounds, other", timed, "run_rounds")
wrap("import of the reference", run, "load_reference")
wrap("preparation", run, "prepare")
wrap("tests", run, "run_tests")
wrap("start and end", run, "judge_by_worker")
Reporter._verdict = report(Reporter._verdict)  # type: ignore[method-assign]
sys.argv = sys.argv[2:]
runpy.run_module("kernelbot_tester", run_name="__main__", alter_sys=True)
