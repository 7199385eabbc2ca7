"""Client for programs with an event loop: the methods of `kernelbot.client`, run in threads of its own."""

from __future__ import annotations

import asyncio
import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, AsyncIterator, Callable, Iterable, TypeVar

from kernelbot.batch import Batch
from kernelbot.client import Client, seconds_to_wait
from kernelbot.session import AsyncSession
from kernelbot.types import (
    Evaluation,
    EvaluationOptions,
    EvaluationRequest,
    EvaluationTimeoutError,
    Problem,
    ProblemSummary,
    Profile,
    UploadedProblem,
)

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, Self, Unpack

    P = ParamSpec("P")

T = TypeVar("T")


class AsyncClient:
    """Client whose methods are coroutines. A cancelled task cancels its evaluation on the server.

    Args:
        url: As of `Client`.
        token: As of `Client`.
        max_connections: Number of requests at a time. Further ones wait in the client; a batch needs one for all of its
            evaluations.
        timeout: As of `Client`.
        retry_seconds: As of `Client`.

    Raises:
        ValueError: `url` is not an http or https URL.

    Example:
        >>> async with AsyncClient() as client:
        ...     evaluations = await asyncio.gather(*(client.evaluate("vectoradd", code, target="cpu") for code in codes))
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        max_connections: int = 64,
        timeout: float = 30.0,
        retry_seconds: float = 600.0,
    ) -> None:
        self._client = Client(url, token, timeout=timeout, retry_seconds=retry_seconds)
        self._executor = ThreadPoolExecutor(max_connections, thread_name_prefix="kernelbot")

    @property
    def url(self) -> str:
        """Base URL of the server, without a trailing slash."""
        return self._client.url

    async def evaluate(
        self,
        problem: str,
        code: str,
        *,
        target: str,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[EvaluationOptions],
    ) -> Evaluation:
        """Has code judged, and returns the evaluation once it has ended. Arguments and errors are those of `Client.evaluate`.

        Example:
            >>> (await client.evaluate("vectoradd", code, target="cpu", level="test")).reward
            0.3
        """
        request = EvaluationRequest(problem, code, target, **options)
        return await self.wait(await self.submit(request, idempotency_key=idempotency_key), timeout=timeout)

    async def submit(self, request: EvaluationRequest, *, idempotency_key: str | None = None) -> Evaluation:
        """Stores an evaluation and returns it, as `Client.submit`."""
        future = self._executor.submit(self._client.submit, request, idempotency_key=idempotency_key)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(self._cancel_stored)
            raise

    async def get(self, evaluation_id: int, *, wait: int = 0) -> Evaluation:
        """Returns an evaluation, as `Client.get`."""
        return await self._run(self._client.get, evaluation_id, wait=wait)

    async def wait(self, evaluation: Evaluation, *, timeout: float | None = None) -> Evaluation:
        """Returns the evaluation once it has ended, as `Client.wait`. Cancels it after `timeout` seconds, or with the task."""
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while not evaluation.has_ended:
                evaluation = await self.get(evaluation.id, wait=seconds_to_wait(evaluation, deadline))
        except (asyncio.CancelledError, EvaluationTimeoutError):
            # In the loop's own threads: those of the client may all be waiting for results.
            asyncio.get_running_loop().run_in_executor(None, self._client.cancel_quietly, evaluation.id)
            raise
        return evaluation

    async def cancel(self, evaluation_id: int) -> Evaluation:
        """Cancels an evaluation, as `Client.cancel`."""
        return await self._run(self._client.cancel, evaluation_id)

    async def evaluate_batch(
        self, requests: Iterable[EvaluationRequest], *, idempotency_key: str | None = None
    ) -> AsyncBatch:
        """Stores up to 1,000 evaluations. Arguments and errors are those of `Client.evaluate_batch`.

        Example:
            >>> batch = await client.evaluate_batch(EvaluationRequest("vectoradd", code, target="cpu") for code in codes)
            >>> async for index, evaluation in batch:
            ...     print(index, evaluation.outcome, evaluation.reward)
        """
        batch = await self._run(self._client.evaluate_batch, list(requests), idempotency_key=idempotency_key)
        return AsyncBatch(batch, self._executor)

    async def open_session(
        self,
        problem: str,
        *,
        target: str,
        max_evaluations: int,
        max_seconds: int,
        idempotency_key: str | None = None,
    ) -> AsyncSession:
        """Opens a session. Arguments and errors are those of `Client.open_session`.

        Example:
            >>> opening = client.open_session("vectoradd", target="cpu", max_evaluations=20, max_seconds=3600)
            >>> async with await opening as session:
            ...     evaluation = await session.evaluate(code)
        """
        session = await self._run(
            self._client.open_session,
            problem,
            target=target,
            max_evaluations=max_evaluations,
            max_seconds=max_seconds,
            idempotency_key=idempotency_key,
        )
        return AsyncSession(self.evaluate, session, self._executor)

    async def problems(self) -> list[ProblemSummary]:
        """Returns the problems that the caller may see, as `Client.problems`."""
        return await self._run(self._client.problems)

    async def upload_problem(self, folder: str | os.PathLike[str]) -> UploadedProblem:
        """Uploads a problem directory, as `Client.upload_problem`."""
        return await self._run(self._client.upload_problem, folder)

    async def uploaded_problems(self) -> list[UploadedProblem]:
        """Returns the problems that the account has uploaded, as `Client.uploaded_problems`."""
        return await self._run(self._client.uploaded_problems)

    async def delete_uploaded_problem(self, problem: str) -> None:
        """Deletes a problem that the account has uploaded, as `Client.delete_uploaded_problem`."""
        await self._run(self._client.delete_uploaded_problem, problem)

    async def problem(self, name: str) -> Problem:
        """Returns a problem with its description and templates, as `Client.problem`."""
        return await self._run(self._client.problem, name)

    async def profile(self, submission_id: int) -> Profile:
        """Returns the profile of a submission, as `Client.profile`."""
        return await self._run(self._client.profile, submission_id)

    def close(self) -> None:
        """Closes idle connections and ends the threads. The client can no longer be used."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._executor.submit(function, *args, **kwargs))

    def _cancel_stored(self, future: Future[Evaluation]) -> None:
        """Cancels the evaluation of a request whose task was cancelled after it was sent."""
        if not future.cancelled() and future.exception() is None:
            self._client.cancel_quietly(future.result().id)


class AsyncBatch:
    """Evaluations that were stored together. `async for` yields `(index, evaluation)` in the order in which they end; the
    index is the place in the request, from 0.

    Attributes:
        id: Number of the batch.
        evaluations: Numbers of the evaluations, in the order of the request.
    """

    def __init__(self, batch: Batch, executor: ThreadPoolExecutor) -> None:
        self._batch = batch
        self._executor = executor
        self.id = batch.id
        self.evaluations = batch.evaluations

    def __len__(self) -> int:
        return len(self._batch)

    async def __aiter__(self) -> AsyncIterator[tuple[int, Evaluation]]:
        after = 0
        while after < len(self):
            page = await asyncio.wrap_future(self._executor.submit(self._batch.page, after))
            for result in page:
                yield result
            after += len(page)

    async def results(self) -> list[Evaluation]:
        """Returns all evaluations in the order of the request, once they have ended."""
        results = [result async for result in self]
        return [evaluation for _, evaluation in sorted(results, key=lambda result: result[0])]

    async def cancel(self) -> None:
        """Cancels the queued evaluations. Running ones are still judged."""
        await asyncio.wrap_future(self._executor.submit(self._batch.cancel))
