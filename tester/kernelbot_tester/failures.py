"""Exceptions for the two ways in which a run can end without passing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .messages import FailureClass, Stage

FailureKind: TypeAlias = FailureClass | Literal["not_here"]


class Failed(Exception):
    """Failure of the submission: its class, a sentence, and the participant's traceback. The class `not_here` occurs only
    in rehearsals, which never report it: the kernel needs a feature of the missing device."""

    def __init__(self, failure: FailureKind, message: str, detail: str | None = None) -> None:
        super().__init__(message)
        self.failure: FailureKind = failure
        self.message = message
        self.detail = detail
        #: The stage in which a submission of several has failed; None in the stage that has started last.
        self.stage: Stage | None = None


class NotJudged(Exception):
    """Failure of the problem or the platform: the run ends as `infra_error`, after further attempts where the platform
    failed. The server counts it against the participant only after another one within the hour."""
