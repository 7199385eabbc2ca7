"""A sandboxed process that the judge stops and resumes, and whose processor time it reads."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import time

from ..device.device import Device
from ..failures import Failed
from ..sandbox.config import Config
from ..sandbox.native_library import native
from ..worker.protocol import Role
from .failure_messages import NOT_STOPPED
from .sandboxed_process import SandboxedProcess

#: Time in which a thread that shows as stopped leaves its core, and processor time that it may use for that, in
#: nanoseconds. With 4 us one turn in 1,000 seemed to run while stopped, on a machine with four busy processes; with 20 us none
#: of 5,400.
LEAVING_NS = STOPPING_NS = 20_000
#: Timeout in seconds for a process to stop.
STOP_S = 20.0
#: Messages to the keeper (native/keeper.c).
ALLOW, REFUSE = b"a", b"r"


class StoppableProcess(SandboxedProcess):
    """A sandboxed process whose threads can all be stopped."""

    def __init__(
        self,
        control: socket.socket | None,
        config: Config,
        device: Device,
        role: Role = "worker",
        devices: list[Device] | None = None,
    ) -> None:
        #: Seconds that the judge has waited for the process outside of its calls.
        self.waited_s = 0.0
        #: Processor time of all its threads when they were stopped, in nanoseconds; None while they run.
        self.stopped_at_ns: int | None = None
        #: When all its threads were last seen to have stopped, by CLOCK_MONOTONIC_RAW.
        self.stopped_ns = 0
        self.ran_while_stopped = False
        #: Whether it must not run while it is stopped; a problem has no reason to.
        self.is_watched = role == "worker"
        #: Whether processes may have been started since it was last seen to be the only process of its cell.
        self.may_have_children = False
        #: Whether it runs a shared object, which is already built and has no reason to start a process.
        self.is_built = False
        super().__init__(control, config, device, role, devices)

    # ---- processes that it starts

    def allow_processes(self, allowed: bool) -> None:
        """Lets the worker start processes; or refuses that, and returns when none is left. Raises Failed.

        Without a sandbox nothing prevents a worker from starting processes. A shared object never may."""
        if not self.config.sandboxed or self.is_built:
            return
        try:
            if allowed:
                self.may_have_children = True
                self.keeper.send(ALLOW)
            elif self.may_have_children:
                self.keeper.send(REFUSE)
                if self._read_keeper_report() != (0, 0):
                    raise self._remaining_process_failure()
                self.may_have_children = False
        except OSError:
            raise self._exit_failure() from None

    def has_children(self) -> bool:
        """Whether a process that it started still runs. Orphans in its cell are its children, too."""
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                # A kernel without CONFIG_PROC_CHILDREN has no such file.
                with contextlib.suppress(OSError), open(f"/proc/{self.pid}/task/{thread}/children") as file:
                    if any(is_alive(int(child)) for child in file.read().split()):
                        return True
        return False

    def _remaining_process_failure(self) -> Failed:
        return self._exit_failure() if self.end else Failed("rejected", "the submission left a process that could not be ended")

    # ---- stopping

    def freeze(self, deadline: float) -> None:
        """Ends all processes of the cell but the worker, and stops every thread of the worker, unless it is stopped: then
        nothing in its cell can resume it. Raises Failed when it is dead."""
        if self.stopped_at_ns is not None:
            return
        self.allow_processes(False)
        started = time.monotonic()
        leaving_ns = LEAVING_NS if self.is_watched else 0
        stopped_ns = ctypes.c_uint64()
        result: int = native().kb_freeze(
            self.pidfd, self.proc_folder, self.pid, int(STOP_S * 1e9), leaving_ns, ctypes.byref(stopped_ns)
        )
        self.waited_s += time.monotonic() - started
        if result == -1:
            raise self._exit_failure()
        if result == -2:
            raise Failed("rejected", NOT_STOPPED)
        self.stopped_at_ns, self.stopped_ns = result, stopped_ns.value

    def mark_running(self) -> None:
        """Marks the worker as running: processor time from here on is expected."""
        self._record_processor_time()
        self.stopped_at_ns = None

    def _record_processor_time(self) -> None:
        if self.stopped_at_ns is not None and self.processor_time_ns() - self.stopped_at_ns > STOPPING_NS:
            self.ran_while_stopped = True

    def has_run_while_stopped(self) -> bool:
        """Whether the worker has run while stopped since the last call of this method. False positives occur in less
        than one of ten thousand calls on a busy machine: a thread that shows as stopped may still be leaving its core."""
        ran, self.ran_while_stopped = self.ran_while_stopped, False
        return ran

    # ---- processor time and cores

    def processor_time_ns(self) -> int:
        """Returns the processor time of all its threads so far, in nanoseconds."""
        used_ns: int = native().kb_processor_time(self.pid)
        if used_ns < 0:
            raise self._exit_failure()
        return used_ns

    def affinity(self) -> set[int]:
        """Returns the cores of its main thread."""
        try:
            return os.sched_getaffinity(self.pid)
        except OSError:
            raise self._exit_failure() from None

    def move_to(self, cores: set[int]) -> None:
        """Moves its main thread to these cores. Its other threads keep their affinity."""
        # A dead worker is detected by the next message.
        with contextlib.suppress(OSError):
            os.sched_setaffinity(self.pid, cores)


def is_alive(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] not in "ZX"
    return False
