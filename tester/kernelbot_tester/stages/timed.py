"""Runs the stages `benchmark`, `ranked` and `duel`: kernels and reference are timed alternately on secret inputs. They
run in rounds, or in one sequence where the problem selects the stopping rule of the KernelBench paper.

Every call gets inputs from a new secret seed, and every output is checked, so a kernel that caches, skips or postpones
its work is incorrect. Rounds of a case are spread over the stage, since the drift of a machine shows only between
rounds. The reference runs in a worker of the same kind, so that all kernels have the same overhead.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from dataclasses import dataclass, field
from typing import Any, Iterator

from ..device import telemetry
from ..device.bounds import Overhead, Timed, accepted_ns
from ..device.telemetry import Reading
from ..failures import Failed, NotJudged
from ..judge.report import Reporter
from ..judge.seeds import RunSeed
from ..judge.statistics import RunningMean, round_value, rounds_interval
from ..problem.problem import Case, Finding, as_near_as_the_reference
from ..processes.problem_process import ProblemProcess
from .checked_calls import Bench, Workers, call_reference, in_case, load_reference, named, without_seed
from .submissions import Contender, printed_by, still_in, time_for_one, together

#: Minimum and maximum number of rounds of each stage. On a shared machine a neighbour slows a core for seconds, so a
#: ranked case is measured over several seconds and its quietest rounds are used.
ROUNDS = {"benchmark": (12, 12), "ranked": (24, 60), "duel": (24, 60)}
#: Minimum number of rounds for a score where a submission spends much time outside its calls.
ROUNDS_OF_A_STALLER = 6
#: Target of kernel time per round of a case, in nanoseconds, and limits of its number of calls.
ROUND_NS = 10_000_000
FEWEST_CALLS, MOST_CALLS = 3, 25
#: Limits of kernel time and wall-clock time of a case, in seconds.
KERNEL_LIMIT_S, WALL_LIMIT_S = 10.0, 60.0
#: Number of calls from which the length of a round is estimated.
TRIAL_CALLS = 3
#: How many times in a row a kernel may appear to have run while stopped. A stopped thread leaves its core late in a
#: few of ten thousand calls, and more often on virtual machines with steal time.
MOST_AHEAD = 10
#: Stopping rule of the KernelBench paper (section 3.2): a case ends once the standard error is below this fraction of
#: the mean after a minimum number of calls, or at a time limit. Because samples are stored, the number of calls and
#: the calls per round are limited too.
PAPER_ERROR, PAPER_FEWEST_CALLS = 0.01, 3
PAPER_KERNEL_LIMIT_S, PAPER_WALL_LIMIT_S = 30.0, 120.0
PAPER_MOST_CALLS, PAPER_ROUND_CALLS = 20_000, 1_000


@dataclass
class Entry:
    """State of a contender in one case."""

    contender: Contender
    bench: Bench
    #: Time of the fastest call so far, and total time of all calls.
    best_ns: int = 0
    spent_ns: int = 0
    #: Why the contender is incorrect; or the largest mismatch among outputs that differ and are correct by the oracle.
    finding: Finding | None = None


@dataclass
class TimedCase:
    """State of a case while it is timed."""

    index: int
    case: Case
    entries: list[Entry]
    reference: Bench
    #: Secret seeds of its calls.
    seeds: Iterator[int]
    reference_best_ns: int = 0
    #: Maximum number of calls that fit into a round.
    most_calls: int = FEWEST_CALLS
    #: Order of the calls in each turn; None is the reference.
    orders: Iterator[tuple[Entry | None, ...]] = field(init=False)
    rounds: list[dict[str, list[int]]] = field(default_factory=list)
    #: Condition of the device in each round.
    readings: list[Reading | None] = field(default_factory=list)
    wall_s: float = 0.0
    longest_s: float = 0.0
    overhead: Overhead = field(default_factory=Overhead)

    def __post_init__(self) -> None:
        # The first call of a turn leaves the caches in a different state for the next. Over all permutations, each
        # contender has each position equally often, and follows each other one equally often.
        self.orders = itertools.cycle(itertools.permutations([*self.entries, None]))

    def active(self) -> list[Entry]:
        """Returns the entries whose contender has not failed."""
        return [entry for entry in self.entries if entry.contender.is_in]

    def contenders(self) -> list[Contender]:
        """Returns all contenders, A first."""
        return [entry.contender for entry in self.entries]

    def lay_aside(self, stage: str, deadline: float) -> None:
        """Frees the arenas. Each round uses other pages, since their placement changes a time by some percent."""
        for entry in self.active():
            with blaming(stage, self, entry):
                entry.bench.close(deadline)
        self.reference.close(deadline)

    def is_settled(self, fewest: int, most: int) -> bool:
        """Whether more rounds would not improve the result. Rounds in which the device was throttled are repeated,
        once each."""
        spent_ns = max(entry.spent_ns for entry in self.entries)
        if spent_ns >= KERNEL_LIMIT_S * 1e9 or self.wall_s >= WALL_LIMIT_S or len(self.rounds) >= 2 * most:
            return True
        sound = [one for one, mark in zip(self.rounds, telemetry.marks(self.readings)) if mark is None]
        if len(sound) < fewest:
            return False
        return len(sound) >= most or all(self.is_narrow(entry, sound) for entry in self.active())

    def is_narrow(self, entry: Entry, rounds: list[dict[str, list[int]]]) -> bool:
        """Whether these rounds give a narrow confidence interval for an entry that took part in each of them."""
        kind = entry.bench.worker.device.kind
        return rounds_interval([round_value(one[entry.contender.samples], kind) for one in rounds], kind).is_narrow()

    def add_round(
        self, stage: str, times: dict[str, list[Timed]], references: list[Timed], reading: Reading | None
    ) -> None:
        """Records a round. Raises Failed where a worker's device times are impossible and no contender is left."""
        accepted: dict[str, list[int]] = {entry.contender.samples: [] for entry in self.entries}
        for entry in self.active():
            with blaming(stage, self, entry):
                accepted[entry.contender.samples] = kernel_ns = accepted_ns(
                    times[entry.contender.samples], self.overhead
                )
                entry.spent_ns += sum(kernel_ns)
                entry.best_ns = min(entry.best_ns, *kernel_ns)
        reference_ns = reference_times(references, self.overhead)
        self.rounds.append({**accepted, "referenceNs": reference_ns})
        self.readings.append(reading)
        self.reference_best_ns = min(self.reference_best_ns, *reference_ns)

    def documents(self) -> list[dict[str, Any]]:
        """Returns the rounds in their reported form."""
        documents: list[dict[str, Any]] = [dict(one) for one in self.rounds]
        for one, reading, mark in zip(documents, self.readings, telemetry.marks(self.readings)):
            if reading is not None:
                one["conditions"] = telemetry.document(reading, mark)
        return documents


