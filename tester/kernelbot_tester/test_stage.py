"""The stage `test`: each case once, on its public inputs."""

from __future__ import annotations

from .checked import Bench, Workers, call_reference, in_case, named
from .failures import Failed
from .problem import Finding, Problem
from .ranks import RankedWorkers
from .report import Reporter


def run_tests(
    worker: Workers,
    problem: Problem,
    target: str,
    report: Reporter,
    deadline: float,
    calibrator: RankedWorkers | None = None,
) -> None:
    """Runs every case. A wrong result does not keep the others from running; anything worse does. With several ranks the
    reference runs in `calibrator`. Raises Failed."""
    cases = problem.cases("test", target)
    report.stage_started("test", len(cases))
    failures: list[Failed] = []
    stopped = False
    for index, case in enumerate(cases):
        cost = problem.cost(case)
        if stopped:
            report.case_finished("test", index, case, "skipped", cost=cost)
            continue
        bench = Bench(worker, problem, index)
        reference = None if calibrator is None else Bench(calibrator, problem, index)
        finding: Finding | None = None
        try:
            data = problem.inputs(case)
            bench.run(data, deadline, processes=True)
            if reference is not None:
                call_reference(reference, data, deadline, "test", processes=True)
            finding = bench.check(data, None, reference)
            if finding is not None:
                raise Failed("wrong_result", finding.message)
            bench.close(deadline)
            if reference is not None:
                reference.close(deadline)
        except Failed as failure:
            finding = finding or Finding(failure.message, None)
            stopped = failure.failure != "wrong_result"
            failures.append(in_case(failure, named("test", index, case)))
        report.case_finished("test", index, case, "passed" if finding is None else "failed", finding, cost)
    report.output("test", worker.take_printed())
    report.stage_finished("test", not failures)
    if failures:
        raise failures[0]
