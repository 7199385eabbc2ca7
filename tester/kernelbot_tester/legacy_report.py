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
#: The figures of a timed case, by their keys, as core's `HarnessSummary` names them. All but the first are in nanoseconds.
#: Every harness reports the mean; those of older competitions report no best and worst.
FIGURES = {"runs": "runs", "mean": "meanNs", "std": "stdNs", "err": "errNs", "best": "bestNs", "worst": "worstNs"}
#: Those that are zero where every run took the same time.
MAY_BE_ZERO = ("std", "err")


@dataclass(frozen=True)
class Reported:
    """A report: each key with the first value that it was given, and the keys that were given again."""

    values: dict[str, str]
    repeated: list[str]

    def status(self, key: str) -> str | None:
        """`pass`, `fail` or None for the case that the report calls `key`, as `test.0`. A timed case passes by its mean; a
        case with an error and no status has failed."""
        said = self.values.get(f"{key}.status")
        if said is None:
            if f"{key}.mean" in self.values:
                return "pass"
            return "fail" if f"{key}.error" in self.values else None
        return "pass" if said == "pass" else "fail"

    def message(self, key: str) -> str:
        """Why a case failed."""
        for word in ("error", "message"):
            if text := self.values.get(f"{key}.{word}", "").strip():
                return text
        return "the output is wrong"

    def summary(self, key: str) -> dict[str, float | None]:
        """The figures of a timed case, None for each that the harness does not report. Raises Failed where there is no mean,
        or a figure is not a time."""
        return {name: self._figure(key, figure) for figure, name in FIGURES.items()}

    def _figure(self, key: str, figure: str) -> float | None:
        text = self.values.get(f"{key}.{figure}")
        if text is None and figure != "mean":
            return None
        try:
            number = int(text or "") if figure == "runs" else float(text or "")
        except ValueError:
            number = math.nan
        # Beyond 1e300 a score would overflow; a number of runs is one that JSON readers keep exactly.
        if 0 < number < (2**53 if figure == "runs" else 1e300) or (number == 0 and figure in MAY_BE_ZERO):
            return number
        raise Failed("rejected", f"the harness reports {key}.{figure}: {(text or '')[:60]!r}, which cannot be")

    def names(self, kind: str, lines: list[str]) -> list[str | None]:
        """What the report calls each case of the case file, given as its lines: `benchmark.1`, or None where it omits the
        case.

        A harness that states a smaller `benchmark-count` than the file has cases says by `spec` which they are; without a
        spec they are the last ones, as in harnesses that time the last case only. Raises Failed where a spec is not that
        of one more case of the file."""
        stated = self.values.get(f"{kind}-count", "").strip()
        count = int(stated) if re.fullmatch(r"[0-9]{1,6}", stated) else len(lines)
        if not 0 < count < len(lines):
            return [f"{kind}.{index}" for index in range(len(lines))]
        names: list[str | None] = [None] * len(lines)
        for number in range(count):
            spec = self.values.get(f"{kind}.{number}.spec")
            # The same line may stand in the file twice.
            places = [len(lines) - count + number] if spec is None else find_all(lines, spec.strip())
            place = next((place for place in places if names[place] is None), None)
            if place is None:
                said = f"{kind}.{number}.spec: {(spec or '')[:200]!r}"
                raise Failed("rejected", f"the harness reports {said}, which is not one more of its cases")
            names[place] = f"{kind}.{number}"
        return names

    def failed_case(self) -> str | None:
        """The first case that is reported as failed, by what the report calls it, whether the case file has it or not."""
        keys = (re.fullmatch(r"((?:test|benchmark)\.[0-9]+)\.status", key) for key in self.values)
        return next((found[1] for found in keys if found and self.status(found[1]) == "fail"), None)


def find_all(lines: list[str], line: str) -> list[int]:
    """The indices of a line."""
    return [index for index, each in enumerate(lines) if each == line]


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
