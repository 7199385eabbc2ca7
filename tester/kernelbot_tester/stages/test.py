"""Runs the stage `test`: each case once, on its public inputs."""

from __future__ import annotations

import time

from ..failures import Failed, NotJudged
from ..problem.problem import OutputDifference
from ..processes.problem_process import ProblemProcess
from ..processes.worker_group import WorkerGroup
from .checked_calls import CheckedCase, case_label, failure_in_case, reference_at_fault
from .session import Session
from .submissions import Submission, take_printed, remaining, call_deadline, combine


def run_tests(
    session: Session,
    submissions: list[Submission],
    problem: ProblemProcess,
    deadline: float,
    calibrator: WorkerGroup | None = None,
) -> None:
    """Runs every case. An incorrect result does not stop a submission's other cases; any other failure does. With
    several ranks the reference runs in `calibrator`. Raises Failed once no submission is left."""
    report = session.report
    cases = problem.cases("test", session.job["target"])
    report.stage_started("test", len(cases))
    wrong: dict[Submission, Failed] = {}
    # One memory each, laid out anew where the inputs of a case need it.
    bound = {submission: CheckedCase(submission.worker, problem, 0) for submission in submissions}
    reference = None if calibrator is None else CheckedCase(calibrator, problem, 0)
    for index, case in enumerate(cases):
        cost = problem.cost(case)
        tested = [submission for submission in submissions if submission.is_active]
        differences: list[tuple[Submission, OutputDifference]] = []
        for submission in tested:
            checked = bound[submission]
            difference: OutputDifference | None = None
            until = call_deadline(submissions, deadline)
            try:
                data = problem.inputs(case)
                checked.run(data, until, processes=True)
                if reference is not None:
                    with reference_at_fault():
                        reference.run(data, until, processes=True)
                difference = checked.check(case, None, reference)
                if difference is not None and not difference.is_accepted:
                    raise Failed("wrong_result", difference.message)
                if case is cases[-1]:
                    checked.close(until)
                    if reference is not None:
                        reference.close(until)
                if difference is not None:
                    differences.append((submission, difference))
            except Failed as failure:
                if difference is None or difference.is_accepted:
                    difference = OutputDifference(failure.message, None)
                differences.append((submission, difference))
                first = wrong.setdefault(submission, failure_in_case(failure, case_label("test", index, case)))
                if failure.failure != "wrong_result":
                    submission.fail(first, "test")
            except NotJudged as reason:
                raise NotJudged(f"test case {index + 1}: {reason}") from None
            # A call that waited for a core may have had more time, which is not taken from the others.
            deadline += max(0.0, time.monotonic() - until)
        failed = any(not difference.is_accepted for _, difference in differences)
        status = "failed" if failed else "passed" if tested else "skipped"
        report.case_finished("test", index, case, status, combine(differences), cost)
    for submission, failure in wrong.items():
        if submission.is_active:
            submission.fail(failure, "test")
    report.output("test", take_printed(submissions))
    report.stage_finished("test", not wrong)
    remaining(submissions)
