"""Compares an output with the expected output and describes the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from .. import messages

#: Maximum number of differing elements that a mismatch lists.
PLACES = 10
#: Number of elements whose errors are computed at once.
ELEMENTS = 1 << 22


@dataclass(frozen=True)
class Mismatch:
    """How an output differs: core's `Mismatch`."""

    differing: int
    total: int
    largest_absolute: float | None
    largest_relative: float | None
    #: (index, got, expected)
    first: list[tuple[list[int], str, str]]

    def sentence(self) -> str:
        """Returns one sentence for the participant."""
        elements = f"{self.differing} of {self.total} elements {'differs' if self.differing == 1 else 'differ'}"
        place = "".join(f"; at {index}: got {got}, expected {expected}" for index, got, expected in self.first[:1])
        error = "" if self.largest_absolute is None else f" (largest absolute error {self.largest_absolute:.6g})"
        return f"{elements}{place}{error}"

    def without_places(self) -> "Mismatch":
        """Returns the mismatch without values of the output, for secret inputs."""
        return Mismatch(self.differing, self.total, self.largest_absolute, self.largest_relative, [])

    def document(self) -> messages.Mismatch:
        """Returns the mismatch in its reported form."""
        return {
            "differing": self.differing,
            "total": self.total,
            "largestAbsolute": self.largest_absolute,
            "largestRelative": self.largest_relative,
            "first": [
                {"index": index, "got": got[:60], "expected": expected[:60]} for index, got, expected in self.first
            ],
        }


def compare(got: torch.Tensor, expected: torch.Tensor, rtol: float, atol: float) -> Mismatch | None:
    """Returns None if every element is correct: |got - expected| <= atol + rtol * |expected|.

    Both have the same shape and dtype. NaN is correct exactly where NaN is expected; an infinity must be the same
    infinity. Integers and booleans must be equal.
    """
    exact = not (got.is_floating_point() or got.is_complex())
    if got.dtype == torch.bool:
        # A worker can write any byte into a boolean output.
        got, expected = got.view(torch.uint8), expected.to(torch.uint8)
    elif got.is_floating_point() and got.element_size() < 4:
        got, expected = got.to(torch.float32), expected.to(torch.float32)
    if torch.equal(got, expected):
        return None
    wrong = got != expected if exact else ~torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    differing = int(wrong.count_nonzero())
    return None if differing == 0 else describe_mismatch(got, expected, wrong, differing)


def describe_mismatch(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor, differing: int) -> Mismatch:
    """Returns the first incorrect elements and the largest errors."""
    wide = torch.complex128 if got.is_complex() else torch.float64
    one, other = got[wrong].to(wide), expected[wrong].to(wide)
    absolute = (one - other).abs()
    relative = absolute / other.abs()
    indices = wrong.nonzero()[:PLACES].tolist()
    first = [(index, show(got[tuple(index)]), show(expected[tuple(index)])) for index in indices]
    return Mismatch(differing, got.numel(), largest(absolute), largest(relative), first)


def largest_errors(got: list[torch.Tensor], expected: list[torch.Tensor]) -> messages.OutputErrors | None:
    """Returns the largest absolute and relative errors of outputs that are correct; None where they are not finite. The
    relative error of an element is |got - expected| / (|expected| + 1e-8), as in FlashInfer Trace."""
    absolute = relative = 0.0
    for one, other in zip(got, expected):
        parts = [tensor.reshape(-1).split(ELEMENTS) for tensor in (one, other)]
        for part, right in (map(comparable, pair) for pair in zip(*parts)):
            same = (part == right) | (part.isnan() & right.isnan())
            errors = torch.where(same, torch.zeros((), device=part.device), (part - right).abs())
            if errors.numel():
                absolute = max(absolute, float(errors.max()))
                relative = max(relative, float((errors / (right.abs() + 1e-8)).masked_fill(same, 0).max()))
    return {"absolute": absolute, "relative": relative} if math.isfinite(absolute + relative) else None


def comparable(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the elements as numbers with which PyTorch can calculate; those of four bits as bytes of two."""
    if "float4" in str(tensor.dtype):
        tensor = tensor.view(torch.uint8)
    wide = torch.float64 if tensor.element_size() > 4 else torch.float32
    return tensor if tensor.is_complex() else tensor.to(wide)


def largest(errors: torch.Tensor) -> float | None:
    """Returns the largest finite error; None if there is none."""
    finite = errors[errors.isfinite()]
    return float(finite.max()) if finite.numel() else None


def show(value: torch.Tensor) -> str:
    """Formats a number with as many digits as its dtype has: `0.1`, not `0.10000000149011612`."""
    number = value.item()
    if not isinstance(number, float) or not math.isfinite(number) or value.dtype == torch.float64:
        return str(number)
    return str(float(f"{number:.9g}"))
