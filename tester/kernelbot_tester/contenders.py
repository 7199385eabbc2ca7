"""The submissions of a judged session: one, or the two of a duel, which run in cells of their own and never at once."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Any, Iterator

from .checked import Workers
from .config import Config
from .device.device import Device
from .failures import Failed
from .problem import Finding
from .ranks import start_workers
from .texts import HeadAndTail
from .workers import PRINTED_KEPT

#: The part of what is left of a stage that one call may take while there are two. A round is begun where 1.2 times the
#: longest so far fits, and a third of it may be one call, which has to fit at its end too.
SHARE_OF_ONE = 3 / 4


class Contender:
    """A submission with its worker. Use as a context manager, so that the worker does not outlive its judge.

    One that fails is out of the session, and its worker is gone; the other goes on."""

    def __init__(
        self, side: str, samples: str, job: dict[str, Any], control: socket.socket, config: Config, devices: list[Device]
    ) -> None:
        #: `A` or `B`; empty where there is but one.
        self.side = side
        #: What its samples are called in a round.
        self.samples = samples
        #: As core's `Job`, with the source that is its own.
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
        """Whether it has not failed."""
        return self.failure is None

    def lose(self, failure: Failed) -> None:
        """It has failed: its worker is killed."""
        self.failure = Failed(failure.failure, self.told(failure.message), failure.detail)
        self._rest = self.worker.take_printed()
        self._stack.close()

    def told(self, message: str) -> str:
        """The message, with the side that it is about."""
        return f"{self.side}: {message}" if self.side else message

    def take_printed(self) -> HeadAndTail | None:
        """What it has printed since the last time."""
        if self.is_in:
            return self.worker.take_printed()
        printed, self._rest = self._rest, None
        return printed


def contenders_of(
    job: dict[str, Any], control: socket.socket, config: Config, devices: list[Device]
) -> Iterator[Contender]:
    """Those of a job; A comes first. What B compiles is not kept, since it may be somebody else's."""
    rival = job.get("rival")
    yield Contender("" if rival is None else "A", "candidateNs", job, control, config, devices)
    if rival is not None:
        other = {key: value for key, value in job.items() if key not in ("account", "rival")}
        yield Contender("B", "rivalNs", {**other, **rival}, control, config, devices)


def still_in(contenders: list[Contender]) -> list[Contender]:
    """Those who have not failed. Raises Failed, the first one's, where nobody is left."""
    left = [one for one in contenders if one.is_in]
    if not left and contenders[0].failure is not None:
        raise contenders[0].failure
    return left


def time_for_one(contenders: list[Contender], deadline: float) -> float:
    """Until when a call of one of them may take: where there are two, one that never ends leaves time for the other."""
    now = time.monotonic()
    return deadline if sum(one.is_in for one in contenders) < 2 else now + SHARE_OF_ONE * (deadline - now)


def together(findings: list[tuple[Contender, Finding]]) -> Finding | None:
    """What is there to say of a case, whoever it was: at most one finding about each. Of a duel's mismatches only that of A
    is told, and only if A is right all the same."""
    if len(findings) == 1 and not findings[0][0].side:
        return findings[0][1]
    mismatch = next((finding.mismatch for one, finding in findings if one.side == "A" and finding.is_right), None)
    return Finding("; ".join(one.told(finding.message) for one, finding in findings), mismatch) if findings else None


def printed_by(contenders: list[Contender]) -> HeadAndTail | None:
    """What they printed since the last time, side by side."""
    if len(contenders) == 1:
        return contenders[0].take_printed()
    printed = HeadAndTail(PRINTED_KEPT)
    for contender in contenders:
        one = contender.take_printed()
        if one is not None:
            printed.add(f"[{contender.side}]\n".encode() + bytes(one.head) + bytes(one.tail))
    return printed if printed.total else None
