"""Runs the stage `test`: each case once, on its public inputs."""

from __future__ import annotations

from ..failures import Failed
from ..judge.report import Reporter
from ..problem.problem import Finding
from ..processes.problem_process import ProblemProcess
from ..processes.ranks import RankedWorkers
from .checked_calls import Bench, call_reference, in_case, named
from .submissions import Contender, printed_by, still_in, time_for_one, together


def run_tests(
    contenders: list[Contender],
    problem: ProblemProcess,
    target: str,
    report: Reporter,
    deadline: float,
    calibrator: RankedWorkers | None = None,
) -> None:
    """Runs every case. An incorrect result does not stop a contender's other cases; any other failure does. With
    several ranks the reference runs in `calibrator`. Raises Failed once no contender is left."""
    cases = problem.cases("test", target)
    report.stage_started("test", len(cases))
    wrong: dict[Contender, Failed] = {}
    for index, case in enumerate(cases):
        cost = problem.cost(case)
        tested = [one for one in contenders if one.is_in]
        findings: list[tuple[Contender, Finding]] = []
        for one in tested:
            bench = Bench(one.worker, problem, index)
            reference = None if calibrator is None else Bench(calibrator, problem, index)
            finding: Finding | None = None
            until = time_for_one(contenders, deadline)
            try:
                data = problem.inputs(case)
                bench.run(data, until, processes=True)
                if reference is not None:
                    call_reference(reference, data, until, "test", processes=True)
                finding = bench.check(case, None, reference)
                if finding is not None and not finding.is_right:
                    raise Failed("wrong_result", finding.message)
                bench.close(until)
                if reference is not None:
                    reference.close(until)
                if finding is not None:
                    findings.append((one, finding))
            except Failed as failure:
                if finding is None or finding.is_right:
                    finding = Finding(failure.message, None)
                findings.append((one, finding))
                first = wrong.setdefault(one, in_case(failure, named("test", index, case)))
                if failure.failure != "wrong_result":
                    one.lose(first)
        failed = any(not finding.is_right for _, finding in findings)
        status = "failed" if failed else "passed" if tested else "skipped"
        report.case_finished("test", index, case, status, together(findings), cost)
    for one, failure in wrong.items():
        if one.is_in:
            one.lose(failure)
    report.output("test", printed_by(contenders))
    report.stage_finished("test", not wrong)
    still_in(contenders)
