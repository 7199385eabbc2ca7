"""Measures how much scores of one kernel vary from run to run, next to a plain measurement without a judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Iterator, NamedTuple

from ..sandbox.config import configure
from ..messages import Case
from .devices import LOADED
from .jobs import PROBLEMS, job, load_problem, speedup, time_ns, timed_cases, verdict_event, verdict_of
from .progress import log_progress
from .figures import Figure, Row, variation
from .session import Session
from .tester import OutOfTime

if TYPE_CHECKING:
    from .in_process import Plan

#: Minimum and maximum number of ranked runs: fewer say nothing about variation, more add no information.
FEWEST_RUNS, MOST_RUNS = 4, 12
#: Maximum coefficients of variation in per cent, beyond which the order of a board would be random.
MOST_SCORE, MOST_SPEEDUP = 3.0, 2.0
#: Number of calls and warm-up calls of the plain loop.
CALLS, WARM_UPS = 100, 10

SAXPY = PROBLEMS / "saxpy"
LOOP = Path(__file__).resolve().parent / "in_process.py"


class Measured(NamedTuple):
    """Result of one run for a case: the kernel's time, and its speedup over the reference."""

    ns: float
    speedup: float


class Plain(NamedTuple):
    """Result of a plain measurement without a judge: each case, and the method."""

    cases: list[Measured]
    by: str


def noise(session: Session) -> Iterator[Row]:
    """Alternates ranked runs and plain loops, until there are enough or the time is up."""
    judged: list[Measured] = []
    plain: list[Plain] = []
    session.tester()
    spec = load_problem(SAXPY)["spec"]
    cases = spec["targets"][session.target].get("benchmarks", spec["benchmarks"])
    longest_s = 0.0
    while len(judged) < MOST_RUNS and session.remaining_s > 1.2 * longest_s:
        started = time.monotonic()
        try:
            found = rank(session, cases)
            if isinstance(found, str):
                yield Row("noise", False, found, "Stop other work on the machine for a minute, then qualify again")
                return
            loop = run_plain(session, cases, time.monotonic() - started)
        except (OutOfTime, subprocess.TimeoutExpired):
            break
        judged += found
        plain.append(loop)
        longest_s = max(longest_s, time.monotonic() - started)
        log_progress(f"noise: {len(plain)} ranked runs of {MOST_RUNS} at most")
    yield row(judged, [one.cases[0] for one in plain], session.load.quiet, plain[0].by if plain else "")


def rank(session: Session, cases: list[Case]) -> list[Measured] | str:
    """Makes one ranked run of these cases. Returns the results, or why it did not pass."""
    problem = load_problem(SAXPY)
    targets = {session.target: {"benchmarks": cases}}
    events = session.run(job(problem, problem["files"]["kernel.py"], "ranked", session.target, targets=targets))
    if verdict_event(events)["verdict"] != "passed":
        return verdict_of(events)
    return [
        Measured(time_ns(rounds), speedup(rounds, session.target)) for rounds in timed_cases(events)
    ]


def run_plain(session: Session, cases: list[Case], seconds: float) -> Plain:
    """Measures the same kernel and reference in one separate process, on a device for as many seconds as the ranked
    run took."""
    plan: Plan = {
        "cases": [{"case": case, "kernelCalls": CALLS, "referenceCalls": CALLS} for case in cases],
        "warmUps": WARM_UPS,
        "fresh": False,
        "threads": len(configure(sandboxed=True).worker_cores),
        "tolerance": load_problem(SAXPY)["spec"]["tolerance"],
    }
    if session.accelerator is not None:
        plan["seconds"] = seconds
    done = subprocess.run(
        [sys.executable, str(LOOP), str(SAXPY), str(SAXPY / "kernel.py")],
        input=json.dumps(plan),
        capture_output=True,
        text=True,
        timeout=session.remaining_s,
        env={**os.environ, "KERNELBOT_DEVICE": session.tensors},
    )
    if done.returncode != 0:
        raise RuntimeError(f"a plain loop in one process failed: {done.stderr.strip()[-500:]}")
    measurement = json.loads(done.stdout)
    means = [[sum(one[who]) / len(one[who]) for who in ("kernelNs", "referenceNs")] for one in measurement["cases"]]
    return Plain([Measured(kernel, reference / kernel) for kernel, reference in means], measurement["by"])


def row(judged: list[Measured], plain: list[Measured], quiet: bool, by: str) -> Row:
    """Returns the row for the runs. `by`: the method of the plain measurement."""
    if len(judged) < FEWEST_RUNS:
        detail = f"not run: the time limit sufficed for {len(judged)} ranked runs, and at least {FEWEST_RUNS} are needed"
        return Row("noise", None, detail, "Stop other work on the machine, or increase --minutes")
    score, ratio = (variation([getattr(one, name) for one in judged]) for name in ("ns", "speedup"))
    figures = [
        Figure("score varies by", score, "%"),
        Figure(f"score by {by}", variation([one.ns for one in plain]), "%"),
        Figure("speed-up varies by", ratio, "%"),
        Figure(f"speed-up by {by}", variation([one.speedup for one in plain]), "%"),
    ]
    steady = score <= MOST_SCORE and ratio <= MOST_SPEEDUP
    detail = f"the same kernel ranked {len(judged)} times"
    if not quiet:
        detail += ", on a machine that was loaded at the start, so the variation may be that of the other work"
        return Row("noise", False, detail, LOADED, figures)
    fix = (
        f"Scores should vary by at most {MOST_SCORE:g} %, speed-ups by {MOST_SPEEDUP:g} %: fix the clocks (governor, nvidia-smi "
        "-lgc), stop other work, or use a dedicated host"
    )
    return Row("noise", steady, detail, fix, figures)
