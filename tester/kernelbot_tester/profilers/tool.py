"""A device's profiler, as the judge uses it."""

from __future__ import annotations

import abc
from dataclasses import dataclass

#: The folder of a profile inside its sandbox; `printed.N` there is what command N printed.
FOLDER = "/tmp/profile"


@dataclass(frozen=True)
class DeviceProfiler(abc.ABC):
    """A profiler of this machine. `program` is its absolute path."""

    program: str

    #: What its maker calls it.
    name = ""
    #: How its files end: of its text, and of its report, which has a viewer of its own.
    text_suffix = report_suffix = ""
    #: Where these lie below `FOLDER`, as glob patterns.
    text = report = ""

    @abc.abstractmethod
    def commands(self, target: list[str], calls: int) -> list[list[str]]:
        """What to run, one after the other, so that `target`, which makes so many calls, is profiled."""

    @abc.abstractmethod
    def page(self, text: str) -> str:
        """What of its text is worth reading."""

    def complaint(self, printed: str) -> str:
        """Why there is no report, from what the first command printed."""
        lines = [line.strip() for line in printed.splitlines() if "error" in line.lower()] or [""]
        return f"{self.name} made no report" + (f": {lines[-1][:300]}" if lines[-1] else "")
