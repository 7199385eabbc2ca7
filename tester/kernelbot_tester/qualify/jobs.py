"""Reads problems from folders that need no parser for `task.yml`: `spec.json`, core's `ProblemSpec`, and the problem's
files."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, cast

from ..device.target import is_processor
from ..judge.statistics import RunningMean, median, round_value, time_of_rounds
from ..messages import Job, JudgeEvent, Language, RunMode, Problem, ProblemSpec, Rounds, VerdictEvent

#: The package's own problems.
PROBLEMS = Path(__file__).resolve().parent / "problems"

#: Minimum number of rounds for a score.
FEWEST_ROUNDS = 6
#: Number of standard errors from which the cost of slow calls counts, and the least cost that does.
SLOW_CALLS_ERRORS, LEAST_SLOW_CALL_COST = 2.5, {"cpu": 1.5, "accelerator": 1.02}

numbers = itertools.count(1)


def load_problem(folder: Path) -> Problem:
    """Returns the problem of a folder."""
    spec = json.loads((folder / "spec.json").read_text("utf-8"))
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and file.name != "spec.json"]
    return {"spec": spec, "files": {file.name: file.read_text("utf-8") for file in files}}


def job(problem: Problem, source: str, mode: RunMode, target: str, language: Language = "py", **spec: Any) -> Job:
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


def time_ns(rounds: Rounds, target: str) -> float:
    """Returns the estimated time of a case, as core's `scoreRun`, without the cost of slow calls."""
    return estimate_ns(counted(rounds), "candidateNs", device_of(target))


def speedup(rounds: Rounds, target: str) -> float:
    """Returns the speedup over the reference, as core's `scoreRun`."""
    sound, device = counted(rounds), device_of(target)
    ratio = median([round_value(one["referenceNs"], device) / round_value(one["candidateNs"], device) for one in sound])
    return ratio / slow_call_cost(sound, ratio, device)


def device_of(target: str) -> str:
    """Returns the kind of device of a target, as core's `deviceOf`."""
    return "cpu" if is_processor(target) else "accelerator"


def estimate_ns(rounds: Rounds, side: Literal["candidateNs", "referenceNs"], device: str) -> float:
    """Returns the time of one side of a case."""
    return time_of_rounds([round_value(one[side], device) for one in rounds], device)


def slow_call_cost(rounds: Rounds, ratio: float, device: str) -> float:
    """Returns by how much calls that the estimate leaves out raise the kernel's mean time over the reference's, as
    core's `scoreRun`; 1 within the noise. `ratio`: the speedup without them."""
    if len(rounds) < FEWEST_ROUNDS:
        return 1
    kernel = [without_waits(one["candidateNs"], one.get("candidateWaitedNs", 0)) for one in rounds]
    reference = [without_waits(one["referenceNs"], one.get("referenceWaitedNs", 0)) for one in rounds]
    excess = RunningMean()
    for own, other in zip(kernel, reference):
        excess.add(math.log(fmean(own) / fmean(other) * ratio))
    if excess.mean <= SLOW_CALLS_ERRORS * excess.standard_error():
        return 1
    cost = fmean(itertools.chain(*kernel)) / fmean(itertools.chain(*reference)) * ratio
    return cost if cost >= LEAST_SLOW_CALL_COST[device] else 1


def without_waits(calls: list[float], waited_ns: float) -> list[float]:
    """Returns the mean time of the calls of a round without the waits, in place of each; at least the fastest."""
    return [max(min(calls), fmean(calls) - waited_ns / len(calls))] * len(calls)


def counted(rounds: Rounds) -> Rounds:
    """Returns the rounds without throttling if there are enough, else all, as core's `countedRounds`."""
    sound = [timed_round for timed_round in rounds if (timed_round.get("conditions") or {}).get("mark") is None]
    return sound if len(sound) >= FEWEST_ROUNDS else rounds
