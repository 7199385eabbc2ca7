"""Which program runs now."""

from __future__ import annotations

import contextlib
from typing import Iterator

#: Numbers of the program that runs, and counts of the grid.
running: list[tuple[tuple[int, ...], tuple[int, ...]]] = []


@contextlib.contextmanager
def program(numbers: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[None]:
    """A program at work."""
    running.append((numbers, counts))
    try:
        yield
    finally:
        running.pop()


def check_inside() -> None:
    """Raises where no program runs."""
    if not running:
        raise RuntimeError("a kernel is started by kernel[grid](...), and called from kernels alone")


def number(axis: int) -> int:
    """The program's number on an axis; 0 on one that the grid does not have."""
    return [*running[-1][0], 0, 0][axis]


def count(axis: int) -> int:
    """How many programs an axis has."""
    return [*running[-1][1], 1, 1][axis]
