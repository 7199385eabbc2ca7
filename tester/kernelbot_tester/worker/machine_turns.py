"""Turns of runs on one machine, for testers that run there at the same time: any number of runs that are not timed, or
one that is.

Two locked files (flock(2)) per device, so that the kernel ends the turn of a process that dies. Who waits for a timed
turn holds the second file, at which new turns that are not timed queue: otherwise they could delay it forever.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Generator, Sequence

from ..failures import NotJudged

#: Maximum wait for a turn in seconds: less than the host allows a judge beyond the limits of its stages.
WAIT_S = 280.0
#: Pause between attempts to lock a file, in seconds. Attempts instead of a blocking call, which has no time limit.
PAUSE_S = 0.01


class MachineTurns:
    """The turns of a device. `devices`: the names of the accelerators; empty: the processor."""

    def __init__(self, devices: Sequence[str] = ()) -> None:
        key = hashlib.sha256("\n".join(devices).encode()).hexdigest()[:16] if devices else "cpu"
        folder = Path(tempfile.gettempdir()) / f"kernelbot-turns-{os.getuid()}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            if folder.lstat().st_uid != os.getuid():
                raise PermissionError(f"{folder} belongs to another user")
            self.files = [os.open(folder / f"{key}.{name}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600) for name in ("turn", "queue")]
        except OSError as error:
            print(f"other testers on this machine can disturb this one: {error}", file=sys.stderr, flush=True)
            self.files = [os.memfd_create("turns"), os.memfd_create("turns")]

    def open(self) -> "Turn":
        """Returns a turn that can be taken in this process, independent of those of its parent and children."""
        return Turn([os.open(f"/proc/self/fd/{file}", os.O_RDWR) for file in self.files])


class Turn:
    """The turn of one process, which ends with it."""

    def __init__(self, files: list[int]) -> None:
        self.files = files
        self.turn, self.queue = files

    def close(self) -> None:
        """Closes the files, which ends the turn."""
        for file in self.files:
            os.close(file)

    def untimed(self) -> None:
        """Waits until no run is timed. Raises NotJudged."""
        deadline = time.monotonic() + WAIT_S
        lock(self.queue, fcntl.LOCK_SH, deadline)
        lock(self.turn, fcntl.LOCK_SH, deadline)
        fcntl.flock(self.queue, fcntl.LOCK_UN)

    def timed(self) -> None:
        """Waits until no other run has a turn; ends the own untimed turn before. Raises NotJudged."""
        deadline = time.monotonic() + WAIT_S
        fcntl.flock(self.turn, fcntl.LOCK_UN)
        lock(self.queue, fcntl.LOCK_EX, deadline)
        lock(self.turn, fcntl.LOCK_EX, deadline)
        fcntl.flock(self.queue, fcntl.LOCK_UN)

    @contextlib.contextmanager
    def untimed_if_free(self) -> Generator[bool, None, None]:
        """Takes an untimed turn for the time of its body, if no run is timed or waits for that; the value says whether."""
        try:
            for file in (self.queue, self.turn):
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            yield True
        except BlockingIOError:
            yield False
        finally:
            for file in (self.queue, self.turn):
                fcntl.flock(file, fcntl.LOCK_UN)


def lock(file: int, how: int, deadline: float) -> None:
    """Locks a file. Raises NotJudged at the deadline."""
    while True:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise NotJudged("other runs on this machine took all the time that this run may wait for its turn") from None
            time.sleep(PAUSE_S)
