"""The stages `benchmark` and `ranked`: kernel and reference timed alternately, on secret inputs; in rounds, or where the
problem asks for the paper's rule in one sequence.

Every call gets inputs from a seed that nobody else ever sees, and every output is checked, so a kernel that remembers,
skips or postpones its work is wrong. Rounds are spread over the stage, since the drift of a machine shows only between
rounds. The reference runs in a worker of the same kind, so that both pay the same for the way in and out.
"""

from __future__ import annotations

import contextlib
import random
import time
from dataclasses import dataclass, field
from typing import Any, Iterator

from .checked import Bench, Workers, call_reference, in_case, load_reference, named, without_seed
from .device import telemetry
from .device.bounds import Overhead, Timed, accepted_ns
from .device.telemetry import Reading
from .failures import Failed, NotJudged
from .problem import Case, Finding, Problem
from .report import Reporter
from .seeds import RunSeed
from .statistics import RunningMean, round_value, rounds_interval

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
    #: How the device was in each round.
    readings: list[Reading | None] = field(default_factory=list)
    kernel_ns: int = 0
    wall_s: float = 0.0
    longest_s: float = 0.0
    finding: Finding | None = None
    overhead: Overhead = field(default_factory=Overhead)

    def lay_aside(self, deadline: float) -> None:
        """Gives the memory back. Each round lies in other pages, since their placement moves a time by some percent."""
        self.kernel.close(deadline)
        self.reference.close(deadline)

    def is_settled(self, fewest: int, most: int) -> bool:
        """Whether more rounds would not pay. Rounds in which the device was held back are taken again, once each."""
        if self.kernel_ns >= KERNEL_LIMIT_S * 1e9 or self.wall_s >= WALL_LIMIT_S or len(self.rounds) >= 2 * most:
            return True
        sound = [one for one, mark in zip(self.rounds, telemetry.marks(self.readings)) if mark is None]
        if len(sound) < fewest:
            return False
        kind = self.kernel.worker.device.kind
        values = [round_value(one["candidateNs"], kind) for one in sound]
        return len(sound) >= most or rounds_interval(values, kind).is_narrow()

    def add_round(
        self, stage: str, kernels: list[Timed], references: list[Timed], reading: Reading | None
    ) -> None:
        """A round is over. Raises Failed where the worker's figures cannot be."""
        with blaming(stage, self):
            kernel_ns = accepted_ns(kernels, self.overhead)
        reference_ns = reference_times(references, self.overhead)
        self.rounds.append({"candidateNs": kernel_ns, "referenceNs": reference_ns})
        self.readings.append(reading)
        self.kernel_ns += sum(kernel_ns)
        self.kernel_best_ns = min(self.kernel_best_ns, *kernel_ns)
        self.reference_best_ns = min(self.reference_best_ns, *reference_ns)

    def documents(self) -> list[dict[str, Any]]:
        """The rounds as they are reported."""
        documents: list[dict[str, Any]] = [dict(one) for one in self.rounds]
        for one, reading, mark in zip(documents, self.readings, telemetry.marks(self.readings)):
            if reading is not None:
                one["conditions"] = telemetry.document(reading, mark)
        return documents


