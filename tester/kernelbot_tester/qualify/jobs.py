"""Reads problems from folders that need no parser for `task.yml`: `spec.json`, core's `ProblemSpec`, and the problem's
files."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from ..judge.statistics import RunningMean, median, round_value
from ..messages import Job, JudgeEvent, Language, Mode, Problem, ProblemSpec, Rounds, VerdictEvent

#: The package's own problems.
PROBLEMS = Path(__file__).resolve().parent / "problems"

#: Minimum number of rounds for a score.
FEWEST_ROUNDS = 6
#: Number of standard errors from which the cost of slow calls counts, and the least cost that does.
SLOW_CALLS_ERRORS, LEAST_SLOW_CALL_COST = 2.5, 1.02

numbers = itertools.count(1)


def load_problem(folder: Path) -> Problem:
    """Returns the problem of a folder."""
    spec = json.loads((folder / "spec.json").read_text("utf-8"))
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name != "spec.json"]
    return {"spec": spec, "files": {file.name: file.read_text("utf-8") for file in files}}


def job(problem: Problem, source: str, mode: Mode, target: str, language: Language = "py", **spec: Any) -> Job:
    """Returns the job that judges a source; `spec` replaces parts of the problem's."""
    return {
        "type": "run",
        "id": f"qualify-{next(numbers)}",
        "mode": mode,
        "target": target,
        "problem": {"spec": cast(ProblemSpec, {**problem["spec"], **spec}), "files": problem["files"]},
        "source": source,
        "language": language,
    }


def verdict_event(events: list[JudgeEvent]) -> VerdictEvent:
    """Returns the last event of a run, which is its verdict."""
    last = events[-1]
    assert last["type"] == "verdict"
    return last


def verdict_of(events: list[JudgeEvent]) -> str:
    """Returns `passed`, or the verdict with its reason."""
    verdict = verdict_event(events)
    if verdict["verdict"] == "passed":
        return "passed"
    return f"{verdict['verdict']} ({verdict['failureClass'] or 'not judged'}): {verdict['message']}"


def printed(events: list[JudgeEvent]) -> str:
    """Returns the submission's printed output."""
    return "".join(event["head"] + event["tail"] for event in events if event["type"] == "output")


def timed_cases(events: list[JudgeEvent]) -> list[Rounds]:
    """Returns the rounds of each timed case."""
    return [event["rounds"] for event in events if event["type"] == "case_finished" and event["stage"] != "test"]


def time_ns(rounds: Rounds) -> float:
    """Returns the estimated time of a case, as core's `scoreRun`."""
    sound = counted(rounds)
    return median([round_value(one["candidateNs"]) for one in sound]) * slow_call_cost(sound)


def speedup(rounds: Rounds) -> float:
    """Returns the speedup over the reference, paired by round, as core's `scoreRun`."""
    sound = counted(rounds)
    return median_speedup(sound) / slow_call_cost(sound)


def median_speedup(rounds: Rounds) -> float:
    """Returns the speedup over the reference by the medians of the rounds, which minorities of calls do not change."""
    return median([round_value(one["referenceNs"]) / round_value(one["candidateNs"]) for one in rounds])


def slow_call_cost(rounds: Rounds) -> float:
    """Returns by how much calls that medians ignore raise the kernel's mean time, as core's `scoreRun`; 1 within the
    noise."""
    if len(rounds) < FEWEST_ROUNDS:
        return 1
    ratio = median_speedup(rounds)
    excess = RunningMean()
    for one in rounds:
        excess.add(math.log(fmean(one["candidateNs"]) / fmean(one["referenceNs"]) * ratio))
    if excess.mean <= SLOW_CALLS_ERRORS * excess.standard_error():
        return 1
    kernel, reference = (fmean([time for one in rounds for time in one[side]]) for side in ("candidateNs", "referenceNs"))
    cost = kernel / reference * ratio
    return cost if cost >= LEAST_SLOW_CALL_COST else 1


def counted(rounds: Rounds) -> Rounds:
    """Returns the rounds without throttling if there are enough, else all, as core's `countedRounds`."""
    sound = [timed_round for timed_round in rounds if (timed_round.get("conditions") or {}).get("mark") is None]
    return sound if len(sound) >= FEWEST_ROUNDS else rounds
