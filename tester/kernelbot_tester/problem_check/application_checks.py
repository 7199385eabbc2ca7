"""Checks of a problem's application: with the reference it has finite results, its calls are of the kind that the tests
have, and they have every size that is ranked."""

from __future__ import annotations

import time
from typing import Any, Iterator

import torch

from ..failures import NotJudged
from ..messages import Case, ProblemFinding
from ..problem.application import fault_of, reference_outputs, run_with
from ..problem.problem import application_cases
from .checked_problem import Subject, line, places
from .finding import CONTRACT, error, warning

#: Maximum processor time of a run of the application with the reference, in seconds: each case is run thirteen times.
RUN_S = 0.3
SEEDS = (0, 2**63 - 1)
AT_BENCHMARKS = "Write application.at_benchmarks, with which each benchmark becomes a case"


def check_application(subject: Subject) -> Iterator[ProblemFinding]:
    """Yields the findings about the application."""
    application = subject.problem.spec.get("application")
    if application is None:
        return
    sizes: set[str] = set()
    for case in [*application_cases(subject.problem.spec, subject.target), *application.get("hiddenCases", [])]:
        where = f"application case ({line(case)})"
        try:
            for seed in SEEDS:
                yield from check_run(subject, where, case, seed, sizes)
        except NotJudged as reason:
            yield error("application", where, str(reason), CONTRACT)
            return
    for target in subject.problem.spec["targets"]:
        if "atBenchmarks" not in application and subject.problem.cases("benchmark", target) != subject.benchmarks:
            what = "its benchmarks are others, which the application may not call the kernel with"
            yield error("application", f"target {target}", what, AT_BENCHMARKS)
    for case in subject.benchmarks:
        if size_of(subject.input(case)) not in sizes:
            what = "it never calls the kernel at the size of this benchmark, so a kernel may be wrong in use there alone"
            yield error("application", f"benchmark case ({line(case)})", what, AT_BENCHMARKS)


def check_run(subject: Subject, where: str, case: Case, seed: int, sizes: set[str]) -> Iterator[ProblemFinding]:
    """Runs the application once, and adds the sizes of its calls to `sizes`. Raises NotJudged."""
    kinds: set[str] = set()

    def reference(data: Any) -> list[torch.Tensor]:
        kinds.add(kind_of(data))
        sizes.add(size_of(data))
        return reference_outputs(subject.problem, data, seed)

    started = time.thread_time()
    results = run_with(subject.problem, case, seed, reference)
    took_s = time.thread_time() - started
    tested = {kind_of(subject.input(test)) for test in subject.tests}
    if not kinds:
        yield error("application", where, "it never calls the kernel", CONTRACT)
    for kind in sorted(kinds - tested):
        yield error("application", where, f"it calls the kernel with {kind}, which no test has", CONTRACT)
    if (fault := fault_of(subject.problem, case, seed, results)) is not None:
        yield error("application", where, f"with the reference, {fault}", "Make the application deterministic for a seed")
    if took_s > RUN_S:
        what = f"a run with the reference takes {took_s:.1f} s of a core, and each case is run thirteen times"
        yield warning("application", where, what, "Give it fewer calls or smaller inputs")


def size_of(data: Any) -> str:
    """Returns the shapes of the tensors of an input."""
    return ", ".join(f"{place}: {list(tensor.shape)}" for place, tensor in places(data, "data"))


def kind_of(data: Any) -> str:
    """Returns the tensors of an input with their dtypes and dimensions, and which of them are not contiguous."""
    return ", ".join(
        f"{place}: {tensor.dtype} of {tensor.dim()} dimensions{'' if tensor.is_contiguous() else ', not contiguous'}"
        for place, tensor in places(data, "data")
    )
