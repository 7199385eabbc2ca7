"""One call of a kernel: fresh inputs, the judge's clock, and a check of the result."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

from ..device.bounds import Timed
from ..failures import Failed, NotJudged
from ..messages import Case, OutputErrors, Stage
from ..problem.modules import top_level_modules
from ..problem.output_errors import largest_errors
from ..problem.problem import OutputDifference, accepted_by_oracle
from ..processes.case_memory import CaseMemory, random_shifts
from ..processes.failure_messages import late_write_failure
from ..processes.problem_process import ProblemProcess
from ..processes.worker_group import GroupMemory, WorkerGroup
from ..processes.worker_process import Worker


#: A worker, or the workers of all ranks.
Workers = Worker | WorkerGroup


class BoundCase:
    """A case laid out for a worker: the memory, and the index under which it is bound in the worker. `outputs`: number
    of output tensors of one rank."""

    def __init__(self, worker: Workers, outputs: int, index: int) -> None:
        # The type of the memory depends on the type of the worker.
        self.worker: Any = worker
        self.outputs = outputs
        self.index = index
        self.shifts = random_shifts()
        self.memory: CaseMemory | GroupMemory | None = None
        #: Size of the output buffers; None until a call has laid them out.
        self.output_bytes: int | None = None

    def prepare(self, data: Any, deadline: float) -> CaseMemory | GroupMemory:
        """Writes the input into the memory and returns it. The worker is frozen from here until the call."""
        self.worker.freeze(deadline)
        if self.memory is None or not self.memory.write(data):
            if self.memory is not None:
                self.memory.close()
            # Bound before it is written: a worker must not see an input before its clock runs.
            self.bind(data, deadline).write(data)
        assert self.memory is not None
        return self.memory

    def bind(self, data: Any, deadline: float) -> CaseMemory | GroupMemory:
        """Lays memory out for inputs like `data` and maps it in the worker. Returns the memory, not yet written."""
        memory: CaseMemory | GroupMemory = self.worker.allocate(self.index, data, self.outputs, self.shifts)
        self.memory = memory
        self.output_bytes = memory.output_bytes
        self.worker.bind(memory, deadline)
        return memory

    def close(self, deadline: float) -> None:
        """Frees the memory in the worker and in the judge."""
        if self.memory is not None:
            self.worker.unbind(self.memory, deadline)
            self.memory.close()
            self.memory = None


class CheckedCase(BoundCase):
    """A case laid out for a worker, whose outputs the problem checks."""

    def __init__(self, worker: Workers, problem: ProblemProcess, index: int) -> None:
        super().__init__(worker, problem.outputs, index)
        self.problem = problem

    def run(self, data: Any, deadline: float, processes: bool = False) -> Timed:
        """Calls the kernel on the input and returns its time. `processes`: whether the call may start processes."""
        return self.worker.call([self.prepare(data, deadline)], deadline, processes)

    def errors(self, reference: "CheckedCase") -> OutputErrors | None:
        """Returns the largest errors of the output of the last run, which is correct; None where they are not finite.
        `reference` has run on the same input."""
        assert self.memory is not None and reference.memory is not None
        return largest_errors(self.memory.outputs_now(), reference.memory.outputs_now())

    def check(self, case: Case, seed: int | None, reference: "CheckedCase | None" = None) -> OutputDifference | None:
        """Returns what is wrong with the output of the last run, or None. The input is the one generated last for this
        case, or can be generated again from `seed`; `reference` has run on the same input, as it must with several ranks.
        Raises Failed where the output still changes."""
        assert self.memory is not None
        if self.memory.changed_since_done():
            raise late_write_failure()
        got = self.memory.outputs_now()
        if reference is None:
            return self.problem.check(case, got, seed)
        assert reference.memory is not None
        expected = reference.memory.outputs_now()
        if self.problem.is_correct(got, expected):
            return None
        self.problem.inputs_again(case, seed)
        # The problem's own code describes the difference, and may accept the output.
        return self.problem.check(case, got, seed, expected if self.problem.ranks > 1 else None)


def load_reference(calibrator: Workers, problem_files: dict[str, str], deadline: float) -> None:
    """Makes the calibrator import the reference, one of the problem's files, and stops it: it may then wait while other
    runs are timed. Raises NotJudged where the import fails."""
    calibrator.wait_until_started()
    calibrator.allow_processes(True)
    files = {f"{name}.py": text for name, text in top_level_modules(problem_files).items()}
    try:
        calibrator.load(files, "reference", "ref_kernel")
        calibrator.wait_until_loaded(deadline, "be imported")
        calibrator.freeze(deadline)
    except Failed as failure:
        raise NotJudged(f"the problem's reference cannot be imported in a worker: {failure.message}") from None


@contextlib.contextmanager
def reference_at_fault() -> Iterator[None]:
    """Converts Failed of the reference in its body: raises Failed where the stage's time is up, NotJudged for any other
    failure."""
    try:
        yield
    except Failed as failure:
        if failure.failure == "timeout":
            raise Failed("timeout", "the time limit was reached before every case could be timed") from None
        raise NotJudged(f"the problem's reference failed in its worker: {failure.message}") from None


def without_seed(case: Case) -> Case:
    """Returns the parameters of a case in a timed stage, where a secret seed replaces the case's own."""
    return {key: value for key, value in case.items() if key != "seed"}


def case_label(stage: Stage, index: int, case: Case) -> str:
    """Formats a case: `test case 2 (size: 127; seed: 4242)`."""
    return f"{stage} case {index + 1} ({'; '.join(f'{key}: {value}' for key, value in case.items())})"


def failure_in_case(failure: Failed, name: str) -> Failed:
    """Returns the failure with the name of its case."""
    return Failed(failure.failure, f"{name}: {failure.message}", failure.detail)


def without_values(difference: OutputDifference) -> OutputDifference:
    """Returns the difference without values of expected outputs, which stay in the judge where inputs are secret."""
    if difference.mismatch is None:
        return OutputDifference("the output is incorrect", None)
    mismatch = difference.mismatch.without_places()
    hidden = OutputDifference(mismatch.sentence(), mismatch)
    return accepted_by_oracle(hidden) if difference.is_accepted else hidden
