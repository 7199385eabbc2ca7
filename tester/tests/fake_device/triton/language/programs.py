"""The program that is currently running."""

from __future__ import annotations

import contextlib
from typing import Iterator

#: Numbers of the running program, and sizes of the grid.
running: list[tuple[tuple[int, ...], tuple[int, ...]]] = []


@contextlib.contextmanager
def program(numbers: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[None]:
    """Context manager in which a program runs."""
    running.append((numbers, counts))
    try:
        yield
    finally:
        running.pop()


def check_inside() -> None:
    """Raises where no program is running."""
    if not running:
        raise RuntimeError("a kernel is started by kernel[grid](...), and called from kernels alone")


def number(axis: int) -> int:
    """Returns the program's number on an axis; 0 on an axis that the grid does not have."""
    return [*running[-1][0], 0, 0][axis]


def count(axis: int) -> int:
    """Returns the number of programs on an axis."""
    return [*running[-1][1], 1, 1][axis]
