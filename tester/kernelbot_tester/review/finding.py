"""A finding of the review: core's `ReviewFinding`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .. import messages

Severity = Literal["info", "warning", "suspicious"]
#: In ascending order. info: honest kernels do it too. warning: few honest kernels need it. suspicious: no honest
#: kernel does it.
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "suspicious")


@dataclass(frozen=True)
class ReviewFinding:
    """`line` and `column` count from 1, in characters; `excerpt` is the line, shortened."""

    rule: str
    severity: Severity
    line: int
    column: int
    sentence: str
    excerpt: str

    @property
    def gravity(self) -> int:
        """Position of the severity in `SEVERITIES`."""
        return SEVERITIES.index(self.severity)

    def document(self) -> messages.ReviewFinding:
        """Returns the finding for JSON."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "line": self.line,
            "column": self.column,
            "sentence": self.sentence,
            "excerpt": self.excerpt,
        }
