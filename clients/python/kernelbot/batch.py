"""Batches: evaluations that are stored together."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterator

from kernelbot._http import Transport
from kernelbot.types import Evaluation

if TYPE_CHECKING:
    from typing_extensions import Self

#: Maximum time for which the server waits for a result before it responds, in seconds.
MAX_WAIT_S = 25


class Batch:
    """Evaluations that were stored together. Iterating yields `(index, evaluation)` in the order in which they end; the index
    is the place in the request, from 0. As a context manager, it cancels the queued evaluations when it is left early.

    Attributes:
        id: Number of the batch.
        evaluations: Numbers of the evaluations, in the order of the request.
    """

    def __init__(self, transport: Transport, created: Any) -> None:
        self._transport = transport
        self.id: int = created["id"]
        self.evaluations: list[int] = created["evaluations"]
        self._indices = {evaluation: index for index, evaluation in enumerate(self.evaluations)}
        self._is_complete = False

    def __len__(self) -> int:
        return len(self.evaluations)

    def __iter__(self) -> Iterator[tuple[int, Evaluation]]:
        after = 0
        while after < len(self):
            page = self.page(after)
            yield from page
            after += len(page)
        self._is_complete = True

    def page(self, after: int, *, wait: int = MAX_WAIT_S) -> list[tuple[int, Evaluation]]:
        """Returns at most 100 results that follow the first `after` ones, with their indices; none after `wait` seconds, from
        0 to 25.

        Raises:
            UnavailableError: The server could not be reached.
        """
        path = f"/evaluations/batches/{self.id}"
        response = self._transport.request("GET", path, query={"after": after, "wait": wait}, wait=wait)
        return [(self._indices[each["id"]], Evaluation.from_json(each)) for each in response["results"]]

    def results(self) -> list[Evaluation]:
        """Returns all evaluations in the order of the request, once they have ended.

        Raises:
            UnavailableError: The server could not be reached.
        """
        return [evaluation for _, evaluation in sorted(self, key=lambda result: result[0])]

    def cancel(self) -> None:
        """Cancels the queued evaluations. Running ones are still judged.

        Raises:
            UnavailableError: The server could not be reached.
        """
        self._transport.request("DELETE", f"/evaluations/batches/{self.id}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._is_complete:
            self.cancel()
