"""The stage `test`: each case once, on its public inputs."""

from __future__ import annotations

from .checked import Bench, in_case, named
from .failures import Failed
from .problem import Finding, Problem
from .report import Reporter
from .workers import Worker


def run_tests(worker: Worker, problem: Problem, target: str, report: Reporter, deadline: float) -> None:
    """Runs every case. A wrong result does not keep the others from running; anything worse does. Raises Failed."""
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
        finding: Finding | None = None
        try:
            data = problem.inputs(case)
            bench.run(data, deadline, processes=True)
            finding = bench.check(data, None)
            if finding is not None:
                raise Failed("wrong_result", finding.message)
            bench.close(deadline)
        except Failed as failure:
            finding = finding or Finding(failure.message, None)
            stopped = failure.failure != "wrong_result"
            failures.append(in_case(failure, named("test", index, case)))
        report.case_finished("test", index, case, "passed" if finding is None else "failed", finding, cost)
    report.output("test", worker.take_printed())
    report.stage_finished("test", not failures)
    if failures:
        raise failures[0]
