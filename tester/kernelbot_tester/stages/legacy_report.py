"""Reads the report of a problem's own harness: lines `key: value`, where a value may continue over several lines.

The text is untrusted, since the submission runs in processes that the harness starts. Reading it never fails.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import cast

from ..failures import Failed
from ..messages import HarnessSummary

#: Start of a value; any other line continues the value before it.
KEY = re.compile(r"(check|error|test-count|benchmark-count|(?:test|benchmark)\.\d+\.[a-z_]+):(?: |$)")
#: Figures of a timed case by their keys, with their names in core's `HarnessSummary`. All but the first are in
#: nanoseconds. Every harness reports the mean; harnesses of older competitions report no best and worst.
FIGURES = {"runs": "runs", "mean": "meanNs", "std": "stdNs", "err": "errNs", "best": "bestNs", "worst": "worstNs"}
#: Figures that are zero where every run took the same time.
MAY_BE_ZERO = ("std", "err")


@dataclass(frozen=True)
class Reported:
    """A report: the first value of each key, and the keys that occurred again."""

    values: dict[str, str]
    repeated: list[str]

    def status(self, key: str) -> str | None:
        """Returns `pass`, `fail` or None (no outcome reported) for the case with the prefix `key`, such as `test.0`. A
        timed case with a mean passes; a case with an error and no status has failed."""
        status = self.values.get(f"{key}.status")
        if status is None:
            if f"{key}.mean" in self.values:
                return "pass"
            return "fail" if f"{key}.error" in self.values else None
        return "pass" if status == "pass" else "fail"

    def message(self, key: str) -> str:
        """Returns why a case failed."""
        for word in ("error", "message"):
            if text := self.values.get(f"{key}.{word}", "").strip():
                return text
        return "the output is incorrect"

    def summary(self, key: str) -> HarnessSummary:
        """Returns the figures of a timed case, None for each that the harness does not report. Raises Failed where
        there is no mean, or a figure is not a valid number."""
        return cast(HarnessSummary, {name: self._figure(key, figure) for figure, name in FIGURES.items()})

    def _figure(self, key: str, figure: str) -> float | None:
        text = self.values.get(f"{key}.{figure}")
        if text is None and figure != "mean":
            return None
        try:
            number = int(text or "") if figure == "runs" else float(text or "")
        except ValueError:
            number = math.nan
        # Beyond 1e300 a score would overflow; a number of runs is one that JSON readers represent exactly.
        if 0 < number < (2**53 if figure == "runs" else 1e300) or (number == 0 and figure in MAY_BE_ZERO):
            return number
        raise Failed("rejected", f"the harness reports {key}.{figure}: {(text or '')[:60]!r}, which is not possible")

    def names(self, kind: str, lines: list[str]) -> list[str | None]:
        """Returns the report's key of each line of the case file, such as `benchmark.1`, or None where the report
        omits the case.

        A harness that reports a smaller `benchmark-count` than the file has cases identifies them by `spec`; without a
        spec they are the last cases, as in harnesses that time only the last one. Raises Failed where a spec does not
        match a further case of the file."""
        stated = self.values.get(f"{kind}-count", "").strip()
        count = int(stated) if re.fullmatch(r"[0-9]{1,6}", stated) else len(lines)
        if not 0 < count < len(lines):
            return [f"{kind}.{index}" for index in range(len(lines))]
        names: list[str | None] = [None] * len(lines)
        for number in range(count):
            spec = self.values.get(f"{kind}.{number}.spec")
            # The same line may occur in the file twice.
            places = [len(lines) - count + number] if spec is None else find_all(lines, spec.strip())
            place = next((place for place in places if names[place] is None), None)
            if place is None:
                line = f"{kind}.{number}.spec: {(spec or '')[:200]!r}"
                raise Failed("rejected", f"the harness reports {line}, which is not one more of its cases")
            names[place] = f"{kind}.{number}"
        return names

    def failed_case(self) -> str | None:
        """Returns the key of the first case that is reported as failed, whether the case file has it or not; else
        None."""
        keys = (re.fullmatch(r"((?:test|benchmark)\.[0-9]+)\.status", key) for key in self.values)
        return next((found[1] for found in keys if found and self.status(found[1]) == "fail"), None)


def find_all(lines: list[str], line: str) -> list[int]:
    """Returns the indices of a line."""
    return [index for index, each in enumerate(lines) if each == line]


def read_report(data: bytes) -> Reported:
    """Parses a report. Accepts any bytes."""
    values: dict[str, list[str]] = {}
    repeated: list[str] = []
    # Lines before the first key, and values of a repeated key, are dropped.
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
