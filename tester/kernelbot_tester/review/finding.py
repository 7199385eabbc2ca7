"""A finding of the review: core's `ReviewFinding`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

#: In ascending order. info: honest kernels do it too. warning: few honest kernels need it. suspicious: no honest
#: kernel does it.
SEVERITIES = ("info", "warning", "suspicious")


@dataclass(frozen=True)
class ReviewFinding:
    """`line` and `column` count from 1, in characters; `excerpt` is the line, shortened."""

    rule: str
    severity: str
    line: int
    column: int
    sentence: str
    excerpt: str

    @property
    def gravity(self) -> int:
        """Position of the severity in `SEVERITIES`."""
        return SEVERITIES.index(self.severity)

    def document(self) -> dict[str, Any]:
        """Returns the finding for JSON."""
        return asdict(self)
