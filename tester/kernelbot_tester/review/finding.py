"""What the review says of a place in a source: core's `ReviewFinding`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

#: From harmless to grave. info: honest kernels do it too. warning: few honest kernels need it. suspicious: none does.
SEVERITIES = ("info", "warning", "suspicious")


@dataclass(frozen=True)
class Finding:
    """`line` and `column` count from 1, in characters; `excerpt` is the line, shortened."""

    rule: str
    severity: str
    line: int
    column: int
    sentence: str
    excerpt: str

    @property
    def gravity(self) -> int:
        """Grows with the severity."""
        return SEVERITIES.index(self.severity)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)
