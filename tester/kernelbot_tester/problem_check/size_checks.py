"""Checks of what cases need: their cost, the memory of their tensors, and the time of the reference on this
processor."""

from __future__ import annotations

import functools
import signal
import time
from typing import Iterator, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ..device.target import is_processor
from ..failures import NotJudged
from ..messages import Case, ProblemFinding, ProblemSize, Stage
from .checked_problem import Subject, line, places
from .finding import error, note, warning

#: Timeout in seconds for generating one input without memory: a generator that loops over elements in Python takes
#: hours.
ESTIMATE_S = 2.0
#: Maximum processor time of the reference in seconds: for a benchmark case of the target `cpu` (more than
#: docs/guides/write-a-problem.md demands, since another core may be slower), and for all tests together.
BENCHMARK_S, TESTS_S = 0.03, 1.0
#: How many times as fast inputs may be read from caches as from memory.
CACHED = 4
#: Stages whose cases differ.
STAGES: tuple[Stage, ...] = ("test", "benchmark")


class CaseSize(NamedTuple):
    """Bytes of the tensors of a case."""

    inputs: int
    outputs: int
    #: Estimated from the problem's cost.
    is_estimated: bool = False


def check_cost(subject: Subject, targets: list[str]) -> Iterator[ProblemFinding]:
    """Checks that the cost of every case of every target is declared, finite and positive."""
    if not hasattr(subject.module, "cost"):
        yield warning(
            "cost",
            "reference.py",
            "it declares no cost, so no measured time can be recognised as impossible",
            "Write cost(**case): lower bounds of the bytes and operations of any algorithm",
        )
        return
    for kind, case in all_cases(subject, targets):
        try:
            figures = [value for value in subject.problem.cost(case) if value is not None]
        except NotJudged as reason:
            yield error("cost", f"{kind} case ({line(case)})", str(reason), "Return finite numbers above 0")
            return
        if not figures or min(figures) <= 0:
            what = "the cost is 0" if figures else "the cost has neither bytes nor operations"
            yield error("cost", f"{kind} case ({line(case)})", what, "Return finite numbers above 0")
            return


def check_times(subject: Subject) -> Iterator[ProblemFinding]:
    """Checks that the cases of the target `cpu` are small."""
    took_s = 0.0
    for case in subject.tests:
        started = time.thread_time()
        data = subject.input(case)
        took_s += time.thread_time() - started + subject.timed_answer(data)[1]
    if took_s > TESTS_S:
        yield warning(
            "cases.size",
            "cpu tests",
            f"generating the inputs and the outputs of all tests takes {took_s:.1f} s of a core",
            "Give the target cpu smaller tests",
        )
    for case in subject.benchmarks:
        took_s = reference_s(subject, case)
        if took_s > BENCHMARK_S:
            yield warning(
                "cases.size",
                f"cpu benchmark case ({line(case)})",
                f"the reference takes {took_s * 1e3:.0f} ms of a core, so a ranked run takes long",
                "Give the target cpu smaller benchmarks: at most 10 ms each",
            )
        yield from check_bound(subject, case, took_s)


def check_bound(subject: Subject, case: Case, took_s: float) -> Iterator[ProblemFinding]:
    """Checks that the reference is not faster than the declared speed-of-light bound of a benchmark of a processor."""
    bounds_ns = (subject.problem.spec["targets"].get(subject.target) or {}).get("boundsNs")
    if bounds_ns is None or not is_processor(subject.target):
        return
    bound_us = bounds_ns[subject.benchmarks.index(case)] / 1e3
    # Inputs are in caches here, and not in timed stages.
    if took_s * 1e6 * CACHED < bound_us:
        yield error(
            "cost",
            f"targets.{subject.target}.speed_of_light_us: benchmark case ({line(case)})",
            f"the reference takes {took_s * 1e6:.0f} us of a core, less than its speed-of-light bound of {bound_us:g} us",
            "Write the bound in microseconds: a runtime that no kernel can undercut on this device",
        )


def reference_s(subject: Subject, case: Case) -> float:
    """Returns the lowest processor time of the reference for a case, in seconds."""
    times = []
    data = subject.input(case)
    for _ in range(3):
        times.append(subject.timed_answer(data)[1])
        if times[-1] > 1:
            break
    return min(times)


def all_cases(subject: Subject, targets: list[str]) -> Iterator[tuple[Stage, Case]]:
    """Yields every case of these targets once, with its kind."""
    seen: set[str] = set()
    for target in targets:
        for kind in STAGES:
            for case in subject.problem.cases(kind, target):
                if (key := repr((kind, case))) not in seen:
                    seen.add(key)
                    yield kind, case


def largest_cases(subject: Subject, targets: list[str]) -> tuple[list[ProblemSize], list[ProblemFinding]]:
    """Returns the largest case of each target in bytes of one rank, and a note on cases that could only be
    estimated."""
    largest: list[ProblemSize] = []
    sizes: dict[str, CaseSize] = {}
    for target in targets:
        cases = [case for stage in STAGES for case in subject.problem.cases(stage, target)]
        # Even tensors without memory take time to create, so the cost determines the largest case.
        if hasattr(subject.module, "cost"):
            cases = [max(cases, key=lambda case: subject.problem.cost(case)[0] or 0)]
        for case in cases:
            if line(case) not in sizes:
                sizes[line(case)] = size_of(subject, case)
        name = max(map(line, cases), key=lambda name: sizes[name].inputs + sizes[name].outputs)
        largest.append({"target": target, "case": name, "inputBytes": sizes[name].inputs, "outputBytes": sizes[name].outputs})
    estimated = sorted(name for name, size in sizes.items() if size.is_estimated)
    if not estimated:
        return largest, []
    where = f"case ({estimated[0]})" if len(estimated) == 1 else f"{len(estimated)} cases"
    what = "generate_input does not run on tensors without memory, so the sizes of its tensors were estimated from the cost"
    return largest, [note("memory", where, what)]


@functools.cache
def without_memory() -> FakeTensorMode:
    """Returns a mode in which tensors have no memory. Its creation imports modules for seconds."""
    return FakeTensorMode()


def size_of(subject: Subject, case: Case) -> CaseSize:
    """Returns the bytes of inputs and outputs (with several ranks: of rank 0), from tensors without memory; else an
    estimate from the cost."""
    nowhere = without_memory()
    try:
        with time_limit(ESTIMATE_S), nowhere:
            data = subject.problem.inputs(case) if subject.ranks == 1 else subject.problem.input_of_rank(case, 0)
            sizes = [bytes_of(tensor) for _, tensor in places(data, "data")]
        inputs = len(sizes) - subject.outputs
        return CaseSize(sum(sizes[:inputs]), sum(sizes[inputs:]))
    except Exception:
        declared = subject.problem.cost(case)[0] or 0
        return CaseSize(int(declared), 0, is_estimated=True)


def bytes_of(tensor: torch.Tensor) -> int:
    """Returns the bytes of all elements."""
    return tensor.numel() * tensor.element_size()


class time_limit:
    """Raises TimeoutError in its body after this many seconds of processor time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        def over(*_: object) -> None:
            raise TimeoutError

        signal.signal(signal.SIGPROF, over)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
