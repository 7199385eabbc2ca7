"""Client for programs without an event loop. `kernelbot.aio` has the same methods for asyncio."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Iterable

from kernelbot._http import Transport
from kernelbot.batch import MAX_WAIT_S, Batch
from kernelbot.errors import KernelBotError
from kernelbot.session import Session
from kernelbot.settings import read_settings
from kernelbot.types import (
    Evaluation,
    EvaluationOptions,
    EvaluationRequest,
    EvaluationSession,
    EvaluationTimeoutError,
    Problem,
    ProblemSummary,
    Profile,
    UploadedProblem,
)

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Client:
    """Client of a server. Its methods may be called from several threads, and it may be pickled.

    A request that fails because the connection is lost, a limit is reached (429) or the server is restarting (503) is
    repeated with the same idempotency key, so the code is judged once.

    Args:
        url: Base URL of the server. Default: KERNELBOT_SERVER, else the server that `kernelbot login` stored, else
            http://127.0.0.1:8080.
        token: Token with the scopes `submit` and `read`. Default: KERNELBOT_TOKEN, else the token that `kernelbot login`
            stored for this server.
        timeout: Seconds without an answer after which a connection counts as lost.
        retry_seconds: Seconds after the first failure for which a request is repeated.

    Raises:
        ValueError: `url` is not an http or https URL.

    Example:
        >>> client = Client("https://kernels.example.org", "kb_...")
        >>> client.evaluate("vectoradd", code, target="cpu", level="test").reward
        0.3
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, timeout: float = 30.0, retry_seconds: float = 600.0
    ) -> None:
        settings = read_settings(url, token)
        self._transport = Transport(settings.url, settings.token, timeout=timeout, retry_seconds=retry_seconds)

    @property
    def url(self) -> str:
        """Base URL of the server, without a trailing slash."""
        return self._transport.url

    def evaluate(
        self,
        problem: str,
        code: str,
        *,
        target: str,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[EvaluationOptions],
    ) -> Evaluation:
        """Has code judged, and returns the evaluation once it has ended.

        The evaluation is cancelled if the call is interrupted.

        Args:
            problem: Name of the problem, or the reference that `upload_problem` returned.
            code: The whole source.
            target: Hardware that judges, such as `cpu` or `H100`.
            timeout: Seconds after which the evaluation is cancelled; None for no limit.
            idempotency_key: At most 200 characters. Evaluations with the same key are one. Default: a random key.
            options: Fields of `EvaluationRequest`: language, level, rule, priority, deadline_seconds, fresh, tags.

        Raises:
            ApiError: The server refuses the request: `unauthorized`, `forbidden`, `not_found` for an unknown problem,
                `unprocessable` for code that is not a source, such as an empty one, or `too_large`.
            EvaluationTimeoutError: The evaluation had not ended within `timeout`.
            UnavailableError: The server could not be reached.

        Example:
            >>> evaluation = client.evaluate("vectoradd", code, target="cpu", rule="step@1", tags={"group": "7"})
            >>> if evaluation.reward is None:
            ...     skip()
        """
        request = EvaluationRequest(problem, code, target, **options)
        return self.wait(self.submit(request, idempotency_key=idempotency_key), timeout=timeout)

    def submit(self, request: EvaluationRequest, *, idempotency_key: str | None = None) -> Evaluation:
        """Stores an evaluation and returns it, usually without a result yet.

        Raises:
            ApiError: The server refuses the request, as in `evaluate`.
            UnavailableError: The server could not be reached.
        """
        return Evaluation.from_json(
            self._transport.request("POST", "/evaluations", body=request.to_json(), key=idempotency_key or _new_key())
        )

    def get(self, evaluation_id: int, *, wait: int = 0) -> Evaluation:
        """Returns an evaluation as soon as it has ended, or its state after `wait` seconds, from 0 to 25.

        Raises:
            ApiError: `not_found` for an evaluation that is not the caller's or has been deleted.
            UnavailableError: The server could not be reached.
        """
        path = f"/evaluations/{evaluation_id}"
        return Evaluation.from_json(self._transport.request("GET", path, query={"wait": wait}, wait=wait))

    def wait(self, evaluation: Evaluation, *, timeout: float | None = None) -> Evaluation:
        """Returns the evaluation once it has ended. Cancels it after `timeout` seconds, or if the call is interrupted.

        Raises:
            ApiError: `not_found` for an evaluation that has been deleted.
            EvaluationTimeoutError: The evaluation had not ended within `timeout`.
            UnavailableError: The server could not be reached.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while not evaluation.has_ended:
                evaluation = self.get(evaluation.id, wait=seconds_to_wait(evaluation, deadline))
        except (KeyboardInterrupt, EvaluationTimeoutError):
            self.cancel_quietly(evaluation.id)
            raise
        return evaluation

    def cancel(self, evaluation_id: int) -> Evaluation:
        """Cancels an evaluation that is queued or running, and returns it. One that has ended is unchanged.

        Raises:
            ApiError: `not_found` for an evaluation that is not the caller's or has been deleted.
            UnavailableError: The server could not be reached.
        """
        return Evaluation.from_json(self._transport.request("DELETE", f"/evaluations/{evaluation_id}"))

    def cancel_quietly(self, evaluation_id: int) -> None:
        """Tries once to cancel an evaluation."""
        try:
            self._transport.request("DELETE", f"/evaluations/{evaluation_id}", retry_seconds=0)
        except KernelBotError:
            pass

    def evaluate_batch(self, requests: Iterable[EvaluationRequest], *, idempotency_key: str | None = None) -> Batch:
        """Stores up to 1,000 evaluations, all of them or none, and returns a batch that iterates over their results.

        Args:
            requests: The evaluations.
            idempotency_key: At most 200 characters. Repeating the same batch with the same key returns the first one, so
                that a restarted program continues with its results. Default: a random key.

        Raises:
            ApiError: The server refuses the batch. The message names the evaluation.
            UnavailableError: The server could not be reached, or had no place for the batch.

        Example:
            >>> requests = [EvaluationRequest("vectoradd", code, target="cpu") for code in codes]
            >>> with client.evaluate_batch(requests) as batch:
            ...     for index, evaluation in batch:
            ...         print(index, evaluation.outcome, evaluation.reward)
        """
        body = {"evaluations": [request.to_json() for request in requests]}
        path = "/evaluations/batches"
        return Batch(self._transport, self._transport.request("POST", path, body=body, key=idempotency_key or _new_key()))

    def open_session(
        self,
        problem: str,
        *,
        target: str,
        max_evaluations: int,
        max_seconds: int,
        idempotency_key: str | None = None,
    ) -> Session:
        """Opens a session: a budget of evaluations for one problem and target, with a transcript.

        Args:
            problem: Name of the problem.
            target: Hardware that judges, such as `cpu` or `H100`.
            max_evaluations: Number of evaluations, from 1 to 500. Cached and cancelled ones count; those that the platform
                failed to judge, or that expired in the queue, do not.
            max_seconds: Seconds until the session ends by itself, from 1 to 604,800.
            idempotency_key: At most 200 characters. Sessions with the same key are one. Default: a random key.

        Raises:
            ApiError: The server refuses the request.
            UnavailableError: The server could not be reached.

        Example:
            >>> with client.open_session("vectoradd", target="cpu", max_evaluations=20, max_seconds=3600) as session:
            ...     while session.evaluations_left > 0:
            ...         evaluation = session.evaluate(next_code())
        """
        body = {"problem": problem, "target": target, "maxEvaluations": max_evaluations, "maxSeconds": max_seconds}
        key = idempotency_key or _new_key()
        opened = self._transport.request("POST", "/evaluation-sessions", body=body, key=key)
        return Session(self.evaluate, self._transport, EvaluationSession.from_json(opened))

    def problems(self) -> list[ProblemSummary]:
        """Returns the problems that the caller may see, by name.

        Raises:
            ApiError: The server refuses the token.
            UnavailableError: The server could not be reached.
        """
        response = self._transport.request("GET", "/problems")
        return [ProblemSummary.from_json(each) for each in response.get("problems", ())]

    def upload_problem(self, folder: str | os.PathLike[str]) -> UploadedProblem:
        """Uploads a problem directory for the caller's evaluations, without adding a problem to the server. Uploading the same
        directory again changes nothing. Only the account that uploaded it can evaluate code for it. The server deletes it some
        days after its last use.

        Args:
            folder: Directory with a `task.yml`. The files at its top level are sent, except hidden ones. A problem that
                shares files with other directories is uploaded by `kernelbot evaluate --problem` instead.

        Raises:
            ApiError: `forbidden` without the role organiser and the scope `admin`; `unprocessable` for an invalid problem;
                `conflict` if the account has uploaded too many.
            OSError: The directory cannot be read.
            UnavailableError: The server could not be reached.

        Example:
            >>> problem = client.upload_problem("problems/mine/double").problem
            >>> client.evaluate(problem, code, target="cpu").reward
            0.3
        """
        path = Path(folder).resolve()
        files = {f"{path.name}/{each.name}": _text(each) for each in path.iterdir() if _is_part(each)}
        response = self._transport.request("POST", "/evaluations/problems", body={"files": files})
        return UploadedProblem.from_json(response)

    def uploaded_problems(self) -> list[UploadedProblem]:
        """Returns the problems that the account has uploaded and the server has not deleted, the last used first.

        Raises:
            UnavailableError: The server could not be reached.
        """
        response = self._transport.request("GET", "/evaluations/problems")
        return [UploadedProblem.from_json(each) for each in response.get("problems", ())]

    def delete_uploaded_problem(self, problem: str) -> None:
        """Deletes a problem that the account has uploaded. Evaluations that have ended keep their results.

        Args:
            problem: What `upload_problem` returned, `sha256:` and a hash.

        Raises:
            ApiError: `conflict` while evaluations for it are queued or running; `not_found`.
            UnavailableError: The server could not be reached.

        Example:
            >>> for upload in client.uploaded_problems():
            ...     if upload.name == "double" and upload.open_evaluations == 0:
            ...         client.delete_uploaded_problem(upload.problem)
        """
        self._transport.request("DELETE", f"/evaluations/problems/{problem}")

    def problem(self, name: str) -> Problem:
        """Returns a problem with its description and templates.

        Raises:
            ApiError: `not_found`.
            UnavailableError: The server could not be reached.
        """
        return Problem.from_json(self._transport.request("GET", f"/problems/{name}"))

    def profile(self, submission_id: int) -> Profile:
        """Returns the profile of the caller's submission in mode `profile`, as the page of the submission shows it.

        Raises:
            ApiError: `not_found`, also for the submission of another account.
            UnavailableError: The server could not be reached.

        Example:
            >>> summary = client.profile(12).traces[0].summary
            >>> summary.operations[0].name, summary.operations[0].share
            ('aten::add', 0.7)
        """
        return Profile.from_json(self._transport.request("GET", f"/submissions/{submission_id}/profile"))

    def close(self) -> None:
        """Closes the idle connections. The client can still be used."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def seconds_to_wait(evaluation: Evaluation, deadline: float | None) -> int:
    """Returns for how long the server may wait, in whole seconds from 1.

    Raises:
        EvaluationTimeoutError: The deadline, on the monotonic clock, has passed.
    """
    if deadline is None:
        return MAX_WAIT_S
    rest = deadline - time.monotonic()
    if rest <= 0:
        message = f"evaluation {evaluation.id} of {evaluation.problem} was still {evaluation.state} at the timeout"
        raise EvaluationTimeoutError(message, evaluation)
    return max(1, min(MAX_WAIT_S, round(rest)))


def _is_part(file: Path) -> bool:
    return file.is_file() and not file.name.startswith(".")


def _text(file: Path) -> str | None:
    """Returns the content of a file without a byte order mark; None if it is not UTF-8, which the server reports."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _new_key() -> str:
    return str(uuid.uuid4())
