"""Turns of runs on one machine, for testers that run there at the same time: any number of runs that are not timed, or
one that is timed alone, or any number that are timed call by call.

Locked files (flock(2)), so that the kernel ends the turn of a process that dies. Each of two kinds of turn has a file: a
run waits until the file of the other kind is free, and then shares that of its own; a run that is timed alone locks both.
While it waits it holds the queue, at which new turns wait too: otherwise they could delay it forever. Runs that are timed
call by call share the file of the calls, and lock it for each call; that file has a queue too.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Generator, NoReturn, Sequence

from ..failures import NotJudged

#: Maximum time that a run may wait for its turns, in seconds: less than the host allows a judge beyond the limits of its
#: stages.
WAIT_S = 280.0
FILES = ("queue", "untimed", "timed", "calls.queue", "calls")


class MachineTurns:
    """The turns of a device. `devices`: the names of the accelerators; empty: the processor."""

    def __init__(self, devices: Sequence[str] = ()) -> None:
        key = hashlib.sha256("\n".join(devices).encode()).hexdigest()[:16] if devices else "cpu"
        folder = Path(tempfile.gettempdir()) / f"kernelbot-turns-{os.getuid()}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            if folder.lstat().st_uid != os.getuid():
                raise PermissionError(f"{folder} belongs to another user")
            self.files = [os.open(folder / f"{key}.{name}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600) for name in FILES]
        except OSError as error:
            print(f"other testers on this machine can disturb this one: {error}", file=sys.stderr, flush=True)
            self.files = [os.memfd_create("turns") for _ in FILES]

    def open(self) -> "Turn":
        """Returns a turn that can be taken in this process, independent of those of its parent and children."""
        return Turn([os.open(f"/proc/self/fd/{file}", os.O_RDWR) for file in self.files])


class Turn:
    """The turn of one process, which ends with it. Its main thread waits."""

    def __init__(self, files: list[int]) -> None:
        self.files = files
        self.queue, self.with_untimed, self.with_timed, self.calls_queue, self.calls = files
        #: Whether other runs are timed in the same turn.
        self.is_call_by_call = False
        #: Time for which it has waited so far, in seconds.
        self.waited_s = 0.0

    def close(self) -> None:
        """Closes the files, which ends the turn."""
        for file in self.files:
            os.close(file)

    def untimed(self) -> None:
        """Waits until no run is timed. Raises NotJudged."""
        self._share(self.with_untimed, self.with_timed)

    def timed(self) -> None:
        """Waits until no other run has a turn; ends the own untimed turn before. Raises NotJudged."""
        unlock(self.with_untimed)
        with self._queued(self.queue):
            self._lock(self.with_untimed)
            self._lock(self.with_timed)

    def timed_call_by_call(self) -> None:
        """Waits until no other run has a turn, except those that are timed call by call too; ends the own untimed turn
        before. Raises NotJudged."""
        unlock(self.with_untimed)
        self._share(self.with_timed, self.with_untimed)
        self._relock_calls(fcntl.LOCK_SH)
        self.is_call_by_call = True

    @contextlib.contextmanager
    def alone(self) -> Generator[None, None, None]:
        """For a timed turn: in the body of this context manager no other run does anything. Raises NotJudged."""
        if not self.is_call_by_call:
            yield
            return
        self._relock_calls(fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._relock_calls(fcntl.LOCK_SH)

    @contextlib.contextmanager
    def untimed_if_free(self) -> Generator[bool, None, None]:
        """Takes an untimed turn for the time of its body, if no run is timed or waits for that; the value says whether."""
        try:
            for file, how in ((self.queue, fcntl.LOCK_EX), (self.with_timed, fcntl.LOCK_EX), (self.with_untimed, fcntl.LOCK_SH)):
                fcntl.flock(file, how | fcntl.LOCK_NB)
            is_free = True
        except BlockingIOError:
            is_free = False
        unlock(self.with_timed)
        unlock(self.queue)
        try:
            yield is_free
        finally:
            unlock(self.with_untimed)

    def _share(self, own: int, other: int) -> None:
        """Waits until the file of the other kind is free, and shares that of its own."""
        with self._queued(self.queue):
            self._lock(other)
            self._lock(own, fcntl.LOCK_SH)
            unlock(other)

    def _relock_calls(self, how: int) -> None:
        """Unlocks the file of the calls, and locks it after all that wait for it."""
        unlock(self.calls)
        with self._queued(self.calls_queue):
            self._lock(self.calls, how)

    @contextlib.contextmanager
    def _queued(self, queue: int) -> Generator[None, None, None]:
        self._lock(queue)
        try:
            yield
        finally:
            unlock(queue)

    def _lock(self, file: int, how: int = fcntl.LOCK_EX) -> None:
        """Locks a file. Raises NotJudged where the run has waited for too long."""
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, how | fcntl.LOCK_NB)
            return
        started = time.monotonic()
        before = signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, WAIT_S - self.waited_s))
        try:
            fcntl.flock(file, how)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            self.waited_s += time.monotonic() - started


def unlock(file: int) -> None:
    """Unlocks a file."""
    fcntl.flock(file, fcntl.LOCK_UN)


def give_up(*_: object) -> NoReturn:
    """Ends a wait for a turn."""
    raise NotJudged("other runs on this machine took all the time that this run may wait for its turn")
