"""Interface of a device profiler for the judge."""

from __future__ import annotations

import abc
from dataclasses import dataclass

#: Folder of a profile inside its sandbox; `printed.N` in it is the output of command N.
FOLDER = "/tmp/profile"


@dataclass(frozen=True)
class DeviceProfiler(abc.ABC):
    """A profiler of this machine. `program` is its absolute path."""

    program: str

    #: The vendor's name of it.
    name = ""
    #: File name endings of its text, and of its report, which has its own viewer.
    text_suffix = report_suffix = ""
    #: Glob patterns of both below `FOLDER`.
    text = report = ""

    @abc.abstractmethod
    def commands(self, target: list[str], calls: int) -> list[list[str]]:
        """Returns the commands to run, one after the other, to profile `target`, which makes this number of calls."""

    @abc.abstractmethod
    def page(self, text: str) -> str:
        """Returns the part of its text that is shown."""

    def complaint(self, printed: str) -> str:
        """Returns why there is no report, from the output of the first command."""
        lines = [line.strip() for line in printed.splitlines() if "error" in line.lower()] or [""]
        return f"{self.name} made no report" + (f": {lines[-1][:300]}" if lines[-1] else "")
