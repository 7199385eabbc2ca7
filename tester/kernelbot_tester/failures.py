"""The two ways in which a run can end badly."""

from __future__ import annotations


class Failed(Exception):
    """The kernel's own doing: a class of core's `FAILURE_CLASSES`, a sentence, and the participant's traceback."""

    def __init__(self, failure: str, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.failure = failure
        self.message = message
        self.detail = detail


class NotJudged(Exception):
    """The problem's or the platform's doing: the run ends as `infra_error` and counts against nobody."""
