"""Exceptions for the two ways in which a run can end without passing."""

from __future__ import annotations


class Failed(Exception):
    """Failure of the submission: a class of core's `FAILURE_CLASSES`, a sentence, and the participant's traceback."""

    def __init__(self, failure: str, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.failure = failure
        self.message = message
        self.detail = detail


class NotJudged(Exception):
    """Failure of the problem or the platform: the run ends as `infra_error` and does not count against the
    participant."""
