"""Runs the stage `application`: the kernel in the problem's application, a program that uses it
(problem/application.py).

The application runs in the problem process. Each input that it yields is one call, as in the other stages: the worker
is frozen while the input is written, the judge times the call, and the output is checked on this very input. The
reference is called on the same inputs. The application continues with the kernel's outputs (closed loop), and only
with correct ones, so that it never computes with what a submission has made up.

Hidden cases are the last. Of each, the verdict alone leaves the judge, and nothing that the kernel prints in them.
"""

from __future__ import annotations

import contextlib
import math
import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Iterator

from ..device.bounds import Overhead, Timed, accepted_ns
from ..failures import Failed, NotJudged
from ..judge.statistics import Estimate, median
from ..messages import ApplicationCase, ApplicationVerdict, Case, Rounds
from ..problem.problem import OutputDifference, application_cases
from ..processes.failure_messages import late_write_failure
from ..processes.problem_process import ProblemProcess
from ..untrusted_text import HeadAndTail
from ..worker.layout import describe
from .checked_calls import CheckedCase, Workers, case_label, load_reference, reference_at_fault, without_seed, without_values
from .session import Session
from .submissions import Submission
from .timed_calls import MAX_ATTEMPTS
from .timed_case import reference_times

#: Number of timed runs of the application for each case, each with another seed. With twelve, the interval from the least
#: to the greatest speedup contains the median with 99.95 % confidence. With eight it was 99 %: of 80 runs with the
#: reference as the kernel, one excluded 1.
ROUNDS = 12
#: Maximum number of layouts of inputs for which a worker keeps memory.
LAYOUTS = 8
#: Only parameter that is reported of a hidden case: its number, from 1, as in packages/core/src/problem/hidden-cases.ts.
HIDDEN_CASE = "hidden_case"
RANDOM = random.SystemRandom()


class IncorrectCall(Exception):
    """A call of the application with an incorrect output. `number`: that of the call, from 1."""

    def __init__(self, number: int, difference: OutputDifference, is_finite: bool) -> None:
        super().__init__()
        self.number = number
        self.difference = difference
        self.is_finite = is_finite


class UnusableOutputs(Failed):
    """Failure of a kernel of whose outputs the application made an input on which the reference raises an exception."""

    def __init__(self) -> None:
        super().__init__("wrong_result", "drifts: the reference fails on an input that the application made of its outputs")


class Memories:
    """The memories of a worker for the inputs of an application: two for each layout, of which each call takes one at
    random, at a random address."""

    def __init__(self, worker: Workers, problem: ProblemProcess) -> None:
        self.worker = worker
        self.problem = problem
        self.cases: dict[str, list[CheckedCase]] = {}
        self.count = 0

    def choose(self, data: Any, deadline: float) -> CheckedCase:
        """Returns a memory for this input."""
        layout = repr(describe(data, self.problem.device.memory_of)[0])
        if layout not in self.cases:
            if len(self.cases) == LAYOUTS:
                self._close(next(iter(self.cases)), deadline)
            self.cases[layout] = [CheckedCase(self.worker, self.problem, self.count + place) for place in range(2)]
            self.count += 2
        return RANDOM.choice(self.cases[layout])

    def _close(self, layout: str, deadline: float) -> None:
        for one in self.cases.pop(layout):
            one.close(deadline)


@dataclass
class Outcome:
    """Result of a case."""

    verdict: ApplicationVerdict = "not_run"
    message: str | None = None
    #: Times of the calls of each run, of the kernel and of the reference.
    rounds: list[tuple[list[int], list[int]]] = field(default_factory=list)
    failure: Failed | None = None
    #: Number of a hidden case, from 1, or None.
    hidden: int | None = None

    @property
    def holds(self) -> bool:
        """Whether the kernel works in this case."""
        return self.verdict == "holds"

    def log_speedups(self) -> list[float]:
        """Returns the logarithm of the speedup in each round: the median of its calls, of which another process may
        disturb a few. The mean of 2 and 1/2, in the middle of an even number of calls, would be more than 1; that of
        their logarithms is 0."""
        return [median([math.log(other / own) for own, other in zip(*one)]) for one in self.rounds]

    def is_slower(self) -> bool:
        """Whether the kernel holds and is slower than the reference, with confidence."""
        return self.holds and bool(self.rounds) and max(self.log_speedups()) < 0

    def without_details(self, number: int) -> "Outcome":
        """Returns the verdict alone, for a hidden case: a message, a traceback or a time could contain its sizes."""
        message = None if self.holds else self.verdict.replace("_", " ")
        failure = None if self.failure is None else Failed(self.failure.failure, str(message))
        return Outcome(self.verdict, message, failure=failure, hidden=number)

    def document(self) -> ApplicationCase:
        """Returns the result in its reported form."""
        document: ApplicationCase = {"verdict": self.verdict, "slower": self.is_slower(), "message": self.message}
        if self.hidden is not None:
            document["hidden"] = self.hidden
        return document

    def samples(self) -> Rounds:
        """Returns the rounds in their reported form: the total time of all calls."""
        return [{"candidateNs": [sum(kernel)], "referenceNs": [sum(reference)]} for kernel, reference in self.rounds]