def run_timed(
    stage: str,
    contenders: list[Contender],
    calibrator: Workers,
    problem: ProblemProcess,
    target: str,
    seed: RunSeed,
    report: Reporter,
    deadline: float,
) -> None:
    """Times every case of a target. A contender leaves the session with its first failure. Raises Failed once none is
    left."""
    cases = problem.cases(stage, target)
    report.stage_started(stage, len(cases))
    load_reference(calibrator, problem.files, deadline)
    timed = [
        TimedCase(
            index,
            case,
            [Entry(one, Bench(one.worker, problem, index)) for one in contenders],
            Bench(calibrator, problem, index),
            seed.of_calls(stage, index),
        )
        for index, case in enumerate(cases)
    ]
    before = still_in(contenders)
    try:
        run = run_sequences if problem.spec["stop"] == "paper" else run_rounds
        run(stage, timed, problem, report, deadline)
    except Failed as failure:
        for one in contenders:
            if one.is_in:
                one.lose(failure)
    left = [one for one in contenders if one.is_in]
    for one in timed:
        findings = [(entry.contender, entry.finding) for entry in one.entries if entry.finding is not None]
        failed = any(not finding.is_right for _, finding in findings)
        status = "failed" if failed else "passed" if left else "skipped"
        report.case_finished(
            stage,
            one.index,
            without_seed(one.case),
            status,
            together(findings),
            problem.cost(one.case),
            one.documents() if left else [],
            output_bytes=next((entry.bench.output_bytes for entry in one.entries if entry.bench.output_bytes), None),
        )
    report.output(stage, printed_by(contenders))
    report.stage_finished(stage, left == before)
    still_in(contenders)


