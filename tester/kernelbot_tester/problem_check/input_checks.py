"""Checks of `generate_input`: the same case gives the same input, another seed another input, and all seeds give
similar inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

import numpy
import torch
from numpy.typing import NDArray

from ..failures import NotJudged
from ..messages import Case, ProblemFinding
from .checked_problem import Subject, line, same
from .finding import error, warning
from .structure_checks import InputStructure, element_numbers

#: Small seeds, seeds at the limits of 31 and 32 bits, and the largest that the judge draws.
SEEDS = (0, 1, 2, 3, 2**31 - 1, 2**32 + 5, 2**62 + 1, 2**63 - 1)
#: Number of seeds for benchmarks, whose inputs are larger.
BENCHMARK_SEEDS = 3
#: Minimum number of elements for statistics of a tensor.
FEWEST_ELEMENTS = 256
#: Number of elements that is enough to count distinct values.
SAMPLE = 4096
#: Maximum ratio of the scale, and of the number of distinct values, between seeds.
SPREAD = 2.0


def check_inputs(subject: Subject) -> Iterator[ProblemFinding]:
    """Yields the findings about the inputs of all cases of the target."""
    if not subject.problem.takes_seed:
        yield error(
            "inputs.seed",
            "reference.py: generate_input",
            "it has no parameter `seed`, so the inputs of timed stages cannot be secret",
            "Draw every input from a generator that is seeded with `seed`",
        )
        return
    for case in subject.tests:
        yield from deterministic(subject, case)
    structure = InputStructure({**(subject.problem.spec.get("inputStructure") or {})})
    for kind, cases in (("test", subject.tests), ("benchmark", subject.benchmarks)):
        seen: set[str] = set()
        for case in distinct(cases):
            where, seeds = f"{kind} case ({line(without_seed(case))})", SEEDS if kind == "test" else SEEDS[:BENCHMARK_SEEDS]
            for found in seeded(subject, where, case, seeds, structure):
                # A finding is reported for the first case only.
                key = found["check"] + found["what"].rpartition("data[")[2]
                if key not in seen:
                    seen.add(key)
                    yield found
    yield from structure.superfluous()


def without_seed(case: Case) -> Case:
    """Returns the parameters other than the seed."""
    return {key: value for key, value in case.items() if key != "seed"}


def distinct(cases: list[Case]) -> list[Case]:
    """Returns the first case of each set of parameters."""
    return list({repr(without_seed(case)): case for case in reversed(cases)}.values())[::-1]


def deterministic(subject: Subject, case: Case) -> Iterator[ProblemFinding]:
    """Checks that a case gives the same input twice."""
    if subject.digest(subject.input(case)) != subject.digest(subject.input(case)):
        yield not_deterministic(case, "generated twice in one process")


def not_deterministic(case: Case, how: str) -> ProblemFinding:
    """Returns the finding about a case whose input depends on more than its parameters. `how`: how it was generated."""
    return error(
        "inputs.deterministic",
        f"test case ({line(case)})",
        f"{how}, its input differs",
        "Draw from a new generator that is seeded with `seed`: no global generator, clock, hash() or id()",
    )


@dataclass(frozen=True)
class Statistics:
    """Statistics of a tensor that must be similar for all seeds."""

    #: Root mean square of the finite elements; 1 for integers, which may be labels.
    scale: float
    #: Number of distinct values.
    values: int
    #: Number of elements that are NaN or infinite.
    not_finite: int

    @staticmethod
    def of(tensor: torch.Tensor) -> "Statistics":
        """Returns the statistics of a tensor of any dtype."""
        flat = (torch.view_as_real(tensor) if tensor.is_complex() else tensor).reshape(-1).to(torch.float64)
        finite = flat[flat.isfinite()]
        numbers = tensor.is_floating_point() or tensor.is_complex()
        scale = float(finite.square().mean().sqrt()) if numbers and finite.numel() else 1.0
        return Statistics(scale, len(numpy.unique(some(finite))), flat.numel() - finite.numel())


def some(flat: torch.Tensor) -> NDArray[Any]:
    """Returns about SAMPLE elements of a tensor of shape (elements,), evenly spaced."""
    return flat[:: max(1, flat.numel() // SAMPLE)].numpy()


def seeded(
    subject: Subject, where: str, case: Case, seeds: tuple[int, ...], structure: InputStructure
) -> Iterator[ProblemFinding]:
    """Checks that each tensor, and each element of it, changes with the seed, and nothing else does."""
    generated: list[Any] = []
    for seed in seeds:
        try:
            generated.append(subject.input(case, seed))
        except NotJudged as reason:
            todo = "Accept every seed below 2^63; torch.Generator does, numpy.random.seed does not"
            yield error("inputs.seed", "reference.py: generate_input", f"with the seed {seed}: {reason}", todo)
            return
    visible = [subject.visible_input(data) for data in generated]
    if any(shown != visible[0] for shown in visible):
        yield error(
            "inputs.shown",
            where,
            "the structure, shapes or plain values of its input change with the seed, and a submission sees them before the "
            "clock starts",
            "Make shapes and plain values depend only on the other parameters; put random values into elements of tensors",
        )
        return
    for index, part in enumerate(subject.parts(generated[0])[0]):
        tensors = [part.tensor, *(subject.parts(data)[0][index].tensor for data in generated[1:])]
        if part.tensor.numel() == 0:
            continue
        constant = constant_elements(tensors)
        if all(same(tensors[0], one) for one in tensors):
            yield error(
                "inputs.seed",
                where,
                f"{part.place} is the same for every seed, so a submission can precompute its result",
                "Draw it from the seed, or make it a plain value",
            )
        elif constant is not None and len(seeds) == len(SEEDS):
            yield warning(
                "inputs.seed",
                where,
                f"{constant} of {part.tensor.numel()} elements of {part.place} are the same for every seed",
                "Draw every element from the seed, unless these must be constant",
            )
        else:
            yield from structure.check(where, part.place, tensors)
        if len(seeds) == len(SEEDS):
            yield from of_one_kind(where, part.place, [Statistics.of(one) for one in tensors], part.tensor.numel())


def constant_elements(tensors: list[torch.Tensor]) -> int | None:
    """Returns how many elements are the same in all tensors, beyond what chance explains; else None."""
    numbers = [element_numbers(one) for one in tensors]
    unchanged = torch.stack([one == numbers[0] for one in numbers]).all(0)
    count = int(unchanged.count_nonzero())
    if count == 0:
        return None
    _, counts = numpy.unique(some(torch.cat(numbers)), return_counts=True)
    # Expected number of elements in which independent draws with these frequencies agree in all tensors.
    expected = float(((counts / counts.sum()) ** len(tensors)).sum()) * numbers[0].numel()
    return count if count > 4 * expected + 4 else None


def of_one_kind(where: str, place: str, seen: list[Statistics], elements: int) -> Iterator[ProblemFinding]:
    """Checks that the inputs of all seeds are similar."""

    def differ(what: str) -> ProblemFinding:
        todo = "Draw the inputs of all seeds from one distribution, so that no seed gives an easier case"
        return error("inputs.kind", where, f"{place}: {what}", todo)

    if len({one.not_finite > 0 for one in seen}) > 1:
        yield differ("some seeds give NaN or infinity, and others do not")
    if elements < FEWEST_ELEMENTS:
        return
    scales, values = [one.scale for one in seen], [one.values for one in seen]
    if max(scales) > SPREAD * min(scales):
        yield differ(f"its scale goes from {min(scales):.3g} to {max(scales):.3g} over {len(seen)} seeds")
    if max(values) > SPREAD * min(values) + 8:
        yield differ(f"it has from {min(values)} to {max(values)} distinct values over {len(seen)} seeds")
