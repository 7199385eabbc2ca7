"""One call of a kernel: fresh inputs, the judge's clock, and a look at the result."""

from __future__ import annotations

from typing import Any

from .arena import Arena
from .failures import Failed
from .problem import Case, Finding, Problem
from .workers import Worker


class Bench:
    """A case laid out for a worker: the arena, and the binding by which the worker knows it."""

    def __init__(self, worker: Worker, problem: Problem, index: int) -> None:
        self.worker = worker
        self.problem = problem
        self.index = index
        self.arena: Arena | None = None
        #: The size of the output buffers, once a call has laid them out.
        self.output_bytes: int | None = None

    def prepare(self, data: Any, deadline: float) -> Arena:
        """Writes the input into the arena. The worker is frozen from here until the call."""
        self.worker.freeze(deadline)
        if self.arena is None or not self.arena.write(data):
            if self.arena is not None:
                self.arena.close()
            self.arena = Arena(data, self.problem.outputs)
            self.output_bytes = self.arena.output_bytes
            # Bound before it is written: a worker must not see an input before its clock runs.
            self.worker.bind(self.index, self.arena, deadline)
            self.arena.write(data)
        return self.arena

    def run(self, data: Any, deadline: float, processes: bool = False) -> int:
        """Calls the kernel on the input and gives its time in nanoseconds. `processes`: whether it may start some."""
        return self.worker.call(self.index, self.prepare(data, deadline), deadline, processes)

    def check(self, data: Any, seed: int | None) -> Finding | None:
        """What is wrong with the output of the last run. Uses the input up."""
        assert self.arena is not None
        return self.problem.check(data, self.arena.take(), seed)

    def close(self, deadline: float) -> None:
        """Gives the memory back on both sides."""
        if self.arena is not None:
            self.worker.forget(self.index, deadline)
            self.arena.close()
            self.arena = None


def without_seed(case: Case) -> Case:
    """The parameters that hold in a timed stage, where a secret seed stands in for the case's own."""
    return {key: value for key, value in case.items() if key != "seed"}


def named(stage: str, index: int, case: Case) -> str:
    """A case in words: `test case 2 (size: 127; seed: 4242)`."""
    return f"{stage} case {index + 1} ({'; '.join(f'{key}: {value}' for key, value in case.items())})"


def in_case(failure: Failed, name: str) -> Failed:
    """The failure with the case where it happened."""
    return Failed(failure.failure, f"{name}: {failure.message}", failure.detail)