def run_rounds(stage: str, timed: list[TimedCase], problem: ProblemProcess, report: Reporter, deadline: float) -> None:
    """Runs rounds until every case is settled or the time is up. Raises Failed."""
    fewest, most = ROUNDS[stage]
    share_s = min(WALL_LIMIT_S, (deadline - time.monotonic()) * 0.9 / len(timed))
    for one in timed:
        admit(stage, one, problem, share_s / fewest, deadline)
    report.progress(stage, 0, most)
    workers = [entry.contender.worker for entry in timed[0].entries]
    started, waited_s = time.monotonic(), [worker.waited_s for worker in workers]
    # From here on the judge leaves the worker's caches alone. Threads that the problem's code started during the
    # warm-up calls keep all cores.
    with workers[0].config.on_judge_core(), problem.settled():
        for number in range(2 * most):
            active = [one for one in timed if not one.is_settled(fewest, most)]
            if not active or not run_round_of_each(stage, active, number == 0, problem, deadline):
                break
            report.progress(stage, min(number + 1, most), most)
    took_s = time.monotonic() - started
    for place, (worker, before_s) in enumerate(zip(workers, waited_s)):
        if worker.waited_s - before_s > took_s / 2:
            refuse_staller(stage, timed, place, worker.waited_s - before_s)


def run_round_of_each(stage: str, active: list[TimedCase], first: bool, problem: ProblemProcess, deadline: float) -> bool:
    """Runs one round of each case, in random order. Returns False where the time is up."""
    random.SystemRandom().shuffle(active)
    for one in active:
        # Once there are samples, a round that may not fit is not started: it would not be a timeout of the kernel.
        if not first and time.monotonic() + 1.2 * one.longest_s > deadline:
            return False
        run_round(stage, one, problem, deadline)
    return True


def refuse_staller(stage: str, timed: list[TimedCase], place: int, waited_s: float) -> None:
    """Fails an entry that kept the judge waiting and has too few rounds. Time outside of calls is not part of the
    score and only reduces the number of rounds. `place`: index among the entries of each case."""
    for one in timed:
        entry = one.entries[place]
        if entry.contender.is_in and len(one.rounds) < ROUNDS_OF_A_STALLER:
            with blaming(stage, one, entry):
                raise Failed(
                    "timeout",
                    f"the submission kept its judge waiting for {waited_s:.0f} s between the calls, which left time for "
                    f"{len(one.rounds)} rounds of the {ROUNDS_OF_A_STALLER} that a score needs",
                )


def admit(stage: str, one: TimedCase, problem: ProblemProcess, round_s: float, deadline: float) -> None:
    """Makes one warm-up call, and a few that determine how many calls fit into a round of at most `round_s`
    seconds."""
    turns: list[Turn] = []
    started = 0.0
    for trial in range(1 + TRIAL_CALLS):
        if trial == 1:
            started = time.monotonic()
        turns.append(call_all(stage, one, problem, deadline, one.active(), untimed=trial == 0))
    each_s = (time.monotonic() - started) / TRIAL_CALLS
    one.lay_aside(stage, deadline)
    one.most_calls = max(FEWEST_CALLS, int(round_s / each_s))
    one.overhead = Overhead()
    references = [turn.reference for turn in turns[1:] if turn.reference is not None]
    for reference in references:
        one.overhead.learn(reference)
    for entry in one.active():
        with blaming(stage, one, entry):
            calls = [turn.kernels[entry.contender.samples] for turn in turns[1:]]
            entry.best_ns = min(accepted_ns(calls, one.overhead))
    one.reference_best_ns = min(reference_times(references, one.overhead))