class ApplicationRuns:
    """Runs of the application for one case."""

    def __init__(self, submission: Submission, calibrator: Workers, problem: ProblemProcess, case: Case, deadline: float) -> None:
        self.submission = submission
        self.problem = problem
        self.case = case
        self.deadline = deadline
        self.kernel = Memories(submission.worker, problem)
        self.reference = Memories(calibrator, problem)

    def run(self, seed: int, untimed: bool = False, open_loop: bool = False) -> tuple[list[Timed], list[Timed]]:
        """Runs the application once. Returns the times of all calls, of the kernel and of the reference. With `untimed`,
        they may start processes, such as a compiler. Raises IncorrectCall at the first incorrect output, Failed."""
        times: tuple[list[Timed], list[Timed]] = ([], [])
        data = self.problem.start_application(self.case, seed, open_loop)
        while data is not None:
            kernel, reference = (one.choose(data, self.deadline) for one in (self.kernel, self.reference))
            for place in RANDOM.sample((0, 1), 2):
                is_derived = not open_loop and bool(times[place])
                with self._calling_reference(seed, is_derived) if place else contextlib.nullcontext():
                    times[place].append((kernel, reference)[place].run(data, self.deadline, untimed))
            data = self.problem.next_call(self._checked(kernel, reference, len(times[0])))
        return times

    @contextlib.contextmanager
    def _calling_reference(self, seed: int, is_derived: bool) -> Iterator[None]:
        """Context of a call of the reference. `is_derived`: whether the application made its input of the kernel's outputs.
        Raises UnusableOutputs where only such an input makes the reference raise an exception."""
        try:
            with reference_at_fault():
                yield
        except NotJudged as reason:
            crash = reason.__context__
            if not (is_derived and isinstance(crash, Failed) and crash.failure == "crash" and crash.detail is not None):
                raise
            data = self.problem.start_application(self.case, seed, open_loop=True)
            while data is not None:
                data = self.problem.next_call([])
            raise UnusableOutputs() from None

    def _checked(self, kernel: CheckedCase, reference: CheckedCase, number: int) -> list[Any]:
        """Returns the kernel's outputs. Raises IncorrectCall."""
        assert kernel.memory is not None and reference.memory is not None
        if kernel.memory.changed_since_done():
            raise late_write_failure()
        got, expected = kernel.memory.outputs_now(), reference.memory.outputs_now()
        if not self.problem.is_correct(got, expected):
            difference = self.problem.check_call(got)
            if difference is not None and not difference.is_accepted:
                is_finite = all(bool(one.isfinite().all()) for one in got) or not all(
                    bool(one.isfinite().all()) for one in expected
                )
                raise IncorrectCall(number, without_values(difference), is_finite)
        return got


