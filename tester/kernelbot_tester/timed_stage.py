"""The stages `benchmark` and `ranked`: kernel and reference timed alternately, on secret inputs; in rounds, or where the
problem asks for the paper's rule in one sequence.

Every call gets inputs from a seed that nobody else ever sees, and every output is checked, so a kernel that remembers,
skips or postpones its work is wrong. Rounds are spread over the stage, since the drift of a machine shows only between
rounds. The reference runs in a worker of the same kind, so that both pay the same for the way in and out.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Any, Iterator

from .checked import Bench, in_case, named, without_seed
from .failures import Failed, NotJudged
from .problem import Case, Finding, Problem
from .report import Reporter
from .seeds import RunSeed
from .sources import top_level_modules
from .statistics import RunningMean, round_value, rounds_interval
from .workers import Worker

#: The fewest and the most rounds of each stage. On a shared machine a neighbour slows a core for seconds, so a ranked case
#: is looked at for seconds, and the quietest rounds count.
ROUNDS = {"benchmark": (12, 12), "ranked": (24, 60)}
#: A submission that keeps its judge waiting between the calls needs so many rounds for a score.
ROUNDS_OF_A_STALLER = 6
#: A round of a case aims at this much kernel time, within these numbers of calls.
ROUND_NS = 10_000_000
FEWEST_CALLS, MOST_CALLS = 3, 25
#: A case is timed no longer than this, in seconds of its kernel and of the clock on the wall.
KERNEL_LIMIT_S, WALL_LIMIT_S = 10.0, 60.0
#: Calls from which the length of a round is estimated.
TRIAL_CALLS = 3
#: How often in a row a kernel may seem to have run ahead of its clock.
MOST_AHEAD = 3
#: The paper's rule (section 3.2): a case ends once the standard error is under this part of the mean after so many calls,
#: or at these limits; and, since samples are stored, after so many calls, in rounds of at most so many.
PAPER_ERROR, PAPER_FEWEST_CALLS = 0.01, 3
PAPER_KERNEL_LIMIT_S, PAPER_WALL_LIMIT_S = 30.0, 120.0
PAPER_MOST_CALLS, PAPER_ROUND_CALLS = 20_000, 1_000


@dataclass
class TimedCase:
    """A case on its way."""

    index: int
    case: Case
    kernel: Bench
    reference: Bench
    #: The secret seeds of its calls.
    seeds: Iterator[int]
    #: The quickest call so far, and how many calls a round has time for.
    kernel_best_ns: int = 0
    reference_best_ns: int = 0
    most_calls: int = FEWEST_CALLS
    rounds: list[dict[str, list[int]]] = field(default_factory=list)
    kernel_ns: int = 0
    wall_s: float = 0.0
    longest_s: float = 0.0
    finding: Finding | None = None

    def lay_aside(self, deadline: float) -> None:
        """Gives the memory back. Each round lies in other pages, since their placement moves a time by some percent."""
        self.kernel.close(deadline)
        self.reference.close(deadline)

    def is_settled(self, fewest: int) -> bool:
        """Whether more rounds would not pay."""
        if self.kernel_ns >= KERNEL_LIMIT_S * 1e9 or self.wall_s >= WALL_LIMIT_S:
            return True
        return (
            len(self.rounds) >= fewest
            and rounds_interval([round_value(r["candidateNs"], "cpu") for r in self.rounds], "cpu").is_narrow()
        )


def run_timed(
    stage: str,
    worker: Worker,
    calibrator: Worker,
    problem: Problem,
    target: str,
    seed: RunSeed,
    report: Reporter,
    deadline: float,
) -> None:
    """Times every case of a target. Stops at the first failure. Raises Failed."""
    cases = problem.cases(stage, target)
    report.stage_started(stage, len(cases))
    load_reference(calibrator, problem, deadline)
    timed = [
        TimedCase(
            index, case, Bench(worker, problem, index), Bench(calibrator, problem, index), seed.of_calls(stage, index)
        )
        for index, case in enumerate(cases)
    ]
    failure: Failed | None = None
    try:
        run = run_sequences if problem.spec["stop"] == "paper" else run_rounds
        run(stage, timed, problem, report, deadline)
    except Failed as failed:
        failure = failed
    for one in timed:
        status = "passed" if failure is None else "failed" if one.finding is not None else "skipped"
        rounds = one.rounds if failure is None else []
        report.case_finished(
            stage,
            one.index,
            without_seed(one.case),
            status,
            one.finding,
            problem.cost(one.case),
            rounds,
            output_bytes=one.kernel.output_bytes,
        )
    report.output(stage, worker.take_printed())
    report.stage_finished(stage, failure is None)
    if failure is not None:
        raise failure


def load_reference(calibrator: Worker, problem: Problem, deadline: float) -> None:
    """Has the reference imported by its worker."""
    calibrator.meet()
    calibrator.allow_processes(True)
    files = {f"{name}.py": text for name, text in top_level_modules(problem.files).items()}
    try:
        calibrator.load(files, "reference", "ref_kernel")
        calibrator.loaded(deadline, "be imported")
    except Failed as failure:
        raise NotJudged(f"the problem's reference cannot be imported in a worker: {failure.message}") from None


def run_rounds(stage: str, timed: list[TimedCase], problem: Problem, report: Reporter, deadline: float) -> None:
    """Rounds until every case is settled or the time is up. Raises Failed."""
    fewest, most = ROUNDS[stage]
    share_s = min(WALL_LIMIT_S, (deadline - time.monotonic()) * 0.9 / len(timed))
    for one in timed:
        admit(stage, one, problem, share_s / fewest, deadline)
    report.progress(stage, 0, most)
    worker = timed[0].kernel.worker
    started, waited_s = time.monotonic(), worker.waited_s
    # From here on the judge leaves the worker's caches alone. The threads that the problem's code started while the cases
    # were admitted keep all cores.
    with worker.config.on_judge_core():
        for number in range(most):
            active = [one for one in timed if not one.is_settled(fewest)]
            if not active or not run_round_of_each(stage, active, number == 0, problem, deadline):
                break
            report.progress(stage, number + 1, most)
    waited_s = worker.waited_s - waited_s
    if waited_s > (time.monotonic() - started) / 2:
        refuse_staller(stage, timed, waited_s)


def run_round_of_each(stage: str, active: list[TimedCase], first: bool, problem: Problem, deadline: float) -> bool:
    """A round of each case, in random order. False: there is no time for more."""
    random.SystemRandom().shuffle(active)
    for one in active:
        # Once there are samples, a round that may not fit is not begun: it would be no timeout of the kernel's.
        if not first and time.monotonic() + 1.2 * one.longest_s > deadline:
            return False
        run_round(stage, one, problem, deadline)
    return True


def refuse_staller(stage: str, timed: list[TimedCase], waited_s: float) -> None:
    """Time that the submission takes outside of its calls costs it nothing but rounds, so these must be enough."""
    for one in timed:
        if len(one.rounds) < ROUNDS_OF_A_STALLER:
            one.finding = Finding(
                f"the submission kept its judge waiting for {waited_s:.0f} s between the calls, which left time for "
                f"{len(one.rounds)} rounds of the {ROUNDS_OF_A_STALLER} that a score needs",
                None,
            )
            raise in_case(Failed("timeout", one.finding.message), named(stage, one.index, without_seed(one.case)))


def admit(stage: str, one: TimedCase, problem: Problem, round_s: float, deadline: float) -> None:
    """A call that only warms up, and a few that tell how many calls make a round of at most `round_s` on the wall."""
    times: list[tuple[int, int]] = []
    started = 0.0
    for trial in range(1 + TRIAL_CALLS):
        if trial == 1:
            started = time.monotonic()
        times.append(call_both(stage, one, problem, deadline, untimed=trial == 0))
    each_s = (time.monotonic() - started) / TRIAL_CALLS
    one.lay_aside(deadline)
    one.most_calls = max(FEWEST_CALLS, int(round_s / each_s))
    one.kernel_best_ns, one.reference_best_ns = (min(who) for who in zip(*times[1:]))


def calls_of_a_round(call_ns: int) -> int:
    """How many calls of this length a round has."""
    return max(FEWEST_CALLS, min(MOST_CALLS, ROUND_NS // max(1, call_ns)))


def run_round(stage: str, one: TimedCase, problem: Problem, deadline: float) -> None:
    """One round of a case: kernel and reference alternate as long as both have calls left."""
    started = time.monotonic()
    kernel_ns: list[int] = []
    reference_ns: list[int] = []
    # By the quickest call so far: a slow moment at the start must not make every round short.
    kernel_calls = min(calls_of_a_round(one.kernel_best_ns), one.most_calls)
    reference_calls = min(calls_of_a_round(one.reference_best_ns), one.most_calls)
    for turn in range(max(kernel_calls, reference_calls)):
        with_kernel, with_reference = turn < kernel_calls, turn < reference_calls
        kernel, reference = call_both(
            stage, one, problem, deadline, with_kernel, with_reference, kernel_first=turn % 2 == 0
        )
        if with_kernel:
            kernel_ns.append(kernel)
        if with_reference:
            reference_ns.append(reference)
    one.lay_aside(deadline)
    one.rounds.append({"candidateNs": kernel_ns, "referenceNs": reference_ns})
    one.kernel_ns += sum(kernel_ns)
    one.kernel_best_ns = min(one.kernel_best_ns, *kernel_ns)
    one.reference_best_ns = min(one.reference_best_ns, *reference_ns)
    took_s = time.monotonic() - started
    one.wall_s += took_s
    one.longest_s = max(one.longest_s, took_s)


def run_sequences(stage: str, timed: list[TimedCase], problem: Problem, report: Reporter, deadline: float) -> None:
    """One case after the other, each until the paper's rule ends it. Raises Failed."""
    report.progress(stage, 0, len(timed))
    for number, one in enumerate(timed):
        share_s = (deadline - time.monotonic()) * 0.9 / (len(timed) - number)
        run_sequence(stage, one, problem, min(PAPER_WALL_LIMIT_S, share_s), deadline)
        report.progress(stage, number + 1, len(timed))


