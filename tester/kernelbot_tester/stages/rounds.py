"""Times cases in rounds. Rounds of a case are spread over the stage, since the drift of a machine shows only between
rounds."""

from __future__ import annotations

import contextlib
import math
import random
from dataclasses import dataclass
from typing import Callable

from ..device import telemetry
from ..device.bounds import Overhead, Timed
from ..device.telemetry import Reading
from ..failures import Failed
from ..judge.report import Reporter
from ..messages import RunMode
from ..worker.layout import PLACEMENTS
from .timed_calls import run_turn
from .timed_case import WALL_LIMIT_S, TimedCase, attribute_failure
from .timed_stage import TimedStage


@dataclass(frozen=True)
class RoundLimits:
    """Minimum and maximum number of rounds of a case, maximum number of calls of a kernel in a round, number of turns of
    the first round that determine how many fit, target of the time of all calls in a round, in nanoseconds, number of
    addresses of inputs and outputs in the same pages, number of consecutive rounds in the same pages, whether the cases
    are timed one after the other, and the size in bytes from which on inputs are generated ahead, on any core. Cases that
    have the fewest rounds get no more that would end after `enough_s` seconds of the stage."""

    min_rounds: int
    max_rounds: int
    max_calls: int = 25
    first_turns: int = 2
    round_ns: int = 20_000_000
    addresses: int = PLACEMENTS
    rounds_in_place: int = 1
    in_sequence: bool = False
    ahead_bytes: float = math.inf
    enough_s: float = math.inf


#: From 9 rounds on the interval leaves out the extremes. What disturbs a shared machine lasts for seconds, so the speedup
#: of twice as many rounds varies by a quarter less between runs. A duel compares two submissions, whose difference may be
#: small. A reward needs the fewest rounds that give a 95 % interval: it is computed from the lower end, and a trainer
#: averages over many. Its rounds are short, and of at most three calls, of which the middle one counts: with two, a slow
#: call moved the speedup of a round, and the time of an evaluation is 7 % less. New
#: pages would take a tenth of its time. With two addresses each occurs again, so that a kernel that keeps results by
#: address is found. Of its inputs only large ones are generated ahead, which takes much time and whose calls depend less on
#: what the caches hold. A benchmark has at most 72 calls: with 108 the interval of the speedup was 4 to 18 % narrower, with
#: 225 another fifth, but for small kernels, as many of KernelBench are, the calls are most of the time. Generating all
#: inputs ahead changes times of 50 us by 6 % between runs; without that, a benchmark of KernelBench takes 18 ms more.
LIMITS: dict[RunMode, RoundLimits] = {
    "benchmark": RoundLimits(6, 9, max_calls=8, rounds_in_place=3, ahead_bytes=0),
    "ranked": RoundLimits(9, 24, enough_s=4),
    "duel": RoundLimits(12, 40),
    "reward": RoundLimits(
        6,
        6,
        max_calls=3,
        first_turns=1,
        round_ns=2_500_000,
        addresses=2,
        rounds_in_place=6,
        in_sequence=True,
        ahead_bytes=1 << 20,
    ),
}
#: Minimum number of rounds for a score where a submission spends much time outside its calls.
MIN_ROUNDS_IF_SLOW = 6


def run_rounds(stage: TimedStage, timed: list[TimedCase], report: Reporter, mode: RunMode) -> None:
    """Runs rounds until every case is settled or the time is up. Raises Failed."""
    # What is left of a duel is only to be timed, not compared.
    is_alone = sum(entry.submission.is_active for entry in timed[0].entries) == 1
    limits = LIMITS["ranked" if mode == "duel" and is_alone else mode]
    groups = [[one] for one in timed] if limits.in_sequence else [timed]
    for number, group in enumerate(groups):

        def progress(done: int) -> None:
            rounds = number * limits.max_rounds + min(done, limits.max_rounds)
            report.progress(stage.name, rounds, len(groups) * limits.max_rounds)

        left_s = stage.left_s()
        share_s = min(WALL_LIMIT_S, left_s * 0.9 / (len(timed) - number))
        for one in group:
            warm_up(stage, one, share_s / limits.min_rounds, is_followed=limits.in_sequence)
            if len(group) > 1:
                # The memory of all cases together may be too much for a worker.
                one.free_memory(stage)
        # Later cases need time too.
        later_s = left_s * (1 - 1 / (len(groups) - number))
        run_rounds_of_group(stage, group, progress, later_s, limits)


