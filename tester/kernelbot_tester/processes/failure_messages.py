"""Failures of sandboxed processes, in words for the participant."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Iterator, Mapping, cast

from ..failures import Failed, FailureKind, NotJudged
from ..untrusted_text import bounded

INVALID_MESSAGE = "the submission sent the judge an invalid message on the worker's connection"
NOT_STOPPED = "the submission could not be stopped after it had reported completion"


@contextlib.contextmanager
def problem_at_fault() -> Iterator[None]:
    """Converts Failed in its body, which is worded for submissions, into NotJudged."""
    try:
        yield
    except Failed as failure:
        raise NotJudged(failure.message.replace("the submission", "the problem's code")) from None


def late_write_failure() -> Failed:
    """Failure of an output that changes after the worker has signalled completion."""
    return Failed("rejected", "the submission wrote its output after it had reported completion")


def memory_failure(limit_bytes: int) -> Failed:
    """Failure of a cell that was killed because its processes together exceeded the memory limit."""
    limit = f"more than {limit_bytes / (1 << 30):.1f} GiB of memory"
    return Failed("out_of_memory", f"the submission and the processes that it started took {limit}")


def exit_failure(code: int, status: int) -> Failed:
    """Describes an end that waitid reported."""
    if code == os.CLD_EXITED and status == 128 + signal.SIGABRT:
        return Failed("crash", "the submission's process was aborted (SIGABRT)")
    if code == os.CLD_EXITED:
        return Failed("crash", f"the submission ended itself with exit code {status}")
    if status == signal.SIGKILL:
        return Failed(
            "out_of_memory", "the submission's process was killed, most likely because the machine's memory was full"
        )
    try:
        name = signal.Signals(status).name
    except ValueError:
        name = f"signal {status}"
    described = signal.strsignal(status)
    return Failed("crash", f"the submission's process was terminated by {name}" + (f" ({described})" if described else ""))


def reported_failure(error: Mapping[str, object], is_rehearsal: bool = False) -> Failed:
    """Converts an error reported by a worker. Its wording is untrusted. The class `not_here` is accepted only in
    rehearsals."""
    classes = ("compile_error", "crash", "wrong_result", "out_of_memory", *(["not_here"] if is_rehearsal else []))
    failure = cast(FailureKind, error["class"]) if error.get("class") in classes else "crash"
    detail = error.get("detail")
    return Failed(failure, bounded(error.get("message"), 2_000), None if detail is None else bounded(detail))