def run_sequence(stage: str, one: TimedCase, problem: Problem, wall_s: float, deadline: float) -> None:
    """A call that only warms up, then pairs of calls of kernel and reference by the paper's rule."""
    started = time.monotonic()
    call_both(stage, one, problem, deadline, untimed=True)
    times = RunningMean()
    while not ends_by_paper(times, time.monotonic() - started, wall_s):
        if times.count % PAPER_ROUND_CALLS == 0:
            one.rounds.append({"candidateNs": [], "referenceNs": []})
        kernel, reference = call_both(stage, one, problem, deadline, kernel_first=times.count % 2 == 0)
        one.rounds[-1]["candidateNs"].append(kernel)
        one.rounds[-1]["referenceNs"].append(reference)
        times.add(kernel)
    one.lay_aside(deadline)


def ends_by_paper(times: RunningMean, elapsed_s: float, wall_s: float) -> bool:
    """Whether these times, in nanoseconds, taken in so many of so many seconds are all that a case gets."""
    if times.count < PAPER_FEWEST_CALLS:
        return False
    return (
        times.standard_error() < PAPER_ERROR * times.mean
        or times.count * times.mean > PAPER_KERNEL_LIMIT_S * 1e9
        or elapsed_s > wall_s
        or times.count >= PAPER_MOST_CALLS
    )


