"""Compares an output with the expected output and describes the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from .. import messages

#: Maximum number of differing elements that a mismatch lists.
PLACES = 10


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
