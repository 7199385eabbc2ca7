"""Turns of a timed case: each kernel and the reference are called on the same fresh secret inputs."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..device.bounds import Timed
from ..failures import Failed
from .checked_calls import reference_at_fault, without_values
from .submissions import call_deadline
from .timed_case import TimedCase, attribute_failure, more_different
from .timed_stage import TimedStage

#: How many times in a row, and in which share of its turns, a kernel may appear to have run while stopped. A stopped
#: thread leaves its core late in a few of ten thousand calls, and more often on virtual machines with steal time. A
#: kernel that could have turns repeated at will would keep only its fastest.
MAX_ATTEMPTS, MAX_REPEATED_SHARE = 10, 0.1


@dataclass
class Turn:
    """Times of one turn: of each submission whose call succeeded, and of the reference."""

    kernels: dict[str, Timed] = field(default_factory=dict)
    reference: Timed = Timed(0)


def run_turn(stage: TimedStage, one: TimedCase, untimed: bool = False, is_followed: bool = False) -> Turn:
    """Calls the kernels that have not failed and the reference on the same fresh input, and checks the kernels' outputs.
    In an untimed call they may start processes, such as a compiler. `is_followed`: whether another turn of this case comes
    next, whose input can be generated ahead.

    The turn is repeated with another input where a kernel has run while it was stopped."""
    one.turns += 1
    attempt = 0
    while True:
        attempt += 1
        turn = attempt_turn(stage, one, untimed, is_followed)
        ran_while_stopped = [entry for entry in one.active() if entry.submission.worker.has_run_while_stopped()]
        if not ran_while_stopped:
            return turn
        for entry in ran_while_stopped:
            entry.repeated += 1
            if attempt >= MAX_ATTEMPTS or entry.repeated > MAX_ATTEMPTS + MAX_REPEATED_SHARE * one.turns:
                with attribute_failure(stage, one, entry):
                    raise Failed("rejected", "the submission ran while the judge had stopped it")


def attempt_turn(stage: TimedStage, one: TimedCase, untimed: bool, is_followed: bool) -> Turn:
    """Runs one turn in the next order. Raises Failed once no submission is left."""
    places = one.choose_places()
    seeds = [next(one.seeds) for _ in places]
    for call, seed in enumerate(seeds):
        data = stage.problem.inputs(one.case, seed)
        if is_followed and call == len(seeds) - 1:
            stage.problem.generate_ahead(one.case, one.seeds.following())
        for entry in one.active():
            with attribute_failure(stage, one, entry):
                entry.ring.prepare(data, places, call, call_deadline(one.submissions(), stage.deadline))
        with reference_at_fault():
            one.reference.prepare(data, places, call, stage.deadline)
    turn = Turn()
    stage.problem.wait_until_generated()
    with stage.calls():
        for entry in next(one.orders):
            if entry is None:
                with reference_at_fault():
                    turn.reference = one.reference.run(places, stage.deadline, untimed)
                one.overhead.learn(turn.reference)
            elif entry.submission.is_active:
                with attribute_failure(stage, one, entry):
                    until = call_deadline(one.submissions(), stage.deadline)
                    turn.kernels[entry.submission.samples] = entry.ring.run(places, until, untimed)
    for entry in one.active():
        with attribute_failure(stage, one, entry):
            for difference in entry.ring.check(one.case, seeds, places, one.reference):
                if difference.is_accepted:
                    entry.difference = more_different(entry.difference, without_values(difference))
                else:
                    entry.difference = without_values(difference)
                    raise Failed("wrong_result", f"{entry.difference.message}; the inputs of this stage are secret")
            if one.turns == 1:
                entry.errors = entry.ring.cases[places[0]].errors(one.reference.cases[places[0]])
    return turn