def call_both(
    stage: str,
    one: TimedCase,
    problem: Problem,
    deadline: float,
    with_kernel: bool = True,
    with_reference: bool = True,
    kernel_first: bool = True,
    untimed: bool = False,
) -> tuple[int, int]:
    """Calls kernel and reference on the same fresh input and checks the kernel's output; their times in nanoseconds.
    In an untimed call they may start processes: a compiler.

    What a kernel does that has run ahead of its clock does not count, and is asked for again with another input."""
    for _ in range(MOST_AHEAD):
        times = call_once(stage, one, problem, deadline, with_kernel, with_reference, kernel_first, untimed)
        if not one.kernel.worker.has_run_ahead():
            return times
    one.finding = Finding("the submission ran while the judge had stopped it", None)
    raise in_case(Failed("rejected", one.finding.message), named(stage, one.index, without_seed(one.case)))


def call_once(
    stage: str,
    one: TimedCase,
    problem: Problem,
    deadline: float,
    with_kernel: bool,
    with_reference: bool,
    kernel_first: bool,
    untimed: bool,
) -> tuple[int, int]:
    """The caches of the machine are in another state for whoever comes second, so the order has to alternate."""
    seed = next(one.seeds)
    data = problem.inputs(one.case, seed)
    kernel_ns = reference_ns = 0
    for who in ("kernel", "reference") if kernel_first else ("reference", "kernel"):
        if who == "kernel" and with_kernel:
            kernel_ns = call_kernel(stage, one, data, deadline, untimed)
        if who == "reference" and with_reference:
            reference_ns = call_reference(stage, one, data, deadline, untimed)
    finding = one.kernel.check(data, seed) if with_kernel else None
    if finding is not None:
        one.finding = secretive(finding)
        message = f"{one.finding.message}; the inputs of this stage are secret"
        raise in_case(Failed("wrong_result", message), named(stage, one.index, without_seed(one.case)))
    return kernel_ns, reference_ns


def call_kernel(stage: str, one: TimedCase, data: Any, deadline: float, processes: bool) -> int:
    """One call of the submission. Raises Failed."""
    try:
        return one.kernel.run(data, deadline, processes)
    except Failed as failure:
        one.finding = Finding(failure.message, None)
        raise in_case(failure, named(stage, one.index, without_seed(one.case))) from None


def call_reference(stage: str, one: TimedCase, data: Any, deadline: float, processes: bool) -> int:
    """One call of the reference. It does not fail unless the time is up, or the problem is at fault."""
    try:
        return one.reference.run(data, deadline, processes)
    except Failed as failure:
        if failure.failure == "timeout":
            raise Failed("timeout", f"the time of the stage {stage} was up before every case could be timed") from None
        raise NotJudged(f"the problem's reference failed in its worker: {failure.message}") from None


def secretive(finding: Finding) -> Finding:
    """The finding without values of expected outputs, which stay in the judge where inputs are secret."""
    if finding.mismatch is None:
        return Finding("the output is wrong", None)
    mismatch = finding.mismatch.without_places()
    return Finding(mismatch.sentence(), mismatch)
