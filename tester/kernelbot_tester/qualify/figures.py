"""Results of a check."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from ..messages import QualificationCheck, QualificationCheckFigure


@dataclass(frozen=True)
class Figure:
    """A measured number; its unit is `us`, `ms`, `s`, `%`, `GB/s`, `Gop/s`, or what is counted."""

    name: str
    value: float
    unit: str

    def text(self) -> str:
        """Formats the figure with three digits."""
        return f"{self.name} {rounded(self.value)} {self.unit}"


@dataclass(frozen=True)
class Row:
    """One result: core's `QualificationCheck`. `fix` says what to do where the row is not ok."""

    name: str
    #: None: the check was not run, which prevents qualification too.
    ok: bool | None
    detail: str
    fix: str | None = None
    figures: Sequence[Figure] = ()
    #: The machine does not support the subject of the check, and can qualify without it.
    absent: bool = False

    def document(self) -> QualificationCheck:
        """Returns the row for JSON."""
        figures: list[QualificationCheckFigure] = [
            {"name": figure.name, "value": figure.value, "unit": figure.unit} for figure in self.figures if math.isfinite(figure.value)
        ]
        fix = None if self.ok else self.fix
        return {"name": self.name, "ok": self.ok, "detail": self.detail[:4000], "fix": fix, "figures": figures}


#: Prefix of a row by its result.
MARKS = {True: "ok ", False: "NOT", None: "-- "}


def table(rows: Sequence[Row]) -> list[str]:
    """Formats each row as a line, followed by its figures, then by the fix. `--` marks checks that were not run."""
    width = max((len(row.name) for row in rows), default=0)
    lines: list[str] = []
    for row in rows:
        lines.append(f"{MARKS[row.ok]} {row.name:{width}}  {row.detail}")
        indent = " " * (width + 6)
        lines += [f"{indent}{figure.text()}" for figure in row.figures]
        if not row.ok and row.fix is not None:
            lines.append(f"{indent}-> {row.fix}")
    return lines


def rounded(value: float) -> str:
    """Formats a number with three digits."""
    if value == int(value) or abs(value) < 1e-6:
        return f"{value:g}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def variation(values: Sequence[float]) -> float:
    """Returns the standard deviation over the mean, in per cent, of at least two values."""
    mean = sum(values) / len(values)
    return 100 * math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1)) / mean


def quantile(values: Sequence[float], part: float) -> float:
    """Returns the smallest value that at least this fraction of the values does not exceed."""
    return sorted(values)[math.ceil(part * len(values)) - 1]
