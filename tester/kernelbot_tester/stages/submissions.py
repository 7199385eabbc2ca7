"""The submissions of one session: one, or the two of a duel, which run in separate cells and never concurrently."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Any, Iterator

from ..device.device import Device
from ..failures import Failed
from ..problem.problem import Finding
from ..processes.ranks import start_workers
from ..processes.worker_process import PRINTED_KEPT
from ..sandbox.config import Config
from ..untrusted_text import HeadAndTail
from .checked_calls import Workers

#: Fraction of the remaining stage time that one call may take while there are two contenders. A round starts only
#: where 1.2 times the longest so far fits; one call may be a third of it, and must also fit at the end of the round.
SHARE_OF_ONE = 3 / 4


class Contender:
    """A submission with its worker. Use as a context manager, so that the worker does not outlive its judge.

    A contender that fails leaves the session and its worker is killed; the other continues."""

    def __init__(
        self, side: str, samples: str, job: dict[str, Any], control: socket.socket, config: Config, devices: list[Device]
    ) -> None:
        #: `A` or `B` in a duel; empty otherwise.
        self.side = side
        #: Key of its samples in a round.
        self.samples = samples
        #: Core's `Job`, with the contender's own source.
        self.job = job
        self.failure: Failed | None = None
        self._rest: HeadAndTail | None = None
        self._stack = contextlib.ExitStack()
        self.worker: Workers = self._stack.enter_context(start_workers(control, config, devices))

    def __enter__(self) -> "Contender":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def is_in(self) -> bool:
        """Whether the contender has not failed."""
        return self.failure is None

    def lose(self, failure: Failed) -> None:
        """Records a failure and kills the worker."""
        self.failure = Failed(failure.failure, self.told(failure.message), failure.detail)
        self._rest = self.worker.take_printed()
        self._stack.close()

    def told(self, message: str) -> str:
        """Returns the message, prefixed with the side in a duel."""
        return f"{self.side}: {message}" if self.side else message

    def take_printed(self) -> HeadAndTail | None:
        """Returns what it has printed since the last call, or None."""
        if self.is_in:
            return self.worker.take_printed()
        printed, self._rest = self._rest, None
        return printed


def contenders_of(
    job: dict[str, Any], control: socket.socket, config: Config, devices: list[Device]
) -> Iterator[Contender]:
    """Yields the contenders of a job, A first. What B compiles is not cached, since B may belong to another
    account."""
    rival = job.get("rival")
    yield Contender("" if rival is None else "A", "candidateNs", job, control, config, devices)
    if rival is not None:
        other = {key: value for key, value in job.items() if key not in ("account", "rival")}
        yield Contender("B", "rivalNs", {**other, **rival}, control, config, devices)


def still_in(contenders: list[Contender]) -> list[Contender]:
    """Returns the contenders that have not failed. Raises the first contender's Failed where none is left."""
    left = [one for one in contenders if one.is_in]
    if not left and contenders[0].failure is not None:
        raise contenders[0].failure
    return left


def time_for_one(contenders: list[Contender], deadline: float) -> float:
    """Returns the deadline of one call. With two contenders, a call that never ends leaves time for the other."""
    now = time.monotonic()
    return deadline if sum(one.is_in for one in contenders) < 2 else now + SHARE_OF_ONE * (deadline - now)


def together(findings: list[tuple[Contender, Finding]]) -> Finding | None:
    """Combines the findings of a case, at most one for each contender. In a duel only A's mismatch is kept, and only
    if A's output is correct by the oracle."""
    if len(findings) == 1 and not findings[0][0].side:
        return findings[0][1]
    mismatch = next((finding.mismatch for one, finding in findings if one.side == "A" and finding.is_right), None)
    return Finding("; ".join(one.told(finding.message) for one, finding in findings), mismatch) if findings else None


def printed_by(contenders: list[Contender]) -> HeadAndTail | None:
    """Returns what they printed since the last call, one after the other, or None."""
    if len(contenders) == 1:
        return contenders[0].take_printed()
    printed = HeadAndTail(PRINTED_KEPT)
    for contender in contenders:
        one = contender.take_printed()
        if one is not None:
            printed.add(f"[{contender.side}]\n".encode() + bytes(one.head) + bytes(one.tail))
    return printed if printed.total else None