def calls_of_a_round(call_ns: int) -> int:
    """Returns how many calls of this length a round has."""
    return max(FEWEST_CALLS, min(MOST_CALLS, ROUND_NS // max(1, call_ns)))


def run_round(stage: str, one: TimedCase, problem: ProblemProcess, deadline: float) -> None:
    """Runs one round of a case: kernels and reference alternate while they have calls left."""
    started = time.monotonic()
    times: dict[str, list[Timed]] = {entry.contender.samples: [] for entry in one.entries}
    references: list[Timed] = []
    readings: list[Reading] = []
    # From the fastest call so far: a slow moment at the start must not make every round short.
    calls = [(entry, min(calls_of_a_round(entry.best_ns), one.most_calls)) for entry in one.active()]
    reference_calls = min(calls_of_a_round(one.reference_best_ns), one.most_calls)
    turns = max(reference_calls, *(number for _, number in calls))
    for number in range(turns):
        called = [entry for entry, most in calls if number < most and entry.contender.is_in]
        turn = call_all(stage, one, problem, deadline, called, with_reference=number < reference_calls)
        for samples, timed in turn.kernels.items():
            times[samples].append(timed)
        if turn.reference is not None:
            references.append(turn.reference)
        if number in (0, turns // 2, turns - 1):
            readings += filter(None, [one.reference.worker.reading()])
    one.lay_aside(stage, deadline)
    one.add_round(stage, times, references, telemetry.together(readings))
    took_s = time.monotonic() - started
    one.wall_s += took_s
    one.longest_s = max(one.longest_s, took_s)


def run_sequences(stage: str, timed: list[TimedCase], problem: ProblemProcess, report: Reporter, deadline: float) -> None:
    """Times the cases one after the other, each until the paper's rule ends it. Raises Failed."""
    report.progress(stage, 0, len(timed))
    for number, one in enumerate(timed):
        share_s = (deadline - time.monotonic()) * 0.9 / (len(timed) - number)
        run_sequence(stage, one, problem, min(PAPER_WALL_LIMIT_S, share_s), deadline)
        report.progress(stage, number + 1, len(timed))


def run_sequence(stage: str, one: TimedCase, problem: ProblemProcess, wall_s: float, deadline: float) -> None:
    """Makes one warm-up call, then calls kernels and reference alternately until the paper's rule ends the case for
    each."""
    started = time.monotonic()
    call_all(stage, one, problem, deadline, one.active(), untimed=True)
    one.overhead = Overhead()
    means = {entry.contender.samples: RunningMean() for entry in one.entries}
    times: dict[str, list[Timed]] = {samples: [] for samples in means}
    references: list[Timed] = []
    while True:
        turn = call_all(stage, one, problem, deadline, one.active())
        assert turn.reference is not None
        references.append(turn.reference)
        for entry in one.active():
            samples = entry.contender.samples
            times[samples].append(turn.kernels[samples])
            with blaming(stage, one, entry):
                means[samples].add(accepted_ns([turn.kernels[samples]], one.overhead)[0])
        elapsed_s = time.monotonic() - started
        ended = all(ends_by_paper(means[entry.contender.samples], elapsed_s, wall_s) for entry in one.active())
        if ended or len(references) == PAPER_ROUND_CALLS:
            one.add_round(stage, times, references, one.reference.worker.reading())
            times, references = {samples: [] for samples in means}, []
        if ended:
            break
    one.lay_aside(stage, deadline)


def ends_by_paper(times: RunningMean, elapsed_s: float, wall_s: float) -> bool:
    """Whether the paper's rule ends a case. `times`: kernel times in nanoseconds; `elapsed_s` and `wall_s`: time used
    and allowed."""
    if times.count < PAPER_FEWEST_CALLS:
        return False
    return (
        times.standard_error() < PAPER_ERROR * times.mean
        or times.count * times.mean > PAPER_KERNEL_LIMIT_S * 1e9
        or elapsed_s > wall_s
        or times.count >= PAPER_MOST_CALLS
    )


@dataclass
class Turn:
    """Times of one turn: of each contender whose call succeeded, and of the reference if it was called."""

    kernels: dict[str, Timed] = field(default_factory=dict)
    reference: Timed | None = None


def call_all(
    stage: str,
    one: TimedCase,
    problem: ProblemProcess,
    deadline: float,
    called: list[Entry],
    with_reference: bool = True,
    untimed: bool = False,
) -> Turn:
    """Calls the kernels and the reference on the same fresh input and checks the kernels' outputs. In an untimed call
    they may start processes, such as a compiler.

    The turn is repeated with another input where a kernel has run while it was stopped."""
    for trial in range(MOST_AHEAD):
        turn = call_once(stage, one, problem, deadline, called, with_reference, untimed)
        ahead = [entry for entry in one.active() if entry.contender.worker.has_run_ahead()]
        if not ahead:
            break
        if trial == MOST_AHEAD - 1:
            for entry in ahead:
                with blaming(stage, one, entry):
                    raise Failed("rejected", "the submission ran while the judge had stopped it")
    return turn


def call_once(
    stage: str,
    one: TimedCase,
    problem: ProblemProcess,
    deadline: float,
    called: list[Entry],
    with_reference: bool,
    untimed: bool,
) -> Turn:
    """Runs one turn in the next order. Raises Failed once no contender is left."""
    seed = next(one.seeds)
    data = problem.inputs(one.case, seed)
    turn = Turn()
    for entry in next(one.orders):
        if entry is None:
            if with_reference or problem.ranks > 1:
                reference = call_reference(one.reference, data, deadline, stage, untimed)
                one.overhead.learn(reference)
                turn.reference = reference if with_reference else None
        elif entry in called and entry.contender.is_in:
            with blaming(stage, one, entry):
                until = time_for_one(one.contenders(), deadline)
                turn.kernels[entry.contender.samples] = entry.bench.run(data, until, untimed)
    for entry in [entry for entry in called if entry.contender.is_in]:
        with blaming(stage, one, entry):
            finding = entry.bench.check(one.case, seed, one.reference)
            if finding is not None and finding.is_right:
                entry.finding = worse(entry.finding, secretive(finding))
            elif finding is not None:
                entry.finding = secretive(finding)
                raise Failed("wrong_result", f"{entry.finding.message}; the inputs of this stage are secret")
    return turn


def reference_times(calls: list[Timed], overhead: Overhead) -> list[int]:
    """Returns the times of the reference's calls. Raises NotJudged where they are impossible, since the reference is
    trusted."""
    try:
        return accepted_ns(calls, overhead)
    except Failed as failure:
        raise NotJudged(f"the clocks of judge and device do not agree: {failure.message}") from None


@contextlib.contextmanager
def blaming(stage: str, one: TimedCase, entry: Entry) -> Iterator[None]:
    """Attributes a failure in its body to this contender and case. Raises Failed once no contender is left."""
    try:
        yield
    except Failed as failure:
        if entry.finding is None or entry.finding.is_right:
            entry.finding = Finding(failure.message, None)
        entry.contender.lose(in_case(failure, named(stage, one.index, without_seed(one.case))))
        still_in(one.contenders())


def secretive(finding: Finding) -> Finding:
    """Returns the finding without values of expected outputs, which stay in the judge where inputs are secret."""
    if finding.mismatch is None:
        return Finding("the output is wrong", None)
    mismatch = finding.mismatch.without_places()
    hidden = Finding(mismatch.sentence(), mismatch)
    return as_near_as_the_reference(hidden) if finding.is_right else hidden


def worse(one: Finding | None, other: Finding) -> Finding:
    """Returns the mismatch with more differing elements."""
    return max([finding for finding in (one, other) if finding is not None], key=differing)


def differing(finding: Finding) -> int:
    """Returns the number of elements that differ."""
    return 0 if finding.mismatch is None else finding.mismatch.differing
