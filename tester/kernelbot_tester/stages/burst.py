"""A lower bound of a kernel's time on an accelerator, which only the judge's clock decides.

A worker reports the time of a call by events of the device, and the judge's own clock includes so much else (the wake-up,
turns of judge and worker on the device, the samples) that it cannot confirm a short time: a kernel that is not waited for
runs while the judge prepares to take samples. In a burst the worker calls the kernel many times on fresh inputs, one after
the other, and the device begins when all are submitted. The judge's time of the burst, divided by the number of calls,
then contains little else. An honest kernel takes no longer here than alone. So a reported time that is shorter than this
one is raised to it.

What a burst costs in addition to the kernels is known from the reference, whose events are trusted.
"""

from __future__ import annotations

import contextlib
import math
import random
import time
from typing import Any, ContextManager

from ..device.accelerator import Accelerator, Gate
from ..device.bounds import Timed
from ..failures import Failed
from ..processes.case_memory import CaseMemory
from ..processes.problem_process import ProblemProcess
from ..processes.worker_process import Worker
from .checked_calls import CheckedCase, reference_at_fault, without_values
from .timed_case import TimedCase, TimedSubmission, attribute_failure, more_different
from .timed_stage import TimedStage

#: Target of the time of a burst of the fastest kernel, and limit for the slowest, in nanoseconds.
BURST_NS, LONGEST_NS = 20_000_000, 1_000_000_000
#: Maximum number of calls of a burst, and the share of the device's memory that the inputs of one worker may take.
MOST_CALLS, MEMORY_SHARE = 128, 1 / 16
#: Number of outputs that are sampled and checked, chosen at random.
CHECKED = 8
#: Fraction of the measured time that counts, since clocks may be lower in a long burst than in a short call, and by how
#: much what a burst costs in addition to its kernels varies, in nanoseconds (on an H100: 0.1 ms usually, 0.33 ms in one of 20).
COUNTED, VARIES_NS = 0.95, 400_000
#: Seconds that bursts of a case may take at least, whatever is left of the stage's time.
LEAST_S = 20.0
RANDOM = random.SystemRandom()


class Burst:
    """The inputs of a burst in one worker. `entry`: None for the reference."""

    def __init__(self, stage: TimedStage, one: TimedCase, entry: TimedSubmission | None, worker: Worker) -> None:
        self.stage = stage
        self.one, self.entry, self.worker = one, entry, worker
        self.cases: list[CheckedCase] = []
        self.gate: Gate | None = None
        self.timed = Timed(0)

    def guard(self) -> ContextManager[None]:
        """Returns a context manager that attributes failures in its body."""
        if self.entry is None:
            return reference_at_fault()
        return attribute_failure(self.stage, self.one, self.entry)

    @property
    def is_active(self) -> bool:
        """Whether the kernel has not failed."""
        return self.entry is None or self.entry.submission.is_active

    def memories(self) -> list[CaseMemory]:
        """Returns the memories of all calls, in order."""
        return [case.memory for case in self.cases if isinstance(case.memory, CaseMemory)]

    def lay_out(self, problem: ProblemProcess, data: Any, count: int, deadline: float) -> None:
        """Maps memory for this number of calls in the worker."""
        for place in range(len(self.cases), count):
            case = CheckedCase(self.worker, problem, place)
            # One address each: the worker knows the calls before their inputs are written.
            case.shifts = case.shifts[:1]
            self.cases.append(case)
            case.bind(data, deadline)

    def run(self, sampled: list[int], deadline: float) -> None:
        """Calls the kernel on all inputs."""
        assert self.gate is not None
        memories = self.memories()
        self.timed = self.worker.call_burst(memories, [memories[place] for place in sampled], self.gate, deadline)

    def check(self, problem: ProblemProcess, place: int, seed: int) -> None:
        """Checks the output of one call. Raises Failed."""
        assert self.entry is not None
        problem.inputs_again(self.one.case, seed)
        difference = self.cases[place].check(self.one.case, seed)
        if difference is None:
            return
        difference = without_values(difference)
        if not difference.is_accepted:
            self.entry.difference = difference
            raise Failed("wrong_result", f"{difference.message}; the inputs of this stage are secret")
        self.entry.difference = more_different(self.entry.difference, difference)

    def close(self, deadline: float) -> None:
        """Frees the memories."""
        if self.is_active:
            with self.guard():
                for case in self.cases:
                    case.close(deadline)
        for memory in self.memories():
            memory.close()


