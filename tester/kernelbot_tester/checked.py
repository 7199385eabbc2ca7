"""One call of a kernel: fresh inputs, the judge's clock, and a look at the result."""

from __future__ import annotations

from typing import Any

from .arena import Arena
from .device.bounds import Timed
from .failures import Failed, NotJudged
from .problem import Case, Finding
from .problem_process import ProblemProcess
from .ranks import RankedArena, RankedWorkers
from .sources import top_level_modules
from .workers import Worker, late_writer


#: A worker, or those of all ranks.
Workers = Worker | RankedWorkers


class BoundArena:
    """A case laid out for a worker: the arena, and the binding by which the worker knows it. `outputs`: of one rank."""

    def __init__(self, worker: Workers, outputs: int, index: int) -> None:
        # Arenas of a kind of workers are for that kind.
        self.worker: Any = worker
        self.outputs = outputs
        self.index = index
        self.arena: Arena | RankedArena | None = None
        #: The size of the output buffers, once a call has laid them out.
        self.output_bytes: int | None = None

    def prepare(self, data: Any, deadline: float) -> Arena | RankedArena:
        """Writes the input into the arena. The worker is frozen from here until the call."""
        self.worker.freeze(deadline)
        if self.arena is None or not self.arena.write(data):
            if self.arena is not None:
                self.arena.close()
            arena: Arena | RankedArena = self.worker.arena(data, self.outputs)
            self.arena = arena
            self.output_bytes = arena.output_bytes
            # Bound before it is written: a worker must not see an input before its clock runs.
            self.worker.bind(self.index, arena, deadline)
            arena.write(data)
        return self.arena

    def close(self, deadline: float) -> None:
        """Gives the memory back on both sides."""
        if self.arena is not None:
            self.worker.forget(self.index, deadline)
            self.arena.close()
            self.arena = None


class Bench(BoundArena):
    """A case laid out for a worker, whose outputs the problem checks."""

    def __init__(self, worker: Workers, problem: ProblemProcess, index: int) -> None:
        super().__init__(worker, problem.outputs, index)
        self.problem = problem

    def run(self, data: Any, deadline: float, processes: bool = False) -> Timed:
        """Calls the kernel on the input and gives its time. `processes`: whether it may start some."""
        return self.worker.call(self.index, self.prepare(data, deadline), deadline, processes)

    def check(self, case: Case, seed: int | None, reference: "Bench | None" = None) -> Finding | None:
        """What is wrong with the output of the last run, on the input of this case that was made last. With several ranks,
        `reference` has run on the same input. Raises Failed for what changes still."""
        assert self.arena is not None
        if self.arena.changed_since_done():
            raise late_writer()
        if reference is not None and self.problem.ranks > 1:
            assert reference.arena is not None
            return self.problem.check(case, self.arena.outputs_now(), seed, reference.arena.outputs_now())
        return self.problem.check(case, self.arena.outputs_now(), seed)


def load_reference(calibrator: Workers, problem_files: dict[str, str], deadline: float) -> None:
    """Has the reference, one of the problem's files, imported by its worker."""
    calibrator.meet()
    calibrator.allow_processes(True)
    files = {f"{name}.py": text for name, text in top_level_modules(problem_files).items()}
    try:
        calibrator.load(files, "reference", "ref_kernel")
        calibrator.loaded(deadline, "be imported")
    except Failed as failure:
        raise NotJudged(f"the problem's reference cannot be imported in a worker: {failure.message}") from None


def call_reference(
    reference: Bench, data: Any, deadline: float, stage: str, processes: bool = False
) -> Timed:
    """One call of the reference. It does not fail unless the time is up, or the problem is at fault."""
    try:
        return reference.run(data, deadline, processes)
    except Failed as failure:
        if failure.failure == "timeout":
            raise Failed("timeout", f"the time of the stage {stage} was up before every case could be timed") from None
        raise NotJudged(f"the problem's reference failed in its worker: {failure.message}") from None


def without_seed(case: Case) -> Case:
    """The parameters that hold in a timed stage, where a secret seed stands in for the case's own."""
    return {key: value for key, value in case.items() if key != "seed"}


def named(stage: str, index: int, case: Case) -> str:
    """A case in words: `test case 2 (size: 127; seed: 4242)`."""
    return f"{stage} case {index + 1} ({'; '.join(f'{key}: {value}' for key, value in case.items())})"


def in_case(failure: Failed, name: str) -> Failed:
    """The failure with the case where it happened."""
    return Failed(failure.failure, f"{name}: {failure.message}", failure.detail)