def run_rounds_of_group(
    stage: TimedStage,
    timed: list[TimedCase],
    progress: Callable[[int], None],
    later_s: float,
    limits: RoundLimits,
) -> None:
    """Runs rounds of these cases. `progress`: called with the number of rounds so far. `later_s`: time of the stage that
    later cases need. Raises Failed."""
    progress(0)
    workers = [entry.submission.worker for entry in timed[0].entries]
    started, waited_s = stage.now(), [worker.waited_s for worker in workers]
    # From here on the judge leaves the worker's caches alone, unless it shares the machine: several judges on one core would
    # wait for each other. Threads that the problem's code started during the warm-up calls keep all cores.
    stays = contextlib.nullcontext() if stage.turn.is_call_by_call else workers[0].config.steady_cores()
    with stays, stage.problem.settled(limits.ahead_bytes):
        for done in range(limits.rounds_in_place, 2 * limits.max_rounds + 1, limits.rounds_in_place):
            active, round_started = [one for one in timed if one.stopped is None], stage.now()
            if not active or not run_rounds_of_each_case(stage, active, limits, later_s):
                break
            if stage.elapsed_s() + stage.now() - round_started > limits.enough_s:
                for one in active:
                    if len(one.sound_rounds()) >= limits.min_rounds:
                        one.stopped = one.stopped or "rounds"
            progress(done)
    for one in timed:
        one.stopped = one.stopped or "time"
        one.free_memory(stage)
    took_s = stage.now() - started
    for place, (worker, before_s) in enumerate(zip(workers, waited_s)):
        if worker.waited_s - before_s > took_s / 2:
            fail_slow_submission(stage, timed, place, worker.waited_s - before_s)


def run_rounds_of_each_case(stage: TimedStage, active: list[TimedCase], limits: RoundLimits, later_s: float) -> bool:
    """Runs rounds of each case in the same pages, in random order of the cases. Returns False where the time is up."""
    random.SystemRandom().shuffle(active)
    for one in active:
        for number in range(limits.rounds_in_place):
            # Once there are samples, a round that may not fit is not started: it would not be a timeout of the kernel.
            if one.rounds and 1.2 * one.longest_s > stage.left_s() - later_s:
                return False
            in_place = number + 1 < limits.rounds_in_place or limits.in_sequence
            run_round(stage, one, limits, in_place and len(one.rounds) + 1 < limits.max_rounds)
            one.stopped = one.reason_to_stop(limits.min_rounds, limits.max_rounds)
            if one.stopped is not None:
                break
        one.free_memory(stage)
    return True


def run_round(stage: TimedStage, one: TimedCase, limits: RoundLimits, is_followed: bool) -> None:
    """Runs one round of a case: kernels and reference in turn, each equally often. `is_followed`: whether the next round is
    of the same case."""
    started = stage.now()
    times: dict[str, list[Timed]] = {entry.submission.samples: [] for entry in one.entries}
    references: list[Timed] = []
    readings: list[Reading] = []
    turns = one.turns_of_round(limits.max_calls, limits.round_ns) if one.rounds else limits.first_turns
    while len(references) < turns:
        is_last = len(references) == turns - 1 and len(one.rounds) > 0
        turn = run_turn(stage, one, is_followed=is_followed or not is_last)
        for samples, timed in turn.kernels.items():
            times[samples].append(timed)
        references.append(turn.reference)
        if not one.rounds and len(references) == limits.first_turns:
            one.turn_s = (stage.now() - started) / limits.first_turns
            one.accepted_times(stage, times, references)
            turns = max(turns, one.turns_of_round(limits.max_calls, limits.round_ns))
        if len(references) in (1, 1 + turns // 2, turns):
            readings += filter(None, [one.reference.worker.device_reading()])
    one.add_round(stage, times, references, telemetry.together(readings))
    took_s = stage.now() - started
    one.turn_s = min(one.turn_s, took_s / turns)
    one.wall_s += took_s
    one.longest_s = max(one.longest_s, took_s)


def warm_up(stage: TimedStage, one: TimedCase, round_s: float, is_followed: bool) -> None:
    """Makes a turn that is not timed. A round may take `round_s` seconds. `is_followed`: whether the first round comes
    next."""
    run_turn(stage, one, untimed=True, is_followed=is_followed)
    one.overhead = Overhead()
    one.round_s = round_s


def fail_slow_submission(stage: TimedStage, timed: list[TimedCase], place: int, waited_s: float) -> None:
    """Fails an entry that kept the judge waiting and has too few rounds. Time outside of calls is not part of the
    score and only reduces the number of rounds. `place`: index among the entries of each case."""
    for one in timed:
        entry = one.entries[place]
        if entry.submission.is_active and len(one.rounds) < MIN_ROUNDS_IF_SLOW:
            with attribute_failure(stage, one, entry):
                raise Failed(
                    "timeout",
                    f"the submission made the judge wait for {waited_s:.0f} s between the calls, which left time for "
                    f"{len(one.rounds)} rounds of the {MIN_ROUNDS_IF_SLOW} that a score needs",
                )
