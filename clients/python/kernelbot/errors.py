"""Errors of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelbot.types import Evaluation


class KernelBotError(Exception):
    """Base class of the errors that this package raises."""


class ApiError(KernelBotError):
    """The server refused a request, or its response is not one of a KernelBot server.

    Attributes:
        status: HTTP status.
        code: Constant for programs, such as `not_found`; `invalid_response` if the response is not one of KernelBot.
    """

    def __init__(self, message: str, *, status: int, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class UnavailableError(KernelBotError):
    """The server could not be reached, or refused the request with 429, 502, 503 or 504, for as long as the client
    retries."""


class EvaluationError(KernelBotError):
    """An evaluation did not give what was requested.

    Attributes:
        evaluation: The evaluation in its last known state.
    """

    def __init__(self, message: str, evaluation: Evaluation) -> None:
        super().__init__(message)
        self.evaluation = evaluation


class NoRewardError(EvaluationError):
    """An evaluation has ended without a reward: the platform failed, or the evaluation was cancelled or has expired."""


class EvaluationTimeoutError(EvaluationError, TimeoutError):
    """An evaluation had not ended within the caller's timeout, and was cancelled."""
