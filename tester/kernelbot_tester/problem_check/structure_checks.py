"""Checks of the structure of inputs: a property that the inputs of all seeds have and no description promises is a
shortcut for a kernel that is correct in every call of the judge and incorrect elsewhere."""

from __future__ import annotations

import math
from typing import Any, Iterator

import numpy
import torch
from numpy.typing import NDArray

from ..messages import ProblemFinding
from .checked_problem import raw
from .finding import warning
from .tolerance_checks import lower, rounded

CHECK = "inputs.structure"
#: Maximum number of elements of a tensor among which duplicates are searched.
MOST_ELEMENTS = 1 << 18
#: Smallest matrices whose symmetry cannot be a coincidence, and minimum number of elements of all seeds for their values.
MATRIX, FEWEST_ELEMENTS = 4, 1024
#: Maximum number of distinct values, and ratio of the largest to the smallest magnitude, of a tensor that is reported.
FEW_VALUES, NARROW = 16, 2.0
#: Bytes of integers that may be indices, whose range is a size of the problem.
INDEX_BYTES = 4
TODO = {
    "duplicates": "Draw their positions from the seed too",
    "symmetry": "Draw both triangles",
    "values": "Draw from a wider distribution",
}


class InputStructure:
    """Structure found in the inputs of a problem, and the structure that its task.yml declares (`input_structure`)."""

    def __init__(self, declared: dict[str, Any]) -> None:
        self.declared = declared
        self.found: set[str] = set()

    def check(self, where: str, place: str, tensors: list[torch.Tensor]) -> Iterator[ProblemFinding]:
        """Yields the undeclared structure of a tensor. `tensors`: its values for several seeds."""
        for kind, what in structure_of(place, tensors):
            self.found.add(kind)
            if kind not in self.declared:
                todo = f"{TODO[kind]}; or explain under input_structure: {kind} why kernels may rely on it"
                yield warning(CHECK, where, what, todo)

    def superfluous(self) -> Iterator[ProblemFinding]:
        """Yields the declared structure that no input has."""
        for kind in self.declared:
            if kind not in self.found:
                yield warning(CHECK, f"task.yml: input_structure: {kind}", "no input has this structure", "Remove it")


def structure_of(place: str, tensors: list[torch.Tensor]) -> Iterator[tuple[str, str]]:
    """Yields each kind of structure of a tensor, with a sentence about it. Elements that are the same for every seed
    are left out: `inputs.seed` reports them."""
    numbers = [element_numbers(one).reshape(one.shape) for one in tensors]
    changing = torch.stack([one != numbers[0] for one in numbers]).any(0)
    if all(is_symmetric(one) for one in numbers):
        yield "symmetry", f"for every seed, the matrices are symmetric in {place}"
        changing = changing.tril()
    pairs = fixed_duplicates([one[changing].numpy() for one in numbers])
    if pairs is not None:
        yield "duplicates", f"for every seed, {pairs} pairs of elements at the same positions are equal in {place}"
        return
    narrow = narrow_values(torch.cat([sample(one[changing]) for one in tensors]))
    if narrow is not None:
        yield "values", f"for every seed, there are only {narrow} in {place}"


def element_numbers(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the elements as numbers, int64 of shape (elements,), which are equal where the bytes are."""
    size = tensor.element_size() * (2 if tensor.is_complex() else 1)
    return (raw(tensor).reshape(-1, size).to(torch.int64) * (257 ** torch.arange(size, dtype=torch.int64))).sum(1)


def is_symmetric(numbers: torch.Tensor) -> bool:
    """Whether a tensor (..., n, n) consists of symmetric matrices."""
    shape = numbers.shape
    return len(shape) > 1 and shape[-1] == shape[-2] >= MATRIX and torch.equal(numbers, numbers.transpose(-1, -2))


def fixed_duplicates(columns: list[NDArray[Any]]) -> int | None:
    """Returns how many pairs of elements are equal in all columns (one per seed), beyond what chance explains; else
    None."""
    # PyTorch's generator for processors uses 32 bits of a seed, so two seeds can give the same values.
    columns = [column for at, column in enumerate(columns) if not any(numpy.array_equal(column, one) for one in columns[:at])]
    count = len(columns[0])
    if count > MOST_ELEMENTS:
        chosen = numpy.random.default_rng(0).choice(count, MOST_ELEMENTS, replace=False)
        columns, count = [column[chosen] for column in columns], MOST_ELEMENTS
    if count < 2:
        return None
    possible = count * (count - 1) // 2
    # Independent draws agree in all columns with the product of the frequencies with which they agree in each.
    shares = [equal_pairs(column) / possible for column in columns]
    factors = numpy.random.default_rng(1).integers(1 << 62, size=len(columns), dtype=numpy.uint64) | numpy.uint64(1)
    joined = sum(column.astype(numpy.uint64) * factor for column, factor in zip(columns, factors))
    pairs = equal_pairs(numpy.asarray(joined))
    return pairs if min(shares) == 1 or pairs > 4 * possible * math.prod(shares) + 4 else None


def equal_pairs(column: NDArray[Any]) -> int:
    """Returns how many pairs of elements are equal."""
    ordered = numpy.sort(column)
    ends = numpy.flatnonzero(numpy.append(ordered[1:] != ordered[:-1], True))
    runs = numpy.diff(ends, prepend=-1)
    return int((runs * (runs - 1) // 2).sum())


def sample(tensor: torch.Tensor) -> torch.Tensor:
    """Returns at most 4096 elements, evenly spaced."""
    flat = tensor.reshape(-1)
    return flat[:: max(1, -(-flat.numel() // 4096))]


def narrow_values(values: torch.Tensor) -> str | None:
    """Returns what is narrow about values, or None: words that follow "there are only"."""
    is_integer = not (values.is_floating_point() or values.is_complex())
    if values.dtype == torch.bool or is_integer and values.element_size() >= INDEX_BYTES or len(values) < FEWEST_ELEMENTS:
        return None
    parts = torch.view_as_real(values) if values.is_complex() else values
    distinct = parts.to(torch.float64).unique()
    if len(distinct) <= FEW_VALUES:
        return f"{len(distinct)} distinct values"
    if is_integer or values.is_complex():
        return None
    low, high = float(distinct[0]), float(distinct[-1])
    if low * high > 0 and max(low / high, high / low) < NARROW:
        return f"values from {low:.3g} to {high:.3g}"
    if lower(values) is not None and torch.equal(rounded(values), values):
        return "values that a lower precision represents exactly"
    return None
