"""Reads problems from folders that need no parser for `task.yml`: `spec.json`, core's `ProblemSpec`, and the problem's
files."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from ..device.target import is_processor
from ..judge.statistics import median, round_time
from ..messages import Job, JudgeEvent, Language, RunMode, Problem, ProblemSpec, Rounds, VerdictEvent

#: The package's own problems.
PROBLEMS = Path(__file__).resolve().parent / "problems"

#: Minimum number of rounds for a score.
FEWEST_ROUNDS = 6
#: How many times the reference's excess the kernel's must be for the means over all calls to count.
SLOW_CALLS = {"cpu": 1.5, "accelerator": 1.02}

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


def time_ns(rounds: Rounds) -> float:
    """Returns the time of a case, as core's `scoreRun` without slow calls."""
    return median([round_time(one["candidateNs"]) for one in counted(rounds)])


def speedup(rounds: Rounds, target: str) -> float:
    """Returns the speedup over the reference, as core's `scoreRun`."""
    sound = counted(rounds)
    mean, excess = all_calls([one["candidateNs"] for one in sound])
    reference_mean, reference_excess = all_calls([one["referenceNs"] for one in sound])
    if excess > SLOW_CALLS["cpu" if is_processor(target) else "accelerator"] * reference_excess:
        return reference_mean / mean
    return median([round_time(one["referenceNs"]) / round_time(one["candidateNs"]) for one in sound])


def all_calls(rounds: list[list[float]]) -> tuple[float, float]:
    """Returns the mean of all calls of a kernel but the slowest hundredth, and how many times the estimate it is."""
    calls = sorted(itertools.chain(*rounds))
    mean = fmean(calls[: max(1, len(calls) - -(-len(calls) // 100))])
    return mean, mean / median([round_time(calls) for calls in rounds])


def counted(rounds: Rounds) -> Rounds:
    """Returns the rounds without throttling if there are enough, else all, as core's `countedRounds`."""
    sound = [timed_round for timed_round in rounds if (timed_round.get("conditions") or {}).get("mark") is None]
    return sound if len(sound) >= FEWEST_ROUNDS else rounds
