"""State of a case while it is timed: its submissions, its secret seeds, and the rounds measured so far."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from dataclasses import dataclass, field
from typing import Iterator, TypeVar, cast

from ..device import telemetry
from ..device.bounds import Overhead, Timed, accepted_ns
from ..device.telemetry import Reading
from ..failures import Failed, NotJudged
from ..judge.seeds import CallSeeds
from ..judge.statistics import Estimate, median_interval, round_time
from ..messages import Case, OutputErrors, Round, Rounds, StopReason
from ..problem.problem import OutputDifference
from .checked_calls import failure_in_case, case_label, without_seed
from .ring import RANDOM, Ring
from .submissions import Submission, remaining
from .timed_stage import TimedStage

T = TypeVar("T")

#: A case ends once half of the interval of each speedup is within this fraction of the speedup.
PRECISION = 0.01
#: Limits of kernel time and wall-clock time of a case, in seconds.
KERNEL_LIMIT_S, WALL_LIMIT_S = 10.0, 60.0


@dataclass
class TimedSubmission:
    """State of a submission in one case."""

    submission: Submission
    ring: Ring
    #: Time of the fastest turn so far, and total time of all turns, in nanoseconds.
    best_ns: float = math.inf
    spent_ns: int = 0
    #: Number of attempts that were repeated since its kernel ran while it was stopped.
    repeated: int = 0
    #: Why the submission is incorrect; or the largest mismatch among outputs that differ and are correct by the oracle.
    difference: OutputDifference | None = None
    #: Largest errors of the outputs of its first call.
    errors: OutputErrors | None = None


@dataclass
class TimedCase:
    """State of a case while it is timed."""

    index: int
    case: Case
    entries: list[TimedSubmission]
    reference: Ring
    #: Secret seeds of its calls.
    seeds: CallSeeds
    #: Secret seed of the orders of the calls.
    order_seed: int
    #: Number of calls of each kernel in a turn, whose time is measured together.
    calls: int = 1
    #: Number of turns so far.
    turns: int = 0
    reference_best_ns: float = math.inf
    #: Wall-clock time of the fastest turn so far, and that which a round may take, in seconds.
    turn_s: float = math.inf
    round_s: float = math.inf
    #: Order of the calls in each turn; None is the reference.
    orders: Iterator[tuple[TimedSubmission | None, ...]] = field(init=False)
    rounds: list[dict[str, list[int]]] = field(default_factory=list)
    #: Condition of the device in each round.
    readings: list[Reading | None] = field(default_factory=list)
    wall_s: float = 0.0
    longest_s: float = 0.0
    #: Why no more rounds were made; None until then.
    stopped: StopReason | None = None
    overhead: Overhead = field(default_factory=Overhead)

    def __post_init__(self) -> None:
        # The first call of a turn leaves the caches in a different state for the next. Over all permutations, each
        # submission has each position equally often, and follows each other one equally often. Which comes next is
        # secret: a kernel that knew could disturb only the calls of the others.
        self.orders = shuffled(list(itertools.permutations([*self.entries, None])), random.Random(self.order_seed))

    def choose_places(self) -> list[int]:
        """Returns the memories of a turn's calls, in order."""
        return RANDOM.sample(range(len(self.reference.cases)), self.calls)

    def active(self) -> list[TimedSubmission]:
        """Returns the entries whose submission has not failed."""
        return [entry for entry in self.entries if entry.submission.is_active]

    def submissions(self) -> list[Submission]:
        """Returns all submissions, A first."""
        return [entry.submission for entry in self.entries]

    def free_memory(self, stage: TimedStage) -> None:
        """Frees the memory. Later rounds use other pages, since their placement changes a time by some percent."""
        for entry in self.active():
            with attribute_failure(stage, self, entry):
                entry.ring.close(stage.deadline)
        self.reference.close(stage.deadline)

    def reason_to_stop(self, min_rounds: int, max_rounds: int) -> StopReason | None:
        """Returns why more rounds would not improve the result, or None. Rounds in which the device was throttled are
        repeated, once each."""
        spent_ns = max(entry.spent_ns for entry in self.entries)
        if spent_ns >= KERNEL_LIMIT_S * 1e9 or self.wall_s >= WALL_LIMIT_S:
            return "time"
        sound = len(self.sound_rounds())
        if sound >= min_rounds and all(self.speedup(entry).half_width() <= PRECISION for entry in self.active()):
            return "precise"
        return "rounds" if sound >= max_rounds or len(self.rounds) >= 2 * max_rounds else None

    def sound_rounds(self) -> list[dict[str, list[int]]]:
        """Returns the rounds in which the device was not throttled."""
        return [one for one, mark in zip(self.rounds, telemetry.marks(self.readings)) if mark is None]

    def speedup(self, entry: TimedSubmission) -> Estimate:
        """Returns the median speedup over the sound rounds, in each of which the entry ran."""
        samples = entry.submission.samples
        return median_interval(
            [round_time(one["referenceNs"]) / round_time(one[samples]) for one in self.sound_rounds()]
        )

    def add_round(
        self, stage: TimedStage, times: dict[str, list[Timed]], references: list[Timed], reading: Reading | None
    ) -> None:
        """Records a round: the time of one call, also where a turn makes several. Raises Failed where a worker's device
        times are impossible and no submission is left."""
        totals = self.accepted_times(stage, times, references)
        for entry in self.entries:
            entry.spent_ns += sum(totals[entry.submission.samples])
        self.rounds.append({who: [max(1, round(ns / self.calls)) for ns in times] for who, times in totals.items()})
        self.readings.append(reading)

    def accepted_times(
        self, stage: TimedStage, times: dict[str, list[Timed]], references: list[Timed]
    ) -> dict[str, list[int]]:
        """Returns the accepted times of turns in nanoseconds, by submission, and notes the fastest. Raises Failed as
        `add_round`."""
        accepted: dict[str, list[int]] = {entry.submission.samples: [] for entry in self.entries}
        for entry in self.active():
            with attribute_failure(stage, self, entry):
                accepted[entry.submission.samples] = kernel_ns = accepted_ns(
                    times[entry.submission.samples], self.overhead
                )
                entry.best_ns = min(entry.best_ns, *kernel_ns)
        reference_ns = reference_times(references, self.overhead)
        self.reference_best_ns = min(self.reference_best_ns, *reference_ns)
        return {**accepted, "referenceNs": reference_ns}

    def turns_of_round(self, max_calls: int, round_ns: int) -> int:
        """Returns the number of turns of a round with at most `max_calls` calls of a kernel and about `round_ns` of calls.
        From the fastest call so far: a slow moment at the start must not make every round short."""
        turn_ns = self.reference_best_ns + sum(entry.best_ns for entry in self.active())
        return max(1, min(max_calls // self.calls, int(self.round_s / self.turn_s), math.ceil(round_ns / turn_ns)))

    def raise_to(self, samples: str, least_ns: int) -> None:
        """Raises the times of a submission, of one call each, to a lower bound."""
        for one in self.rounds:
            one[samples] = [max(ns, least_ns) for ns in one[samples]]

    def documents(self) -> Rounds:
        """Returns the rounds in their reported form."""
        documents = [cast(Round, {**one}) for one in self.rounds]
        for one, reading, mark in zip(documents, self.readings, telemetry.marks(self.readings)):
            if reading is not None:
                one["conditions"] = telemetry.document(reading, mark)
        return documents


def shuffled(orders: list[tuple[T, ...]], source: random.Random) -> Iterator[tuple[T, ...]]:
    """Yields all orders again and again, each time in another random order."""
    while True:
        yield from source.sample(orders, len(orders))


def reference_times(calls: list[Timed], overhead: Overhead) -> list[int]:
    """Returns the times of the reference's calls. Raises NotJudged where they are impossible, since the reference is
    trusted."""
    try:
        return accepted_ns(calls, overhead)
    except Failed as failure:
        raise NotJudged(f"the clocks of judge and device do not agree: {failure.message}") from None


@contextlib.contextmanager
def attribute_failure(stage: TimedStage, one: TimedCase, entry: TimedSubmission) -> Iterator[None]:
    """Attributes a failure in its body to this submission and case. Raises Failed once no submission is left, and
    NotJudged with the case."""
    try:
        yield
    except Failed as failure:
        if entry.difference is None or entry.difference.is_accepted:
            entry.difference = OutputDifference(failure.message, None)
        label = case_label(stage.name, one.index, without_seed(one.case))
        entry.submission.fail(failure_in_case(failure, label), stage.name)
        remaining(one.submissions())
    except NotJudged as reason:
        raise NotJudged(f"{stage.name} case {one.index + 1}: {reason}") from None


def more_different(one: OutputDifference | None, other: OutputDifference) -> OutputDifference:
    """Returns the mismatch with more differing elements."""
    return max([difference for difference in (one, other) if difference is not None], key=differing)


def differing(difference: OutputDifference) -> int:
    """Returns the number of elements that differ."""
    return 0 if difference.mismatch is None else difference.mismatch.differing
