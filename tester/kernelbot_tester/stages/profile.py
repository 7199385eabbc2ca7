"""Runs the stage `profile`: shows where the time of each benchmark case is spent. Its results are never ranked.

Each call has fresh secret inputs and is checked, as in a timed stage. torch.profiler runs inside the worker, since
only there the operators are visible. Its table and trace are therefore untrusted, and are labelled so.
"""

from __future__ import annotations

import gzip
import statistics
import time
from dataclasses import dataclass
from typing import Any

from ..failures import Failed
from ..judge.artifacts import ArtifactFolder
from ..judge.seeds import RunSeed
from ..messages import Case
from ..problem.modules import visible_files
from ..problem.problem import OutputDifference
from ..processes.problem_process import ProblemProcess
from ..processes.worker_process import TRACE_BYTES, Worker
from ..profilers.find import ALL_THERE_IS, device_profiler, vendor_of
from ..profilers.launch import profile_launched
from ..profilers.tool import DeviceProfiler
from .checked_calls import CheckedCase, failure_in_case, case_label, without_seed, without_values
from .session import Session

#: Number of profiled calls of a case, after one unprofiled call; fewer where these would exceed the case's share of
#: the stage.
CALLS = 10
#: Maximum number of profiled cases; core's `MAX_ARTIFACTS` allows for their files.
MOST_CASES = 16
FORGEABLE_PAGE = "Created in the same sandbox as the submission, not verified by the judge."
FORGEABLE_PROFILE = "Created by torch.profiler inside the submission's process, not verified by the judge."


@dataclass(frozen=True)
class Subject:
    """A submission to profile, imported by a worker, and its problem."""

    worker: Worker
    problem: ProblemProcess
    source: str
    #: Source of the input seeds.
    seed: RunSeed


def run_profile(session: Session, subject: Subject, artifacts: ArtifactFolder, deadline: float) -> str | None:
    """Profiles every benchmark case of a target. Returns a sentence on what the profile lacks, or None. An incorrect
    result does not stop the other cases; any other failure does. Raises Failed."""
    report, worker, problem = session.report, subject.worker, subject.problem
    cases = problem.cases("profile", session.job["target"])
    report.stage_started("profile", len(cases))
    failures: list[Failed] = []
    tool, lacks = device_profiler(vendor_of(problem.inputs(cases[0], subject.seed.of_call("profile", 0, 0))))
    if tool is not None and not worker.config.sandboxed:
        tool, lacks = None, f"{tool.name} is used in the sandbox only; {ALL_THERE_IS}"
    if tool is not None and problem.signature is not None:
        tool, lacks = None, f"{tool.name} profiles kernels in Python only; {ALL_THERE_IS}"
    for index, case in enumerate(cases):
        shown, difference, status = without_seed(case), None, "skipped"
        if index < MOST_CASES and not any(failure.failure != "wrong_result" for failure in failures):
            try:
                left = min(len(cases), MOST_CASES) - index
                difference = profile_case(subject, index, case, artifacts, deadline, left)
                if tool is not None:
                    lacks = profile_on_device(tool, subject, index, case, artifacts, deadline) or lacks
                if difference is not None:
                    raise Failed("wrong_result", f"{difference.message}; the inputs of this stage are secret")
                status = "passed"
            except Failed as failure:
                difference, status = difference or OutputDifference(failure.message, None), "failed"
                failures.append(failure_in_case(failure, case_label("profile", index, shown)))
        report.case_finished("profile", index, shown, status, difference, problem.cost(case))
    report.output("profile", worker.take_printed())
    report.stage_finished("profile", not failures)
    if failures:
        raise next((failure for failure in failures if failure.failure != "wrong_result"), failures[0])
    return lacks