def raise_short_times(stage: TimedStage, timed: list[TimedCase]) -> None:
    """Runs bursts of every case, and raises times that are too short. Does nothing on a processor, which only the judge's
    clock times; for several ranks, which wait for each other in each call; and for inputs whose layout depends on the
    seed. Raises Failed, NotJudged."""
    for one in timed:
        worker = one.reference.worker
        if isinstance(worker, Worker) and isinstance(worker.device, Accelerator) and one.rounds and one.active():
            run_bursts(stage, one, worker, max(stage.deadline, time.monotonic() + LEAST_S))


def run_bursts(stage: TimedStage, one: TimedCase, reference: Worker, deadline: float) -> None:
    """Runs two bursts of each kernel and of the reference, of which the second counts: in the first, kernels do what they
    do once for each address."""
    problem = stage.problem
    data = problem.inputs(one.case, next(one.seeds))
    submissions = [(entry, entry.submission.worker) for entry in one.active()]
    workers = [(entry, worker) for entry, worker in submissions if isinstance(worker, Worker)]
    bursts = [Burst(stage, one, entry, worker) for entry, worker in [*workers, (None, reference)]]
    device = reference.device
    assert isinstance(device, Accelerator)
    with contextlib.ExitStack() as close:
        for burst in bursts:
            close.callback(burst.close, deadline)
            with burst.guard():
                burst.lay_out(problem, data, 1, deadline)
        count = calls_of_burst(one, bursts[-1].memories()[0], device)
        for burst in bursts:
            if burst.is_active:
                with burst.guard():
                    burst.lay_out(problem, data, count, deadline)
                    burst.gate = close.enter_context(contextlib.closing(Gate(device.driver)))
                    burst.worker.prepare_burst(burst.memories(), burst.gate, deadline)
        for is_warm in (False, True):
            seeds = [next(one.seeds) for _ in range(count)]
            for place, seed in enumerate(seeds):
                data = problem.inputs(one.case, seed) if is_warm else data
                if not all([burst.memories()[place].write(data, burst=True) for burst in bursts if burst.is_active]):
                    return
            sampled = RANDOM.sample(range(count), min(CHECKED, count))
            for burst in bursts:
                if burst.is_active:
                    with burst.guard():
                        burst.run(sampled, deadline)
            for burst in bursts[:-1]:
                if is_warm and burst.entry is not None and burst.is_active:
                    with burst.guard():
                        for place in sampled:
                            burst.check(problem, place, seeds[place])
                    one.raise_to(burst.entry.submission.samples, least_ns(burst.timed, bursts[-1].timed, count))


def calls_of_burst(one: TimedCase, memory: CaseMemory, device: Accelerator) -> int:
    """Returns the number of calls of a burst, at least 1. `memory`: that of one call."""
    kernels = ["referenceNs", *(entry.submission.samples for entry in one.active())]
    calls_ns = [min(ns for timed_round in one.rounds for ns in timed_round[kernel]) for kernel in kernels]
    size = sum(shared.size for shared in memory.memories.values())
    fitting = MEMORY_SHARE * device.memory_bytes / size
    return max(1, min(MOST_CALLS, int(BURST_NS / min(calls_ns)), int(LONGEST_NS / max(calls_ns)), int(fitting)))


def least_ns(kernel: Timed, reference: Timed, count: int) -> int:
    """Returns the lower bound of a call's time; 0 where the reference's events say nothing."""
    if math.isnan(reference.device_ns):
        return 0
    other_ns = max(0.0, reference.host_ns - reference.device_ns) + VARIES_NS
    return max(0, int(COUNTED * (kernel.host_ns - other_ns) / count))
