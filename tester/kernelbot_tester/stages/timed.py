"""Runs the stages `benchmark`, `ranked` and `duel`: kernels and reference are timed alternately on secret inputs. They
run in rounds (rounds.py), or in one sequence where the problem selects the stopping rule of the KernelBench paper
(paper_rule.py).

Every call gets inputs from a new secret seed, and every output is checked, so a kernel that caches, skips or postpones
its work is incorrect. The reference runs in a worker of the same kind, so that all kernels have the same overhead.
"""

from __future__ import annotations

from ..failures import Failed
from .burst import raise_short_times
from .checked_calls import Workers, without_seed
from .paper_rule import run_sequences
from .ring import Ring, sizes_of_turns
from .rounds import LIMITS, run_rounds
from .session import Session
from .submissions import Submission, take_printed, remaining, combine
from .timed_case import TimedSubmission, TimedCase
from .timed_stage import TimedStage


def run_timed(session: Session, stage: TimedStage, submissions: list[Submission], calibrator: Workers) -> None:
    """Times every case of the job's target. `calibrator`: has imported the reference. A submission leaves the session
    with its first failure. Raises Failed once none is left."""
    job, seed, report, problem = session.job, session.seed, session.report, stage.problem
    cases = problem.cases(stage.name, job["target"])
    report.stage_started(stage.name, len(cases))
    addresses = LIMITS[job["mode"]].addresses
    timed: list[TimedCase] = []
    for index, case in enumerate(cases):
        seeds = seed.of_calls(stage.name, index)
        memories, calls = sizes_of_turns(problem, calibrator.device, case, seeds, len(submissions) + 1)
        entries = [TimedSubmission(one, Ring(one.worker, problem, index, memories, addresses)) for one in submissions]
        reference = Ring(calibrator, problem, index, memories, addresses)
        orders = seed.of_orders(stage.name, index)
        timed.append(TimedCase(index, case, entries, reference, seeds, orders, calls))
    before = remaining(submissions)
    try:
        if problem.spec["stop"] == "paper":
            run_sequences(stage, timed, report)
        else:
            run_rounds(stage, timed, report, job["mode"])
        raise_short_times(stage, timed)
    except Failed as failure:
        for one in submissions:
            if one.is_active:
                one.fail(failure, stage.name)
    left = [one for one in submissions if one.is_active]
    for one in timed:
        differences = [(entry.submission, entry.difference) for entry in one.entries if entry.difference is not None]
        failed = any(not difference.is_accepted for _, difference in differences)
        status = "failed" if failed else "passed" if left else "skipped"
        report.case_finished(
            stage.name,
            one.index,
            without_seed(one.case),
            status,
            combine(differences),
            problem.cost(one.case),
            one.documents() if left else [],
            output_bytes=next((entry.ring.output_bytes for entry in one.entries if entry.ring.output_bytes), None),
            stopped=one.stopped if left else None,
            errors=one.entries[0].errors if status == "passed" and len(one.entries) == 1 else None,
        )
    report.output(stage.name, take_printed(submissions))
    report.stage_finished(stage.name, left == before)
    remaining(submissions)