def profile_case(
    subject: Subject, index: int, case: Case, artifacts: ArtifactFolder, deadline: float, left: int
) -> OutputDifference | None:
    """Profiles some calls of a case and writes the profiler's output. Returns what was wrong with an output, or None.
    `left`: number of cases left, this one included. Raises Failed."""
    worker = subject.worker
    checked = CheckedCase(worker, subject.problem, index)
    seeds = subject.seed.of_calls("profile", index)
    start = time.monotonic()
    _, difference = checked_call(checked, case, next(seeds), deadline, processes=True)
    call_s = time.monotonic() - start
    worker.start_profiler(deadline)
    calls = calls_within((deadline - time.monotonic()) / left, call_s)
    times_ns = []
    for _ in range(calls):
        elapsed_ns, wrong = checked_call(checked, case, next(seeds), deadline)
        times_ns.append(elapsed_ns)
        difference = difference or wrong
    table, trace = worker.take_profile(deadline)
    checked.close(deadline)
    name = case_label("profile", index, without_seed(case))
    head = [
        f"{name}, {calls} {'call' if calls == 1 else 'calls'}, {time_words(times_ns)} each by the judge's clock, the profiler's own time included",
        *([f"WRONG RESULT: {difference.message}"] if difference is not None else []),
        *([f"No trace: it is longer than {TRACE_BYTES >> 20} MiB."] if trace is None else []),
        FORGEABLE_PROFILE,
        "",
    ]
    artifacts.write(f"profile.{index}.txt", "text/plain", "\n".join([*head, plain(table), ""]).encode())
    if trace is not None:
        artifacts.write(f"profile.{index}.trace.json.gz", "application/gzip", gzip.compress(trace, 6, mtime=0))
    return difference


def profile_on_device(
    tool: DeviceProfiler, subject: Subject, index: int, case: Case, artifacts: ArtifactFolder, deadline: float
) -> str | None:
    """Profiles a case with the vendor's device profiler. Returns why there is no report, or None. Raises Failed,
    NotJudged."""
    files = {**visible_files(subject.problem.files), "submission.py": subject.source}
    data = subject.problem.inputs(case, subject.seed.of_call("profile of the device", index, 0))
    made = profile_launched(tool, files, data, "cuda", CALLS, subject.worker.config, deadline)
    if made.report is None or made.text is None:
        return tool.complaint(plain(made.printed.encode()))
    page = plain(tool.page(made.text).encode())
    head = f"{case_label('profile', index, without_seed(case))}, {CALLS} calls under {tool.name}\n{FORGEABLE_PAGE}\n\n"
    artifacts.write(f"profile.{index}.{tool.text_suffix}", "text/plain", f"{head}{page}\n".encode())
    artifacts.write(f"profile.{index}.{tool.report_suffix}", "application/octet-stream", made.report)
    return None


def checked_call(
    checked: CheckedCase, case: Case, seed: int, deadline: float, processes: bool = False
) -> tuple[int, OutputDifference | None]:
    """Makes one call on a fresh secret input. Returns its time in nanoseconds, and what was wrong with its output, or
    None. `processes`: whether the call may start processes, such as a compiler. Raises Failed."""
    data: Any = checked.problem.inputs(case, seed)
    elapsed_ns = checked.run(data, deadline, processes).host_ns
    difference = checked.check(case, seed)
    return elapsed_ns, None if difference is None or difference.is_accepted else without_values(difference)


def calls_within(share_s: float, call_s: float) -> int:
    """Returns how many calls of this length fit into half of a case's share of the stage; the other half is for the
    profiler."""
    return max(1, min(CALLS, int(share_s / 2 / max(call_s, 1e-6))))


def time_words(times_ns: list[int]) -> str:
    """Formats the median: `35.2 us`."""
    us = statistics.median(times_ns) / 1e3
    return f"{us:.1f} us" if us < 1e3 else f"{us / 1e3:.2f} ms" if us < 1e6 else f"{us / 1e6:.3f} s"


def plain(text: bytes) -> str:
    """Decodes a worker's text and replaces terminal control characters."""
    decoded = text.decode("utf-8", "replace")
    return "".join(c if c == "\n" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in decoded)
