"""Errors of requests. Those of an evaluation are in `kernelbot.types`."""

from __future__ import annotations


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
