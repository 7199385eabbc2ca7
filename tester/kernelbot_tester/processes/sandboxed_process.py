"""The judge's side of one sandboxed process: its messages, its printed output, its limits and its end."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import mmap
import os
import select
import shutil
import socket
import tempfile
import time
from typing import Mapping, TypeVar, cast

from ..device.device import Device
from ..device.host import sealed_memory
from ..failures import Failed, NotJudged
from ..sandbox.config import Config
from ..sandbox.memory_groups import MemoryGroup
from ..sandbox.native_library import native
from ..untrusted_text import HeadAndTail
from ..worker import wire
from ..worker.library import CHANNEL_BYTES
from ..worker.protocol import Role
from .core_waits import core_wait_ns
from .failure_messages import INVALID_MESSAGE, exit_failure, memory_failure, reported_failure
from .processor_time_limit import WALL_FACTOR, ProcessorTimeLimit
from .zygote_requests import KEEPER_REPORT, folder_prefix, open_memory_group, read_first_message, request_processes

#: Limits of a submission's printed output per stage: bytes kept of each end, and bytes after which it is stopped.
PRINTED_KEPT_BYTES = 8 << 10
PRINTED_LIMIT_BYTES = 16 << 20
#: Timeout in seconds for our own code in the process, where no user code runs: many times what it takes, since a busy
#: machine runs it late.
OWN_CODE_S = 60.0
#: Flag of a process that is ending, in its `stat` of /proc (PF_EXITING in linux/sched.h).
IS_ENDING = 0x4
#: Code in a keeper's report (native/keeper.c): the cell exceeded its memory limit.
TOO_MUCH_MEMORY = 100

Process = TypeVar("Process", bound="SandboxedProcess")


class SandboxedProcess:
    """A process in a cell. `role`: a `worker`, which runs the submission; a `builder`, which compiles it; or a
    `problem`, which runs the problem's code and opens all `devices`. `control` is the zygote's socket; None: the caller
    requests the process.

    Use as a context manager, so that the process does not outlive its judge."""

    def __init__(
        self,
        control: socket.socket | None,
        config: Config,
        device: Device,
        role: Role = "worker",
        devices: list[Device] | None = None,
    ) -> None:
        self.config = config
        self.device = device
        #: Memory limit of all its processes together.
        self.memory_bytes = config.cell_bytes if role == "builder" or config.accelerator is not None else config.memory_bytes
        #: Its memory group, where the kernel enforces the limit; else None.
        self.group: MemoryGroup | None = None
        self.printed = HeadAndTail(PRINTED_KEPT_BYTES)
        self.folder: str | None = None
        self.messages, messages_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.messages.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.keeper, keeper_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.output, output_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(output_end, True)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.output, 1031, 1 << 20)  # F_SETPIPE_SZ
        channel = sealed_memory("channel", CHANNEL_BYTES)
        self.channel = mmap.mmap(channel, CHANNEL_BYTES)
        self.channel_address = ctypes.addressof(ctypes.c_char.from_buffer(self.channel))
        #: Files for the new process, closed here once they are sent to the zygote.
        self.child_files = [messages_end.detach(), keeper_end.detach(), output_end, channel]
        self.pid = self.pidfd = self.proc_folder = -1
        self.created = time.monotonic()
        #: The process's end as the keeper reported it (code and status of waitid); None while it runs.
        self.end: tuple[int, int] | None = None
        if control is not None:
            request_processes([self], control, role, devices)

    def __enter__(self: Process) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kill(self) -> None:
        """Kills the worker. Has no effect once it is closed."""
        if self.pidfd >= 0:
            native().kb_kill(self.pidfd)
        with contextlib.suppress(OSError):
            self.keeper.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Kills the worker and waits for its end."""
        self.kill()
        with contextlib.suppress(OSError):
            self.keeper.settimeout(OWN_CODE_S)
            while self.keeper.recv(64):
                pass
        for file in (self.pidfd, self.proc_folder, self.output):
            if file >= 0:
                os.close(file)
        self.pidfd = self.proc_folder = self.output = -1
        self.messages.close()
        self.keeper.close()
        if self.group is not None:
            self.group.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    # ---- messages

    def wait_until_started(self) -> None:
        """Waits for the worker's first message, which our code sends before any user code is loaded. Raises
        NotJudged."""
        deadline = time.monotonic() + OWN_CODE_S
        try:
            self._wait_readable(deadline, "start a worker")
            pid, hello = read_first_message(self.messages)
            self.group = open_memory_group(pid, self.config, self.memory_bytes)
            self.pid, self.pidfd = pid, os.pidfd_open(pid)
            self.proc_folder = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            #: Whether this kernel allows the seccomp filter that lets the worker start processes.
            self.can_start_processes: bool = hello["processes"]
        except (Failed, OSError, StopIteration, ValueError) as error:
            self._read_output()
            head, tail = self.printed.texts()
            raise NotJudged(f"a worker could not be started: {(head + tail).strip() or error}") from None

    def scratch_folder(self) -> str:
        """Returns the path of the worker's scratch folder, as the worker sees it."""
        if self.config.sandboxed:
            return "/tmp"
        self.folder = tempfile.mkdtemp(prefix=folder_prefix(os.getpid()))
        return self.folder

    def send(self, message: Mapping[str, object], files: list[int], deadline: float | None = None) -> None:
        """Sends a message and open files. Raises Failed when the worker does not read. Without a deadline the message is
        for our own code: no user code is loaded, and none is at fault."""
        self.messages.settimeout(OWN_CODE_S if deadline is None else max(0.1, deadline - time.monotonic()))
        try:
            wire.send(self.messages, message, files)
        except TimeoutError:
            if deadline is None:
                raise NotJudged(f"a worker did not read its orders within {OWN_CODE_S:g} s") from None
            raise Failed("rejected", "the submission kept the worker from reading the judge's messages") from None
        except OSError:
            raise self._exit_failure() from None

    def receive(self, limit: float | ProcessorTimeLimit, what: str, most_bytes: int = wire.WORKER_MESSAGE_BYTES) -> Mapping[str, object]:
        """Returns the worker's next message. Raises Failed when it reports an error, dies, sends an invalid message or
        exceeds the limit: a deadline of time.monotonic(), or a limit of its processor time."""
        (length,) = wire.LENGTH.unpack(self._read(wire.LENGTH.size, limit, what))
        if length > most_bytes:
            raise Failed("rejected", INVALID_MESSAGE)
        try:
            message: object = json.loads(self._read(length, limit, what))
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Failed("rejected", INVALID_MESSAGE)
        answer = cast(Mapping[str, object], message)
        error = answer.get("error")
        if isinstance(error, dict):
            self._read_output()
            raise reported_failure(cast(Mapping[str, object], error), self.config.simulated_device is not None)
        return answer

    def _read(self, size: int, limit: float | ProcessorTimeLimit, what: str) -> bytes:
        data = bytearray()
        self.messages.setblocking(False)
        while len(data) < size:
            self._wait_readable(limit, what)
            try:
                part = self.messages.recv(size - len(data))
            except BlockingIOError:  # The socket was readable because of out-of-band data.
                raise Failed("rejected", INVALID_MESSAGE) from None
            except ConnectionResetError:  # The worker ended without reading our message.
                part = b""
            if not part:
                raise self._exit_failure()
            data += part
        return bytes(data)

    def _wait_readable(self, limit: float | ProcessorTimeLimit, what: str) -> None:
        """Waits until the worker sends something; meanwhile drains its printed output and detects its death."""
        poll = select.poll()
        poll.register(self.messages, select.POLLIN)
        poll.register(self.keeper, select.POLLIN)
        poll.register(self.output, select.POLLIN)
        while True:
            remaining = limit.left_s(self.cpu_time_s) if isinstance(limit, ProcessorTimeLimit) else self.left_s(limit)
            ready = dict(poll.poll(max(0.0, remaining * 1e3)))
            if self.output in ready and not self._read_output():
                poll.unregister(self.output)
            if self.messages.fileno() in ready:
                return
            if self.keeper.fileno() in ready:
                raise self._exit_failure()
            if remaining <= 0:
                raise Failed("timeout", f"the time limit was reached before the submission could {what}")

    def left_s(self, deadline: float) -> float:
        """Returns the seconds until a deadline of time.monotonic(). The time for which the process has waited for a core
        that others used extends it, up to WALL_FACTOR times the time between the start of the process and the deadline,
        so that load of other programs fails no submission."""
        if (left_s := deadline - time.monotonic()) > 0:
            return left_s
        # No longer than the process used no core: its threads may wait for each other.
        unused_s = time.monotonic() - self.created - self.cpu_time_s()
        waited_s = max(0.0, min(self.core_wait_s(), unused_s))
        return min(deadline + waited_s, self.created + WALL_FACTOR * (deadline - self.created)) - time.monotonic()

    def core_wait_s(self) -> float:
        """Returns for how long all threads of the process have waited for a core, in seconds; 0 once it is dead."""
        try:
            tasks = os.open("task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.proc_folder)
        except OSError:
            return 0.0
        try:
            return core_wait_ns(tasks) / 1e9
        finally:
            os.close(tasks)

    def cpu_time_s(self) -> float:
        """Returns the processor time of the worker and of its ended children, in seconds; 0 once it is dead."""
        # utime, stime, cutime and cstime.
        return sum(int(ticks) for ticks in self._stat()[11:15]) / os.sysconf("SC_CLK_TCK")

    def _stat(self) -> list[str]:
        """Returns the fields of proc_pid_stat(5) after the name, from number 3; none once the worker is dead."""
        try:
            stat = os.open("stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc_folder)
            with open(stat) as file:
                return file.read().rpartition(")")[2].split()
        except OSError:
            return []

    # ---- printed output

    def _read_output(self) -> bool:
        """Reads printed output. Returns False when no process holds the pipe open. Raises Failed when the output
        exceeds its limit."""
        while True:
            try:
                data = os.read(self.output, 1 << 20)
            except BlockingIOError:
                return True
            self.printed.add(data)
            if self.printed.total > PRINTED_LIMIT_BYTES:
                native().kb_kill(self.pidfd)
                raise Failed("rejected", f"the submission printed more than {PRINTED_LIMIT_BYTES >> 20} MiB in one stage")
            if not data:
                return False

    def take_printed(self) -> HeadAndTail | None:
        """Returns what was printed since the last call, or None."""
        with contextlib.suppress(Failed):
            self._read_output()
        if self.printed.total == 0:
            return None
        printed, self.printed = self.printed, HeadAndTail(PRINTED_KEPT_BYTES)
        return printed

    # ---- the keeper's reports, and the end of the process

    def _read_keeper_report(self) -> tuple[int, int] | None:
        """Returns the keeper's next message. Keeps a report of the worker's end."""
        self.keeper.settimeout(OWN_CODE_S)
        report = self.keeper.recv(KEEPER_REPORT.size, socket.MSG_WAITALL)
        if len(report) != KEEPER_REPORT.size:
            return None
        code, status = KEEPER_REPORT.unpack(report)
        if code != 0:
            self.end = code, status
        return code, status

    def has_keeper_report(self) -> bool:
        """Whether the keeper has sent a message: the worker has ended."""
        return bool(select.select([self.keeper], [], [], 0)[0])

    def _is_ending(self) -> bool:
        """Whether the worker has ended or is ending. It closes its files a moment before it has ended, and the keeper
        reports that later still on a busy machine."""
        fields = self._stat()
        return not fields or bool(int(fields[6]) & IS_ENDING) or self.has_keeper_report()

    def _exit_failure(self) -> Failed:
        """Describes how the worker ended. Kills it if it has only closed its connection."""
        if self.pidfd >= 0 and self.end is None and not self._is_ending():
            native().kb_kill(self.pidfd)
            return Failed("rejected", "the submission closed the connection between its worker and the judge")
        with contextlib.suppress(OSError):
            while self.end is None and self._read_keeper_report() is not None:
                pass
        with contextlib.suppress(Failed):
            self._read_output()
        if self.end is None:
            return Failed("crash", "the submission's process ended")
        if self.end[0] == TOO_MUCH_MEMORY or (self.group is not None and self.group.ran_out()):
            return memory_failure(self.memory_bytes)
        return exit_failure(*self.end)
