"""The submissions of one session: one, or the two of a duel, which run in separate cells and never concurrently."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import Iterator

from ..device.device import Device
from ..failures import Failed
from ..messages import Stage
from ..problem.problem import OutputDifference
from ..processes.worker_group import start_workers
from ..processes.sandboxed_process import PRINTED_KEPT_BYTES
from ..untrusted_text import HeadAndTail
from .checked_calls import Workers
from .session import Session

#: Fraction of the remaining stage time that one call may take while there are two submissions. A round starts only
#: where 1.2 times the longest so far fits; one call may be a third of it, and must also fit at the end of the round.
CALL_SHARE = 3 / 4


class Submission:
    """A submission with its worker. Use as a context manager, so that the worker does not outlive its judge.

    A submission that fails leaves the session and its worker is killed; the other continues."""

    def __init__(self, session: Session, devices: list[Device], side: str = "", samples: str = "candidateNs") -> None:
        #: `A` or `B` in a duel; empty otherwise.
        self.side = side
        #: Key of its samples in a round.
        self.samples = samples
        #: Core's `Job`, with the submission's own source.
        self.job = session.job
        self.failure: Failed | None = None
        self._rest: HeadAndTail | None = None
        self._stack = contextlib.ExitStack()
        self.worker: Workers = self._stack.enter_context(start_workers(session.control, session.config, devices))

    def __enter__(self) -> "Submission":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def kill(self) -> None:
        """Kills the worker."""
        self.worker.kill()

    @property
    def is_active(self) -> bool:
        """Whether the submission has not failed."""
        return self.failure is None

    def fail(self, failure: Failed, stage: Stage) -> None:
        """Records a failure in this stage and kills the worker."""
        self.failure = Failed(failure.failure, self.with_side(failure.message), failure.detail)
        self.failure.stage = stage
        self._rest = self.worker.take_printed()
        self._stack.close()

    def with_side(self, message: str) -> str:
        """Returns the message, prefixed with the side in a duel."""
        return f"{self.side}: {message}" if self.side else message

    def take_printed(self) -> HeadAndTail | None:
        """Returns what it has printed since the last call, or None."""
        if self.is_active:
            return self.worker.take_printed()
        printed, self._rest = self._rest, None
        return printed


def submissions_of(session: Session, devices: list[Device]) -> Iterator[Submission]:
    """Yields the submissions of a job, A first. What B compiles is not cached, since B may belong to another
    account."""
    rival = session.job.get("rival")
    yield Submission(session, devices, "" if rival is None else "A")
    if rival is not None:
        other = session.job.copy()
        other.pop("account", None)
        other["source"], other["language"] = rival["source"], rival["language"]
        yield Submission(dataclasses.replace(session, job=other), devices, "B", "rivalNs")


def remaining(submissions: list[Submission]) -> list[Submission]:
    """Returns the submissions that have not failed. Raises the first submission's Failed where none is left."""
    left = [submission for submission in submissions if submission.is_active]
    if not left and submissions[0].failure is not None:
        raise submissions[0].failure
    return left


def call_deadline(submissions: list[Submission], deadline: float) -> float:
    """Returns the deadline of one call. With two submissions, a call that never ends leaves time for the other."""
    now = time.monotonic()
    return deadline if sum(submission.is_active for submission in submissions) < 2 else now + CALL_SHARE * (deadline - now)


def combine(differences: list[tuple[Submission, OutputDifference]]) -> OutputDifference | None:
    """Combines the differences of a case, at most one for each submission. In a duel only A's mismatch is kept, and only
    if A's output is correct by the oracle."""
    if len(differences) == 1 and not differences[0][0].side:
        return differences[0][1]
    mismatch = next((difference.mismatch for submission, difference in differences if submission.side == "A" and difference.is_accepted), None)
    return OutputDifference("; ".join(submission.with_side(difference.message) for submission, difference in differences), mismatch) if differences else None


def take_printed(submissions: list[Submission]) -> HeadAndTail | None:
    """Returns what they printed since the last call, one after the other, or None."""
    if len(submissions) == 1:
        return submissions[0].take_printed()
    printed = HeadAndTail(PRINTED_KEPT_BYTES)
    for submission in submissions:
        one = submission.take_printed()
        if one is not None:
            printed.add(f"[{submission.side}]\n".encode() + bytes(one.head) + bytes(one.tail))
    return printed if printed.total else None
