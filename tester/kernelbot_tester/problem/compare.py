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
        place = "".join(
            f"; at {index}: got {got}, expected {expected}{difference(got, expected)}"
            for index, got, expected in self.first[:1]
        )
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

    Both have the same shape and dtype. NaN is never correct, since a reference may not return it (`is_not_finite`); an
    infinity must be the same infinity. Integers and booleans must be equal.
    """
    exact = not (got.is_floating_point() or got.is_complex())
    if got.dtype == torch.bool:
        # A worker can write any byte into a boolean output.
        got, expected = got.view(torch.uint8), expected.to(torch.uint8)
    elif got.is_floating_point() and got.element_size() < 4:
        got, expected = got.to(torch.float32), expected.to(torch.float32)
    if torch.equal(got, expected):
        return None
    wrong = got != expected if exact else ~torch.isclose(got, expected, rtol=rtol, atol=atol)
    differing = int(wrong.count_nonzero())
    return None if differing == 0 else describe_mismatch(got, expected, wrong, differing)


def is_not_finite(got: torch.Tensor, expected: torch.Tensor, oracle: torch.Tensor | None) -> bool:
    """Whether an expected output judges nothing: it is NaN, or it is infinite where the output is finite, and so the
    reference has overflowed, unless the oracle has the same infinity."""
    if not (expected.is_floating_point() or expected.is_complex()):
        return False
    if expected.element_size() < 4:
        got, expected = got.to(torch.float32), expected.to(torch.float32)
    overflowed = expected.isinf() & got.isfinite()
    if oracle is not None:
        overflowed &= oracle.to(expected.dtype) != expected
    return bool((expected.isnan() | overflowed).any())


def describe_mismatch(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor, differing: int) -> Mismatch:
    """Returns the first incorrect elements and the largest errors."""
    wide = torch.complex128 if got.is_complex() else torch.float64
    one, other = got[wrong].to(wide), expected[wrong].to(wide)
    absolute = (one - other).abs()
    if not (got.is_floating_point() or got.is_complex()):
        # Integers above 2**53 that differ may be the same float64. Differences that int64 cannot hold are not close.
        exact = (got[wrong].to(torch.int64) - expected[wrong].to(torch.int64)).abs().to(wide)
        absolute = torch.where(absolute < 2.0**60, exact, absolute)
    relative = absolute / other.abs()
    indices = wrong.nonzero()[:PLACES].tolist()
    first = [(index, show(got[tuple(index)]), show(expected[tuple(index)])) for index in indices]
    return Mismatch(differing, got.numel(), largest(absolute), largest(relative), first)


def difference(got: str, expected: str) -> str:
    """Returns the difference of two integers in words, such as `, which differs by -1`; nothing of other numbers."""
    if not (got.lstrip("-").isdigit() and expected.lstrip("-").isdigit()):
        return ""
    return f", which differs by {int(got) - int(expected)}"


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
