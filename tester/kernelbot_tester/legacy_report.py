"""Reads what a harness of the problem's own reports: lines `key: value`, in which a value may go on over many lines.

The text may hold anything, since the submission runs in processes that the harness starts: reading it never fails.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .failures import Failed

#: What begins a value; any other line goes on with the one before.
KEY = re.compile(r"(check|error|test-count|benchmark-count|(?:test|benchmark)\.\d+\.[a-z_]+):(?: |$)")
#: The figures of a timed case, by their keys, as core's `Summary` names them. All but the first are in nanoseconds.
FIGURES = {"runs": "runs", "mean": "meanNs", "std": "stdNs", "err": "errNs", "best": "bestNs", "worst": "worstNs"}
#: Those that are zero where every run took the same time.
MAY_BE_ZERO = ("std", "err")


@dataclass(frozen=True)
class Reported:
    """A report: each key with the first value that it was given, and the keys that were given again."""

    values: dict[str, str]
    repeated: list[str]

    def status(self, kind: str, index: int) -> str | None:
        """`pass`, `fail` or None for a case of the kind `test` or `benchmark`. A timed case passes by its figures."""
        said = self.values.get(f"{kind}.{index}.status")
        if said is None and f"{kind}.{index}.mean" in self.values:
            return "pass"
        return said if said in ("pass", "fail", None) else "fail"

    def message(self, kind: str, index: int) -> str:
        """Why a case failed."""
        for key in ("error", "message"):
            if text := self.values.get(f"{kind}.{index}.{key}", "").strip():
                return text
        return "the output is wrong"

    def summary(self, index: int) -> dict[str, float]:
        """The figures of a timed case. Raises Failed where they are no times."""
        return {name: self._figure(index, key) for key, name in FIGURES.items()}

    def _figure(self, index: int, key: str) -> float:
        text = self.values.get(f"benchmark.{index}.{key}", "")
        try:
            number = int(text) if key == "runs" else float(text)
        except ValueError:
            number = math.nan
        # Beyond 1e300 a score would overflow, and a whole number of many digits is no number of runs.
        if 0 < number < 1e300 or (number == 0 and key in MAY_BE_ZERO):
            return number
        raise Failed("rejected", f"the harness gave {text[:60]!r} as {key} of case {index + 1}, which cannot be")


def read_report(data: bytes) -> Reported:
    """Reads a report, however it is broken."""
    values: dict[str, list[str]] = {}
    repeated: list[str] = []
    # Lines before the first key, and those of a repeated one, go nowhere.
    current: list[str] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        begins = KEY.match(line)
        if begins is None:
            current.append(line)
            continue
        current = [line[begins.end() :]]
        if begins[1] in values:
            repeated.append(begins[1])
        else:
            values[begins[1]] = current
    return Reported({key: "\n".join(lines).rstrip("\r\n") for key, lines in values.items()}, repeated)