def run_timed(
    stage: str,
    worker: Workers,
    calibrator: Workers,
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
        rounds = one.documents() if failure is None else []
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
        for number in range(2 * most):
            active = [one for one in timed if not one.is_settled(fewest, most)]
            if not active or not run_round_of_each(stage, active, number == 0, problem, deadline):
                break
            report.progress(stage, min(number + 1, most), most)
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
    times: list[tuple[Timed, Timed]] = []
    started = 0.0
    for trial in range(1 + TRIAL_CALLS):
        if trial == 1:
            started = time.monotonic()
        times.append(call_both(stage, one, problem, deadline, untimed=trial == 0))
    each_s = (time.monotonic() - started) / TRIAL_CALLS
    one.lay_aside(deadline)
    one.most_calls = max(FEWEST_CALLS, int(round_s / each_s))
    one.overhead = Overhead()
    for _, reference in times[1:]:
        one.overhead.learn(reference)
    with blaming(stage, one):
        one.kernel_best_ns = min(accepted_ns([kernel for kernel, _ in times[1:]], one.overhead))
    one.reference_best_ns = min(reference_times([reference for _, reference in times[1:]], one.overhead))


def calls_of_a_round(call_ns: int) -> int:
    """How many calls of this length a round has."""
    return max(FEWEST_CALLS, min(MOST_CALLS, ROUND_NS // max(1, call_ns)))


def run_round(stage: str, one: TimedCase, problem: Problem, deadline: float) -> None:
    """One round of a case: kernel and reference alternate as long as both have calls left."""
    started = time.monotonic()
    kernels: list[Timed] = []
    references: list[Timed] = []
    readings: list[Reading] = []
    # By the quickest call so far: a slow moment at the start must not make every round short.
    kernel_calls = min(calls_of_a_round(one.kernel_best_ns), one.most_calls)
    reference_calls = min(calls_of_a_round(one.reference_best_ns), one.most_calls)
    turns = max(kernel_calls, reference_calls)
    for turn in range(turns):
        with_kernel, with_reference = turn < kernel_calls, turn < reference_calls
        kernel, reference = call_both(
            stage, one, problem, deadline, with_kernel, with_reference, kernel_first=turn % 2 == 0
        )
        if with_kernel:
            kernels.append(kernel)
        if with_reference:
            references.append(reference)
        if turn in (0, turns // 2, turns - 1):
            readings += filter(None, [one.kernel.worker.reading()])
    one.lay_aside(deadline)
    one.add_round(stage, kernels, references, telemetry.together(readings))
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
    one.overhead = Overhead()
    times = RunningMean()
    kernels: list[Timed] = []
    references: list[Timed] = []
    while True:
        kernel, reference = call_both(stage, one, problem, deadline, kernel_first=times.count % 2 == 0)
        kernels.append(kernel)
        references.append(reference)
        with blaming(stage, one):
            times.add(accepted_ns([kernel], one.overhead)[0])
        ended = ends_by_paper(times, time.monotonic() - started, wall_s)
        if ended or len(kernels) == PAPER_ROUND_CALLS:
            one.add_round(stage, kernels, references, one.kernel.worker.reading())
            kernels, references = [], []
        if ended:
            break
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
) -> tuple[Timed, Timed]:
    """Calls kernel and reference on the same fresh input and checks the kernel's output; their times. In an untimed call
    they may start processes: a compiler.

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
) -> tuple[Timed, Timed]:
    """The caches of the machine are in another state for whoever comes second, so the order has to alternate."""
    seed = next(one.seeds)
    data = problem.inputs(one.case, seed)
    kernel = reference = Timed(0)
    for who in ("kernel", "reference") if kernel_first else ("reference", "kernel"):
        if who == "kernel" and with_kernel:
            kernel = call_kernel(stage, one, data, deadline, untimed)
        if who == "reference" and (with_reference or problem.ranks > 1):
            reference = call_reference(one.reference, data, deadline, stage, untimed)
            one.overhead.learn(reference)
    finding = check_kernel(stage, one, data, seed) if with_kernel else None
    if finding is not None:
        one.finding = secretive(finding)
        message = f"{one.finding.message}; the inputs of this stage are secret"
        raise in_case(Failed("wrong_result", message), named(stage, one.index, without_seed(one.case)))
    return kernel, reference


def call_kernel(stage: str, one: TimedCase, data: Any, deadline: float, processes: bool) -> Timed:
    """One call of the submission. Raises Failed."""
    with blaming(stage, one):
        return one.kernel.run(data, deadline, processes)


def check_kernel(stage: str, one: TimedCase, data: Any, seed: int) -> Finding | None:
    """What is wrong with the output of the call. Raises Failed."""
    with blaming(stage, one):
        return one.kernel.check(data, seed, one.reference)


def reference_times(calls: list[Timed], overhead: Overhead) -> list[int]:
    """The times of the reference's calls, whose worker has no reason to lie."""
    try:
        return accepted_ns(calls, overhead)
    except Failed as failure:
        raise NotJudged(f"the clocks of judge and device do not agree: {failure.message}") from None


@contextlib.contextmanager
def blaming(stage: str, one: TimedCase) -> Iterator[None]:
    """Failures in here are the submission's, in this case."""
    try:
        yield
    except Failed as failure:
        one.finding = Finding(failure.message, None)
        raise in_case(failure, named(stage, one.index, without_seed(one.case))) from None


def secretive(finding: Finding) -> Finding:
    """The finding without values of expected outputs, which stay in the judge where inputs are secret."""
    if finding.mismatch is None:
        return Finding("the output is wrong", None)
    mismatch = finding.mismatch.without_places()
    return Finding(mismatch.sentence(), mismatch)
