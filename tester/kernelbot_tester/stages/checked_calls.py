"""One call of a kernel: fresh inputs, the judge's clock, and a check of the result."""

from __future__ import annotations

from typing import Any

from ..device.bounds import Timed
from ..failures import Failed, NotJudged
from ..problem.modules import top_level_modules
from ..problem.problem import Case, Finding
from ..processes.case_memory import Arena
from ..processes.problem_process import ProblemProcess
from ..processes.ranks import RankedArena, RankedWorkers
from ..processes.worker_process import Worker, late_writer


#: A worker, or the workers of all ranks.
Workers = Worker | RankedWorkers


class BoundArena:
    """A case laid out for a worker: the arena, and the index under which it is bound in the worker. `outputs`: number
    of output tensors of one rank."""

    def __init__(self, worker: Workers, outputs: int, index: int) -> None:
        # The type of the arena depends on the type of the worker.
        self.worker: Any = worker
        self.outputs = outputs
        self.index = index
        self.arena: Arena | RankedArena | None = None
        #: Size of the output buffers; None until a call has laid them out.
        self.output_bytes: int | None = None

    def prepare(self, data: Any, deadline: float) -> Arena | RankedArena:
        """Writes the input into the arena and returns it. The worker is frozen from here until the call."""
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
        """Frees the arena in the worker and in the judge."""
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
        """Calls the kernel on the input and returns its time. `processes`: whether the call may start processes."""
        return self.worker.call(self.index, self.prepare(data, deadline), deadline, processes)

    def check(self, case: Case, seed: int | None, reference: "Bench | None" = None) -> Finding | None:
        """Returns what is wrong with the output of the last run, or None. The input is the one generated last for this
        case. With several ranks, `reference` has run on the same input. Raises Failed where the output still
        changes."""
        assert self.arena is not None
        if self.arena.changed_since_done():
            raise late_writer()
        if reference is not None and self.problem.ranks > 1:
            assert reference.arena is not None
            return self.problem.check(case, self.arena.outputs_now(), seed, reference.arena.outputs_now())
        return self.problem.check(case, self.arena.outputs_now(), seed)


def load_reference(calibrator: Workers, problem_files: dict[str, str], deadline: float) -> None:
    """Makes the calibrator import the reference, one of the problem's files. Raises NotJudged where the import
    fails."""
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
    """Calls the reference and returns its time. Raises Failed where the stage's time is up, NotJudged for any other
    failure."""
    try:
        return reference.run(data, deadline, processes)
    except Failed as failure:
        if failure.failure == "timeout":
            raise Failed("timeout", f"the time of the stage {stage} was up before every case could be timed") from None
        raise NotJudged(f"the problem's reference failed in its worker: {failure.message}") from None


def without_seed(case: Case) -> Case:
    """Returns the parameters of a case in a timed stage, where a secret seed replaces the case's own."""
    return {key: value for key, value in case.items() if key != "seed"}


def named(stage: str, index: int, case: Case) -> str:
    """Formats a case: `test case 2 (size: 127; seed: 4242)`."""
    return f"{stage} case {index + 1} ({'; '.join(f'{key}: {value}' for key, value in case.items())})"


def in_case(failure: Failed, name: str) -> Failed:
    """Returns the failure with the name of its case."""
    return Failed(failure.failure, f"{name}: {failure.message}", failure.detail)
