"""The static review in a process of its own, so that no source can occupy the judge."""

from __future__ import annotations

from .. import messages
from ..sandbox.child import Child, ChildLimits
from . import review, unread

#: Limits of the process. The review ends itself earlier (`source.MAX_S`), except within one step of a rule.
LIMITS = ChildLimits(processor_s=2, memory_bytes=512 << 20)
#: Timeout in seconds of a process that gets no processor time. It fails no submission, so it may be short.
STARVED_S = 60.0


class ReviewProcess:
    """A running review. Use as a context manager."""

    def __init__(self, source: str) -> None:
        self.child = Child(lambda: [finding.document() for finding in review(source)], LIMITS)

    def __enter__(self) -> "ReviewProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.child.__exit__()

    def findings(self) -> list[messages.ReviewFinding]:
        """Waits for the findings. A review that did not end within its limits is itself a finding."""
        findings = self.child.answer(STARVED_S)
        return [unread(f"it takes more than {LIMITS.processor_s} s of processor time or too much memory, or this machine is very busy").document()] if findings is None else findings
