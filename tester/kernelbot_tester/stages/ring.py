"""Memories of a timed case in one worker.

In the regime `isolated` there is one, and a turn makes one call. In the regime `sustained` a turn makes several calls
without a pause, each on another input. The memories of a turn are a random choice in random order, and the judge names
the next one only when a call is done, so that a kernel cannot work ahead.
"""

from __future__ import annotations

import random
from typing import Any, Iterator

from ..device.accelerator import Accelerator
from ..device.bounds import Timed
from ..device.device import Device
from ..failures import NotJudged
from ..messages import Case
from ..problem.problem import OutputDifference
from ..processes.problem_process import ProblemProcess
from ..worker.layout import PLACEMENTS, describe
from .checked_calls import CheckedCase, Workers

#: Number of memories of the regime `sustained`, and of calls in a turn.
MOST_MEMORIES, MOST_CALLS = 12, 8
#: Least number of memories, the share of an accelerator's memory that they may take in all workers, and how often it
#: contains an input: shared with the worker, in the judge's private copy, and as copied outputs at most.
FEWEST_MEMORIES, MEMORY_SHARE, COPIES = 3, 1 / 2, 3
RANDOM = random.SystemRandom()


class Ring:
    """The memories, each a case whose outputs the problem checks. `index`: that of the timed case. `addresses`: number
    of addresses of each."""

    def __init__(
        self, worker: Workers, problem: ProblemProcess, index: int, memories: int, addresses: int = PLACEMENTS
    ) -> None:
        self.worker = worker
        self.problem = problem
        self.cases = [CheckedCase(worker, problem, index * MOST_MEMORIES + place) for place in range(memories)]
        for case in self.cases:
            case.shifts = case.shifts[:addresses]

    @property
    def output_bytes(self) -> int | None:
        """Size of the output buffers of one call; None until a call has laid them out."""
        return self.cases[0].output_bytes

    def prepare(self, data: Any, places: list[int], call: int, deadline: float) -> None:
        """Writes the input of a call (an index of `places`). The first call maps the memory of all, since the worker
        runs while memory is mapped and must not see an input. Raises NotJudged where a later input has another layout."""
        if call == 0:
            self.worker.freeze(deadline)
            for place in places[1:]:
                if self.cases[place].memory is None:
                    self.cases[place].bind(data, deadline)
            self.cases[places[0]].prepare(data, deadline)
        else:
            memory = self.cases[places[call]].memory
            assert memory is not None
            if not memory.write(data):
                raise NotJudged("with `regime: sustained`, the inputs of a case must have the same shapes for every seed")

    def run(self, places: list[int], deadline: float, processes: bool) -> Timed:
        """Calls the kernel on the prepared inputs and returns the time of all calls. `processes`: whether they may start
        processes."""
        # The type of the memory depends on the type of the worker.
        memories: list[Any] = [self.cases[place].memory for place in places]
        return self.worker.call(memories, deadline, processes)

    def check(
        self, case: Case, seeds: list[int], places: list[int], reference: "Ring"
    ) -> list[OutputDifference]:
        """Returns what is wrong with the outputs of the last run. `reference` has run on the same inputs, which follow
        from `seeds`. Raises Failed where an output still changes."""
        checks = [
            self.cases[place].check(case, seed, reference.cases[place]) for seed, place in zip(seeds, places)
        ]
        return [difference for difference in checks if difference is not None]

    def close(self, deadline: float) -> None:
        """Frees the memories in the worker and in the judge."""
        for one in self.cases:
            one.close(deadline)


def sizes_of_turns(
    problem: ProblemProcess, device: Device, case: Case, seeds: Iterator[int], workers: int
) -> tuple[int, int]:
    """Returns the number of memories in each of the workers, and of calls in a turn. On an accelerator, fewer for inputs
    that would not leave enough memory."""
    if problem.spec["regime"] == "isolated":
        return 1, 1
    if not isinstance(device, Accelerator):
        return MOST_MEMORIES, MOST_CALLS
    _, placed = describe(problem.inputs(case, next(seeds)), device.memory_of)
    size = sum(slot.bytes for slot, _ in placed if slot.memory == "device")
    fitting = int(MEMORY_SHARE * device.memory_bytes / max(1, COPIES * workers * size))
    memories = max(FEWEST_MEMORIES, min(MOST_MEMORIES, fitting))
    return memories, memories * MOST_CALLS // MOST_MEMORIES
