"""A finding of the problem checks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ProblemFinding:
    """Core's `ProblemFinding`. `severity`: `error` (the problem must not be opened), `warning` (it should be reviewed)
    or `note` (what could not be checked, and why)."""

    severity: str
    check: str
    where: str
    what: str
    todo: str | None

    def document(self) -> dict[str, Any]:
        """Returns the finding in its reported form."""
        return asdict(self)


def error(check: str, where: str, what: str, todo: str) -> ProblemFinding:
    """Returns a finding of severity `error`."""
    return ProblemFinding("error", check, where, what, todo)


def warning(check: str, where: str, what: str, todo: str) -> ProblemFinding:
    """Returns a finding of severity `warning`."""
    return ProblemFinding("warning", check, where, what, todo)


def note(check: str, where: str, what: str, todo: str | None = None) -> ProblemFinding:
    """Returns a finding of severity `note`."""
    return ProblemFinding("note", check, where, what, todo)