def run_application(
    session: Session, submission: Submission, calibrator: Workers, problem: ProblemProcess, deadline: float
) -> str:
    """Runs every case of the problem's application. Returns a sentence on the result. Raises Failed where the kernel is
    not validated."""
    report, application = session.report, problem.spec.get("application")
    if application is None:
        raise NotJudged("the problem has no application: its task.yml has no key `application`")
    shown = application_cases(problem.spec, session.job["target"])
    hidden_from = len(shown)
    cases = [*shown, *application.get("hiddenCases", [])]
    report.stage_started("application", len(cases))
    load_reference(calibrator, problem.files, deadline)
    outcomes: list[Outcome] = []
    printed: HeadAndTail | None = None
    for index, case in enumerate(cases):
        number = index - hidden_from + 1
        if number == 1:
            printed = submission.take_printed()
        if submission.is_active and time.monotonic() < deadline:
            until = time.monotonic() + (deadline - time.monotonic()) / (len(cases) - index)
            runs = ApplicationRuns(submission, calibrator, problem, case, deadline)
            with no_details(number) if number > 0 else contextlib.nullcontext():
                outcome = run_case(runs, session.seed.of_calls("application", index), until)
        else:
            ended = "the time limit was reached before this case"
            outcome = Outcome(message=ended if submission.is_active else "an earlier case ended the stage")
        if number > 0:
            outcome = outcome.without_details(number)
            case = cases[index] = {HIDDEN_CASE: number}
        outcomes.append(outcome)
        if outcome.failure is not None:
            submission.fail(outcome.failure, "application")
        status = "passed" if outcome.holds else "skipped" if outcome.verdict == "not_run" else "failed"
        difference = None if outcome.message is None else OutputDifference(outcome.message, None)
        report.case_finished("application", index, without_seed(case), status, difference, rounds=outcome.samples())
        report.progress("application", index + 1, len(cases))
    first = next((index for index, outcome in enumerate(outcomes) if not outcome.holds), None)
    reason = None if first is None else f"{label(first, cases[first], outcomes[first])}: {outcomes[first].message}"
    speedup = combined([outcome for outcome in outcomes[:hidden_from] if outcome.holds])
    report.validation = {
        "state": "validated" if first is None else "not_validated",
        "reason": reason,
        "held": sum(outcome.holds for outcome in outcomes),
        "cases": [outcome.document() for outcome in outcomes],
        "speedup": None if speedup is None else {"value": speedup.value, "low": speedup.low, "high": speedup.high},
    }
    report.output("application", submission.take_printed() if hidden_from == len(cases) else printed)
    report.stage_finished("application", first is None)
    failure = next((outcome.failure for outcome in outcomes if outcome.failure is not None), None)
    if failure is not None:
        raise Failed(failure.failure, reason or failure.message, failure.detail)
    if reason is not None:
        is_wrong = any(outcome.verdict not in ("holds", "not_run") for outcome in outcomes)
        raise Failed("wrong_result" if is_wrong else "timeout", f"{reason}; the inputs of this stage are secret")
    return f"validated: it holds in all {len(cases)} cases of the application"


@contextlib.contextmanager
def no_details(number: int) -> Iterator[None]:
    """Keeps the reason why the problem failed in a hidden case out of the run's message: it goes to the tester's log."""
    try:
        yield
    except NotJudged as reason:
        print(f"hidden case {number}: {reason}", file=sys.stderr, flush=True)
        raise NotJudged(f"the problem's application failed in hidden case {number}") from None


def label(index: int, case: Case, outcome: Outcome) -> str:
    """Formats a case for messages."""
    return case_label("application", index, without_seed(case)) if outcome.hidden is None else f"hidden case {outcome.hidden}"


def run_case(runs: ApplicationRuns, seeds: Iterator[int], until: float) -> Outcome:
    """Runs the application for one case, until there are enough rounds or the time is up (`until`, by the monotonic
    clock)."""
    outcome = Outcome("holds")
    worker, overhead, repeated = runs.submission.worker, Overhead(), 0
    seed = next(seeds)
    try:
        try:
            for timed in runs.run(seed, untimed=True)[1]:
                overhead.learn(timed)
            with worker.config.steady_cores(), runs.problem.settled():
                while runs.problem.fault is None and len(outcome.rounds) < ROUNDS:
                    if outcome.rounds and time.monotonic() > until:
                        break
                    seed = next(seeds)
                    kernel, reference = runs.run(seed)
                    if worker.has_run_while_stopped():
                        repeated += 1
                        if repeated >= MAX_ATTEMPTS:
                            raise Failed("rejected", "the submission ran while the judge had stopped it")
                        continue
                    outcome.rounds.append((accepted_ns(kernel, overhead), reference_times(reference, overhead)))
            if runs.problem.fault is not None:
                outcome.verdict = "drifts"
                outcome.message = f"drifts: every call is correct, and {runs.problem.fault}"
        except IncorrectCall as wrong:
            outcome.verdict = "inaccurate" if wrong.is_finite else "unstable"
            if wrong.is_finite and is_correct_in_open_loop(runs, seed):
                outcome.verdict = "drifts"
            outcome.message = f"{outcome.verdict}: in call {wrong.number}, {wrong.difference.message}"
    except Failed as failure:
        outcome.verdict = (
            "drifts" if isinstance(failure, UnusableOutputs) else "timed_out" if failure.failure == "timeout" else "crashed"
        )
        outcome.message, outcome.failure = failure.message, failure
    return outcome


def is_correct_in_open_loop(runs: ApplicationRuns, seed: int) -> bool:
    """Whether every call is correct where the application continues with the reference's outputs."""
    try:
        runs.run(seed, open_loop=True)
    except IncorrectCall:
        return False
    return True


def combined(held: list[Outcome]) -> Estimate | None:
    """Returns the speedup over all cases that hold: the geometric mean in each round, and its interval over the rounds.
    None where none holds."""
    if not held:
        return None
    means = [sum(one) / len(one) for one in zip(*(outcome.log_speedups() for outcome in held))]
    return Estimate(*map(math.exp, (median(means), min(means), max(means))))
