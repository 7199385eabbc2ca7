"""Checks of the reference and of the judge's criterion for correctness: no output may pass that was not computed from
the input."""

from __future__ import annotations

import math
from typing import Iterator

import torch

from ..messages import Case, ProblemFinding
from ..worker.layout import clone
from .checked_problem import Subject, line, same
from .finding import error, warning
from .input_checks import SEEDS


def check_reference(subject: Subject) -> Iterator[ProblemFinding]:
    """Checks that the reference's own output passes, is finite, and is the same every time."""
    for case in subject.tests:
        where = f"test case ({line(case)})"
        data = subject.input(case)
        first, second = subject.answer(data), subject.answer(data)
        if not_finite(first):
            yield reference_not_finite(where, "")
            continue
        refusal = subject.refusal(case, data, first)
        if refusal is not None:
            yield error(
                "reference.right",
                where,
                f"the reference's own output does not pass: {refusal}",
                "Make ref_kernel and the check (or the tolerance) agree",
            )
        elif not all(map(same, first, second)):
            yield warning(
                "reference.deterministic",
                where,
                "the reference returns another output the second time",
                "Make it deterministic: correctness must not depend on chance",
            )


def not_finite(outputs: list[torch.Tensor]) -> bool:
    """Whether an output has elements that are NaN or infinite."""
    return not all(tensor.isfinite().all() for tensor in outputs)


def reference_not_finite(where: str, seed: str) -> ProblemFinding:
    """Returns the finding about a case whose expected output is not finite. `seed`: words that name its seed."""
    return error(
        "reference.finite",
        where,
        f"{seed}the reference's output has elements that are NaN or infinite, for which a tolerance has no meaning",
        "Scale the inputs so that results are of order 1, and compute the reference without overflow",
    )


def check_degenerate(subject: Subject) -> Iterator[ProblemFinding]:
    """Checks that no output passes that needs no computation."""
    passed: dict[str, list[Case]] = {}
    for case in subject.tests:
        data = subject.input(case)
        for name, got in without_work(subject, case, data):
            if subject.refusal(case, data, got) is None:
                passed.setdefault(name, []).append(case)
    cases = len(subject.tests)
    for name, found in passed.items():
        where = f"test case ({line(found[0])})" if len(found) == 1 else f"{len(found)} of {cases} test cases"
        todo = "Use random inputs whose result cannot be predicted, and narrow the tolerance"
        if name == "NaN":
            todo = "Write check_implementation so that a comparison with NaN fails, such as `not (error <= limit).all()`"
        # The first element of a prefix sum is its input: for the other outputs, one small case proves nothing.
        if name in ("zeros", "NaN", "the output of another seed") or 2 * len(found) > cases:
            yield error("answers.degenerate", where, f"{name} would pass as the output", todo)


def without_work(subject: Subject, case: Case, data: object) -> Iterator[tuple[str, list[torch.Tensor]]]:
    """Yields outputs of the correct shapes and dtypes that need no work, each with its name."""
    expected = subject.answer(data)
    yield "zeros", [torch.zeros_like(tensor) for tensor in expected]
    yield "ones", [torch.ones_like(tensor) for tensor in expected]
    if any(tensor.is_floating_point() for tensor in expected):
        yield "NaN", [torch.full_like(one, math.nan) if one.is_floating_point() else one for one in expected]
    if any(tensor.numel() > 1 for tensor in expected):
        yield "the mean of all elements", [mean_of(tensor) for tensor in expected]
    if subject.problem.takes_seed and (other := subject.input_of_another_seed(case, data, SEEDS)) is not None:
        yield "the output of another seed", subject.answer(other)
    if subject.ranks > 1:
        yield "the output of another rank", [*expected[subject.outputs :], *expected[: subject.outputs]]
    inputs, _ = subject.parts(data)
    for own in dict.fromkeys(part.own for part in inputs):
        # Each rank copies its own tensor.
        sources = [part.tensor for part in inputs if part.own == own for _ in range(subject.outputs)]
        if [tensor.numel() for tensor in sources] == [tensor.numel() for tensor in expected]:
            yield f"a copy of {own}", [tensor.reshape(to.shape).to(to.dtype) for tensor, to in zip(sources, expected)]


def mean_of(tensor: torch.Tensor) -> torch.Tensor:
    """Returns a tensor of the same shape and dtype, filled with the mean."""
    if tensor.numel() == 0:
        return tensor
    wide = torch.complex128 if tensor.is_complex() else torch.float64
    return torch.full_like(tensor, tensor.to(wide).mean().item())


def check_dependence(subject: Subject) -> Iterator[ProblemFinding]:
    """Checks that every input matters: the output for an input that differs in a part must fail."""
    refused: dict[tuple[int, str], bool] = {}
    places: dict[int, str] = {}
    # Parts that a small case has shown to matter are not tried again with a larger one.
    for case in reversed(subject.quick_tests()):
        data = subject.input(case)
        answer = subject.answer(data)
        donors = [subject.parts(subject.input(case, seed))[0] for seed in SEEDS[1:]]
        for index, part in enumerate(subject.parts(data)[0]):
            places[index] = part.place
            for name, chosen in regions(part.tensor):
                if refused.get((index, name)) is True:
                    continue
                for changed in exchanged(subject, data, index, [donor[index].tensor for donor in donors], chosen):
                    try:
                        refused[index, name] = subject.refusal(case, changed, answer) is not None
                    except Exception:  # A mixture of two matrices may not be factorizable.
                        continue
                    # Another value of a single element may have no effect, as two of which neither is the maximum.
                    if refused[index, name]:
                        break
    for index, place in places.items():
        missed = [name for (at, name), is_refused in refused.items() if at == index and not is_refused]
        if "all of it" in missed:
            yield error(
                "answers.dependence",
                place,
                "the result does not depend on it by more than the tolerance: a kernel that ignores it passes",
                "Scale it so that it changes the result, or remove it from the input",
            )
        elif missed:
            yield warning(
                "answers.dependence",
                place,
                f"in no test does the result depend on {' or '.join(missed)} by more than the tolerance",
                "Scale the inputs so that every part changes the result, or narrow the tolerance",
            )


def regions(tensor: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    """Yields parts that an incorrect kernel may ignore, each as a mask of the tensor's shape."""
    yield "all of it", torch.ones(tensor.shape, dtype=torch.bool)
    if tensor.numel() < 2:
        return
    generator = torch.Generator().manual_seed(tensor.numel())
    for dimension, size in enumerate(tensor.shape):
        if size < 2:
            continue
        somewhere = int(torch.randint(size, (1,), generator=generator))
        for name, index in (("first", 0), ("last", size - 1), ("a random", somewhere)):
            mask = torch.zeros(tensor.shape, dtype=torch.bool)
            mask.select(dimension, index).fill_(True)
            yield f"{name if name == 'a random' else 'the ' + name} slice of dimension {dimension}", mask
    if tensor.dim() > 1:
        for name, index in (("first", 0), ("last", -1)):
            mask = torch.zeros(tensor.numel(), dtype=torch.bool)
            mask[index] = True
            yield f"the {name} element", mask.reshape(tensor.shape)


def exchanged(
    subject: Subject, data: object, index: int, donors: list[torch.Tensor], chosen: torch.Tensor
) -> Iterator[object]:
    """Yields copies of an input with a part of one tensor from another seed's input, where that differs."""
    own = subject.parts(data)[0][index].tensor[chosen]
    for donor in donors:
        if not same(own, donor[chosen]):
            changed = clone(data)
            subject.parts(changed)[0][index].tensor[chosen] = donor[chosen]
            yield changed
