"""What a check has found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Found:
    """Core's `ProblemFinding`. `severity`: `error` (the problem must not be opened), `warning` (it should be looked at) or
    `note` (what could not be checked, and why)."""

    severity: str
    check: str
    where: str
    what: str
    todo: str | None

    def document(self) -> dict[str, Any]:
        """As it is reported."""
        return asdict(self)


def error(check: str, where: str, what: str, todo: str) -> Found:
    """The problem is wrong."""
    return Found("error", check, where, what, todo)


def warning(check: str, where: str, what: str, todo: str) -> Found:
    """The problem may be wrong."""
    return Found("warning", check, where, what, todo)


def note(check: str, where: str, what: str, todo: str | None = None) -> Found:
    """Something was not checked."""
    return Found("note", check, where, what, todo)
