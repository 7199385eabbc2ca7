"""Lines of the inputs that the judge withholds until its clock runs.

A frozen worker cannot read its inputs, but work that it left running on a device can. So some lines still contain the
data of the call before, which looks like valid input; a kernel that starts early computes an incorrect result.
"""

from __future__ import annotations

import numpy
from numpy.typing import NDArray

#: Bytes of a line, and number of lines withheld (all lines of a smaller input).
LINE_BYTES, LINES = 128, 64


def choose_lines(
    extents: list[tuple[int, int]], random: numpy.random.Generator, count: int = LINES
) -> NDArray[numpy.int64]:
    """Returns the numbers of `count` random lines, int64 and ascending, among the lines that contain bytes of the
    extents (offset, bytes). Extents start at whole lines and share none."""
    starts = [offset // LINE_BYTES for offset, _ in extents]
    sizes = numpy.array([-(-size // LINE_BYTES) for _, size in extents], dtype=numpy.int64)
    ends = numpy.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    if total == 0:
        return numpy.zeros(0, numpy.int64)
    chosen = numpy.sort(random.choice(total, min(count, total), replace=False))
    owner = numpy.searchsorted(ends, chosen, side="right")
    begins = ends - sizes
    return numpy.array([starts[o] + c - begins[o] for o, c in zip(owner, chosen)], dtype=numpy.int64)
