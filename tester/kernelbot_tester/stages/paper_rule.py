"""Times cases one after the other by the stopping rule of the KernelBench paper (section 3.2)."""

from __future__ import annotations

from ..device.bounds import Overhead, Timed, accepted_ns
from ..judge.report import Reporter
from ..judge.statistics import RunningMean
from .timed_calls import run_turn
from .timed_case import TimedCase, attribute_failure
from .timed_stage import TimedStage

#: A case ends once the standard error is below this fraction of the mean after a minimum number of calls, or at a time
#: limit. Because samples are stored, the number of calls and the calls per round are limited too.
ERROR, MIN_CALLS = 0.01, 3
KERNEL_LIMIT_S, WALL_LIMIT_S = 30.0, 120.0
MAX_CALLS, ROUND_CALLS = 20_000, 1_000


def run_sequences(stage: TimedStage, timed: list[TimedCase], report: Reporter) -> None:
    """Times the cases one after the other, each until the paper's rule ends it. Raises Failed."""
    report.progress(stage.name, 0, len(timed))
    for number, one in enumerate(timed):
        share_s = stage.left_s() * 0.9 / (len(timed) - number)
        run_sequence(stage, one, min(WALL_LIMIT_S, share_s))
        report.progress(stage.name, number + 1, len(timed))


def run_sequence(stage: TimedStage, one: TimedCase, wall_s: float) -> None:
    """Makes one warm-up call, then calls kernels and reference alternately until the paper's rule ends the case for
    each."""
    started = stage.now()
    run_turn(stage, one, untimed=True)
    one.overhead = Overhead()
    means = {entry.submission.samples: RunningMean() for entry in one.entries}
    times: dict[str, list[Timed]] = {samples: [] for samples in means}
    references: list[Timed] = []
    while True:
        turn = run_turn(stage, one)
        references.append(turn.reference)
        for entry in one.active():
            samples = entry.submission.samples
            times[samples].append(turn.kernels[samples])
            with attribute_failure(stage, one, entry):
                means[samples].add(accepted_ns([turn.kernels[samples]], one.overhead)[0])
        elapsed_s = stage.now() - started
        ended = all(has_enough_calls(means[entry.submission.samples], elapsed_s, wall_s) for entry in one.active())
        if ended or len(references) == ROUND_CALLS:
            one.add_round(stage, times, references, one.reference.worker.device_reading())
            times, references = {samples: [] for samples in means}, []
        if ended:
            break
    one.free_memory(stage)


def has_enough_calls(times: RunningMean, elapsed_s: float, wall_s: float) -> bool:
    """Whether the paper's rule ends a case. `times`: kernel times in nanoseconds; `elapsed_s` and `wall_s`: time used
    and allowed."""
    if times.count < MIN_CALLS:
        return False
    return (
        times.standard_error() < ERROR * times.mean
        or times.count * times.mean > KERNEL_LIMIT_S * 1e9
        or elapsed_s > wall_s
        or times.count >= MAX_CALLS
    )
