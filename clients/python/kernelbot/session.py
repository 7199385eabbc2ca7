"""Sessions: evaluations of an agent within a budget, with a transcript that a submission can show."""

from __future__ import annotations

import asyncio
import uuid
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Awaitable, Callable, TypeVar

from kernelbot.types import Evaluation, EvaluationOptions, EvaluationSession

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, Self, Unpack

    from kernelbot._http import Transport

    P = ParamSpec("P")

T = TypeVar("T")


class Session:
    """Session that `Client.open_session` opens. As a context manager, it ends the session when it is left.

    Attributes:
        id: Number of the session, such as for `kernelbot submit FILE --session ID`.
        problem: Name of the problem.
        target: Hardware that judges.
        evaluations_left: Number of evaluations that are left, as of the last response.
    """

    def __init__(self, evaluate: Callable[..., Evaluation], transport: Transport, opened: EvaluationSession) -> None:
        #: `Client.evaluate`.
        self._evaluate = evaluate
        self._transport = transport
        self.id = opened.id
        self.problem = opened.problem
        self.target = opened.target
        self.evaluations_left = opened.evaluations_left

    def evaluate(
        self,
        code: str,
        *,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[EvaluationOptions],
    ) -> Evaluation:
        """Has code judged, as `Client.evaluate`, and counts it against the budget.

        Raises:
            ApiError: As `Client.evaluate`, and `conflict` if the session has ended or has no evaluation left.
            EvaluationTimeoutError: The evaluation had not ended within `timeout`.
            UnavailableError: The server could not be reached.
        """
        chosen: EvaluationOptions = {**options, "session": self.id}
        evaluation = self._evaluate(
            self.problem, code, target=self.target, timeout=timeout, idempotency_key=idempotency_key, **chosen
        )
        if evaluation.session is not None:
            self.evaluations_left = evaluation.session.evaluations_left
        return evaluation

    def note(self, text: str, *, idempotency_key: str | None = None) -> None:
        """Adds a text to the transcript, of at most 4,000 characters; a session has at most 100.

        Raises:
            ApiError: `conflict` if the session has ended or has the maximum number of notes.
            UnavailableError: The server could not be reached.
        """
        key = idempotency_key or str(uuid.uuid4())
        self._update(self._transport.request("POST", f"{self._path}/notes", body={"text": text}, key=key))

    def refresh(self) -> EvaluationSession:
        """Returns the session with the rest of its budget, and updates `evaluations_left`.

        Raises:
            ApiError: `not_found` for a session that has been deleted.
            UnavailableError: The server could not be reached.
        """
        return self._update(self._transport.request("GET", self._path))

    def end(self) -> EvaluationSession:
        """Ends the session. Evaluations that are queued or running are still judged.

        Raises:
            UnavailableError: The server could not be reached.
        """
        return self._update(self._transport.request("DELETE", self._path))

    def transcript(self) -> dict[str, Any]:
        """Returns the transcript as the HTTP API does: `steps` in their order, and the code by its hash in `sources`.

        Raises:
            ApiError: `not_found` for a session that has been deleted.
            UnavailableError: The server could not be reached.
        """
        return self._transport.request("GET", f"{self._path}/transcript")

    def attach(self, submission: int) -> None:
        """Attaches the transcript to a submission of the same account to the same problem.

        Raises:
            ApiError: `not_found`, or `conflict` if the submission has another transcript.
            UnavailableError: The server could not be reached.
        """
        self._transport.request("PUT", f"/submissions/{submission}/transcript", body={"session": self.id})

    @property
    def _path(self) -> str:
        return f"/evaluation-sessions/{self.id}"

    def _update(self, response: Any) -> EvaluationSession:
        session = EvaluationSession.from_json(response)
        self.evaluations_left = session.evaluations_left
        return session

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.end()


class AsyncSession:
    """Session whose methods are coroutines. `AsyncClient.open_session` opens it; `async with` ends it.

    Attributes:
        id: Number of the session.
        problem: Name of the problem.
        target: Hardware that judges.
    """

    def __init__(
        self, evaluate: Callable[..., Awaitable[Evaluation]], session: Session, executor: ThreadPoolExecutor
    ) -> None:
        #: `AsyncClient.evaluate`.
        self._evaluate = evaluate
        self._session = session
        self._executor = executor
        self.id = session.id
        self.problem = session.problem
        self.target = session.target

    @property
    def evaluations_left(self) -> int:
        """Number of evaluations that are left, as of the last response."""
        return self._session.evaluations_left

    async def evaluate(
        self,
        code: str,
        *,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[EvaluationOptions],
    ) -> Evaluation:
        """Has code judged, as `Session.evaluate`. A cancelled task cancels the evaluation."""
        chosen: EvaluationOptions = {**options, "session": self.id}
        evaluation = await self._evaluate(
            self.problem, code, target=self.target, timeout=timeout, idempotency_key=idempotency_key, **chosen
        )
        if evaluation.session is not None:
            self._session.evaluations_left = evaluation.session.evaluations_left
        return evaluation

    async def note(self, text: str, *, idempotency_key: str | None = None) -> None:
        """Adds a text to the transcript, as `Session.note`."""
        await self._run(self._session.note, text, idempotency_key=idempotency_key)

    async def refresh(self) -> EvaluationSession:
        """Returns the session with the rest of its budget, as `Session.refresh`."""
        return await self._run(self._session.refresh)

    async def end(self) -> EvaluationSession:
        """Ends the session, as `Session.end`."""
        return await self._run(self._session.end)

    async def transcript(self) -> dict[str, Any]:
        """Returns the transcript, as `Session.transcript`."""
        return await self._run(self._session.transcript)

    async def attach(self, submission: int) -> None:
        """Attaches the transcript to a submission, as `Session.attach`."""
        await self._run(self._session.attach, submission)

    async def _run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._executor.submit(function, *args, **kwargs))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.end()
