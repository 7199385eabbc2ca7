"""The judge's side of a worker: sends messages, freezes it, times its calls and kills it."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import math
import mmap
import os
import select
import shutil
import signal
import socket
import struct
import tempfile
import time
from typing import Any

from ..device.bounds import Timed
from ..device.device import Device
from ..device.host import sealed_memory
from ..device.telemetry import Reading
from ..failures import Failed, NotJudged
from ..sandbox.config import Config
from ..sandbox.memory_groups import MemoryGroup
from ..sandbox.native_library import native
from ..untrusted_text import HeadAndTail, bounded
from ..worker import wire
from ..worker.library import CHANNEL_BYTES, DEVICE_NS_OFFSET, DONE_OFFSET, FAILED_OFFSET
from ..worker.profiling import TABLE_BYTES
from .case_memory import Arena
from .processor_time_limit import WorkLimit

#: Limits of a submission's printed output per stage: bytes kept of each end, and bytes after which it is stopped.
PRINTED_KEPT = 8 << 10
PRINTED_LIMIT = 16 << 20
#: Maximum size of a profiler trace of one case that is taken from a worker.
TRACE_BYTES = 16 << 20
#: How long the judge polls for the end of a call before it sleeps between checks, in nanoseconds.
SPIN_NS = 50_000_000
#: Longest sleep of the judge between checks of its clock and of the worker's output, in nanoseconds.
LOOK_NS = 1_000_000
#: Timeout in seconds for our own code in the worker, where no user code runs.
OWN_CODE_S = 20.0
#: Processor time, in nanoseconds, that threads reported as stopped may still use before they leave their core.
STOPPING_NS = 20_000
#: Maximum number of checks until two in a row show every thread stopped and no processor time used between them.
MOST_LOOKS = 1_000
OTHER_VOICE = "the submission spoke to the judge in the worker's name"
NOT_STOPPED = "the submission could not be stopped after it had said that it was done"

CREDENTIALS = struct.Struct("3i")
#: Messages between judge and keeper (native/keeper.c).
ALLOW, REFUSE = b"a", b"r"
REPORT = struct.Struct("2i")
TOO_MUCH_MEMORY = 100


class Worker:
    """A worker process. With another role, a `builder`, which compiles, or a `problem`, which runs the problem's code
    and opens all `devices`. `control` is the zygote's socket.

    Use as a context manager, so that no worker outlives its judge."""

    def __init__(
        self,
        control: socket.socket | None,
        config: Config,
        device: Device,
        role: str = "worker",
        devices: list[Device] | None = None,
    ) -> None:
        self.config = config
        self.device = device
        #: Memory limit of all its processes together.
        self.memory_bytes = config.cell_bytes if role == "builder" or config.accelerator is not None else config.memory_bytes
        #: Its memory group, where the kernel enforces the limit; else None.
        self.group: MemoryGroup | None = None
        self.printed = HeadAndTail(PRINTED_KEPT)
        self.number = 0
        #: Seconds that the judge has waited for the worker outside of its calls.
        self.waited_s = 0.0
        self.folder: str | None = None
        self.talk, talk_there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.talk.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.leash, leash_there = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.out, out_there = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(out_there, True)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self.out, 1031, 1 << 20)  # F_SETPIPE_SZ
        channel = sealed_memory("channel", CHANNEL_BYTES)
        self.channel = mmap.mmap(channel, CHANNEL_BYTES)
        self.words = ctypes.addressof(ctypes.c_char.from_buffer(self.channel))
        self.far_ends = [talk_there.detach(), leash_there.detach(), out_there, channel]
        self.pid = self.pidfd = self.process = -1
        #: Clock of the processor time of all its threads; the reading when they were stopped, None while they run; and
        #: whether the clock has advanced since.
        self.processor_clock = 0
        self.stopped_at_ns: int | None = None
        self.ran_ahead = False
        #: The worker's end as the keeper reported it (code and status of waitid); None while it runs.
        self.end: tuple[int, int] | None = None
        #: Whether processes may have been started since the worker was last seen to be the only process of its cell.
        self.accompanied = False
        #: Whether it runs a shared object, which is already built and has no reason to start a process.
        self.is_built = False
        if control is not None:
            ask_for([self], control, role, devices)

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kills the worker and waits for its end."""
        if self.pidfd >= 0:
            native().kb_kill(self.pidfd)
        with contextlib.suppress(OSError):
            self.leash.shutdown(socket.SHUT_WR)
            self.leash.settimeout(OWN_CODE_S)
            while self.leash.recv(64):
                pass
        for file in (self.pidfd, self.process, self.out):
            if file >= 0:
                os.close(file)
        self.talk.close()
        self.leash.close()
        if self.group is not None:
            self.group.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    # ---- messages

    def meet(self) -> None:
        """Waits for the worker's first message, which our code sends before any user code is loaded. Raises
        NotJudged."""
        deadline = time.monotonic() + OWN_CODE_S
        try:
            self._wait(deadline, "start a worker")
            pid, hello = greeting(self.talk)
            self.group = group_for(pid, self.config, self.memory_bytes)
            self.pid, self.pidfd = pid, os.pidfd_open(pid)
            self.processor_clock = (~pid << 3) | 2  # MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of linux/posix-timers.h
            self.process = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            #: Whether this kernel allows the seccomp filter that lets the worker start processes.
            self.can_start_processes: bool = hello["processes"]
        except (Failed, OSError, StopIteration, ValueError) as error:
            self._drain()
            head, tail = self.printed.texts()
            raise NotJudged(f"a worker could not be started: {(head + tail).strip() or error}") from None

    def load(
        self,
        files: dict[str, str],
        module: str,
        function: str,
        compiled: bytes | None = None,
        group: dict[str, Any] | None = None,
    ) -> None:
        """Asks the worker to import a module; `loaded` waits for the answer. `compiled`: packed compiler cache of an
        earlier import; `group`: the group of ranks that the worker joins."""
        folder = self.scratch_folder()
        message: dict[str, Any] = {"files": files, "folder": f"{folder}/job", "cache": f"{folder}/cache", "group": group}
        message["pretended"] = self.config.pretended
        kept: list[int] = []
        if compiled is not None:
            kept.append(memory_with("compiled", compiled))
        try:
            self.send({**message, "module": module, "function": function}, kept, time.monotonic() + OWN_CODE_S)
        finally:
            for file in kept:
                os.close(file)

    def load_library(self, library: int, name: str) -> None:
        """Asks the worker to load a shared object from an open file; `name` is the name of its source."""
        self.is_built = True
        message = {"folder": f"{self.scratch_folder()}/job", "module": name, "function": "custom_kernel"}
        self.send(message, [library], time.monotonic() + OWN_CODE_S)

    def scratch_folder(self) -> str:
        """Returns the path of the worker's scratch folder, as the worker sees it."""
        if self.config.sandboxed:
            return "/tmp"
        self.folder = tempfile.mkdtemp(prefix=folder_prefix(os.getpid()))
        return self.folder

    def loaded(self, limit: float | WorkLimit, what: str) -> None:
        """Waits until the module is imported. Raises Failed."""
        self.answer(limit, what)

    def take_compiled(self, limit: int, deadline: float) -> bytes | None:
        """Returns the content of the worker's cache folder, packed for `load`, of at most `limit` bytes; None where it
        is empty."""
        file = sealed_memory("compiled", limit)
        try:
            size = self._order({"op": "pack"}, [file], deadline).get("size")
            return os.pread(file, size, 0) if isinstance(size, int) and 0 < size <= limit else None
        finally:
            os.close(file)

    def reading(self) -> Reading | None:
        """Returns the current condition of its device."""
        return self.device.reading()

    def arena(self, data: Any, outputs: int) -> Arena:
        """Allocates an arena for inputs of this layout."""
        return Arena(self.device, data, outputs)

    def bind(self, index: int, arena: Arena, deadline: float) -> None:
        """Maps an arena into the worker under this index. Replaces an earlier arena of the same index."""
        self._order(
            {
                "op": "bind",
                "index": index,
                "tree": arena.tree,
                "outputs": arena.outputs,
                "memories": [[memory, one.size] for memory, one in arena.memories.items()],
            },
            arena.files,
            deadline,
        )

    def forget(self, index: int, deadline: float) -> None:
        """Makes the worker drop an arena."""
        self._order({"op": "forget", "index": index}, [], deadline)

    def start_profiler(self, deadline: float) -> None:
        """Starts the profiler for the calls that follow."""
        self._order({"op": "profile"}, [], deadline)

    def take_profile(self, deadline: float) -> tuple[bytes, bytes | None]:
        """Stops the profiler. Returns table and trace, both untrusted; the trace is None where it is longer than
        `TRACE_BYTES`."""
        file = sealed_memory("profile", TABLE_BYTES + TRACE_BYTES)
        try:
            answer = self._order({"op": "hand_over"}, [file], deadline)
            table, trace = (answer.get(name) for name in ("tableBytes", "traceBytes"))
            if not isinstance(table, int) or not isinstance(trace, int) or table < 0 or trace < 0:
                raise Failed("rejected", OTHER_VOICE)
            # The worker is frozen, so the content cannot change while it is read.
            text = os.pread(file, min(table, TABLE_BYTES), 0)
            return text, os.pread(file, trace, TABLE_BYTES) if trace <= TRACE_BYTES else None
        finally:
            os.close(file)

    def _order(self, message: dict[str, Any], files: list[int], deadline: float) -> dict[str, Any]:
        self.number += 1
        self.expect_to_run()
        started = time.monotonic()
        native().kb_thaw(self.pidfd)
        native().kb_order_message(self.words, self.number)
        # The worker must already be reading: a long message does not fit into a socket's buffer.
        self.send(message, files, deadline)
        answer = self.answer(deadline, "answer its judge")
        self.waited_s += time.monotonic() - started
        self.freeze(deadline)
        return answer

    def send(self, message: dict[str, Any], files: list[int], deadline: float) -> None:
        """Sends a message and open files. Raises Failed when the worker does not read."""
        self.talk.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            wire.send(self.talk, message, files)
        except TimeoutError:
            raise Failed("rejected", "the submission did not let the worker listen to its judge") from None
        except OSError:
            raise self._death() from None

    def answer(self, limit: float | WorkLimit, what: str, most_bytes: int = wire.WORKER_MESSAGE_BYTES) -> dict[str, Any]:
        """Returns the worker's next message. Raises Failed when it reports an error, dies, sends an invalid message or
        exceeds the limit: a deadline of time.monotonic(), or a limit of its processor time."""
        (length,) = wire.LENGTH.unpack(self._read(wire.LENGTH.size, limit, what))
        if length > most_bytes:
            raise Failed("rejected", OTHER_VOICE)
        try:
            message = json.loads(self._read(length, limit, what))
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Failed("rejected", OTHER_VOICE)
        error = message.get("error")
        if isinstance(error, dict):
            self._drain()
            raise failure_of(error, self.config.pretended is not None)
        return message

    def _read(self, size: int, limit: float | WorkLimit, what: str) -> bytes:
        data = bytearray()
        self.talk.setblocking(False)
        while len(data) < size:
            self._wait(limit, what)
            try:
                part = self.talk.recv(size - len(data))
            except BlockingIOError:  # The socket was readable because of out-of-band data.
                raise Failed("rejected", OTHER_VOICE) from None
            except ConnectionResetError:  # The worker ended without reading our message.
                part = b""
            if not part:
                raise self._death()
            data += part
        return bytes(data)

    def _wait(self, limit: float | WorkLimit, what: str) -> None:
        """Waits until the worker sends something; meanwhile drains its printed output and detects its death."""
        poll = select.poll()
        poll.register(self.talk, select.POLLIN)
        poll.register(self.leash, select.POLLIN)
        poll.register(self.out, select.POLLIN)
        while True:
            remaining = limit.left_s(self.worked_s) if isinstance(limit, WorkLimit) else limit - time.monotonic()
            ready = dict(poll.poll(max(0.0, remaining * 1e3)))
            if self.out in ready and not self._drain():
                poll.unregister(self.out)
            if self.talk.fileno() in ready:
                return
            if self.leash.fileno() in ready:
                raise self._death()
            if remaining <= 0:
                raise Failed("timeout", f"the time was up before the submission could {what}")

    # ---- printed output

    def _drain(self) -> bool:
        """Reads printed output. Returns False when no process holds the pipe open. Raises Failed when the output
        exceeds its limit."""
        while True:
            try:
                data = os.read(self.out, 1 << 20)
            except BlockingIOError:
                return True
            self.printed.add(data)
            if self.printed.total > PRINTED_LIMIT:
                native().kb_kill(self.pidfd)
                raise Failed("rejected", f"the submission printed more than {PRINTED_LIMIT >> 20} MiB in one stage")
            if not data:
                return False

    def take_printed(self) -> HeadAndTail | None:
        """Returns what was printed since the last call, or None."""
        with contextlib.suppress(Failed):
            self._drain()
        if self.printed.total == 0:
            return None
        printed, self.printed = self.printed, HeadAndTail(PRINTED_KEPT)
        return printed

    # ---- processes

    def allow_processes(self, allowed: bool) -> None:
        """Lets the worker start processes; or refuses that, and returns when none is left. Raises Failed.

        Without a sandbox nothing prevents a worker from starting processes. A shared object never may."""
        if not self.config.sandboxed or self.is_built:
            return
        try:
            if allowed:
                self.accompanied = True
                self.leash.send(ALLOW)
            elif self.accompanied:
                self.leash.send(REFUSE)
                if self._told() != (0, 0):
                    raise self._not_alone()
                self.accompanied = False
        except OSError:
            raise self._death() from None

    def _not_alone(self) -> Failed:
        return self._death() if self.end else Failed("rejected", "the submission left a process that could not be ended")

    def _told(self) -> tuple[int, int] | None:
        """Returns the keeper's next message. Keeps a report of the worker's end."""
        self.leash.settimeout(OWN_CODE_S)
        report = self.leash.recv(REPORT.size, socket.MSG_WAITALL)
        if len(report) != REPORT.size:
            return None
        code, status = REPORT.unpack(report)
        if code != 0:
            self.end = code, status
        return code, status

    # ---- calls

    def freeze(self, deadline: float) -> None:
        """Ends all processes of the cell but the worker, and stops every thread of the worker. Raises Failed when it
        is dead."""
        self._notice_running_ahead()
        self.allow_processes(False)
        # Checked more than once, since a thread that started during the first check was not seen.
        before_ns = -1
        for _ in range(MOST_LOOKS):
            self._stop()
            now_ns = self.processor_time_ns()
            if now_ns == before_ns:
                self.stopped_at_ns = now_ns
                return
            before_ns = now_ns
        raise Failed("rejected", NOT_STOPPED)

    def _stop(self) -> None:
        started = time.monotonic()
        result = native().kb_freeze(self.pidfd, self.process, int(OWN_CODE_S * 1e9))
        self.waited_s += time.monotonic() - started
        if result == -1:
            raise self._death()
        if result == -2:
            raise Failed("rejected", NOT_STOPPED)

    def processor_time_ns(self) -> int:
        """Returns the processor time of all its threads so far, in nanoseconds."""
        try:
            return time.clock_gettime_ns(self.processor_clock)
        except OSError:
            raise self._death() from None

    def worked_s(self) -> float:
        """Returns the processor time of the worker and of its ended children, in seconds; 0 once it is dead."""
        try:
            stat = os.open("stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.process)
            with open(stat) as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        # utime, stime, cutime and cstime of proc_pid_stat(5), where the first field after the name is number 3.
        return sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")

    def _notice_running_ahead(self) -> None:
        if self.stopped_at_ns is not None and self.processor_time_ns() - self.stopped_at_ns > STOPPING_NS:
            self.ran_ahead = True

    def expect_to_run(self) -> None:
        """Marks the worker as running: processor time from here on is expected."""
        self._notice_running_ahead()
        self.stopped_at_ns = None

    def affinity(self) -> set[int]:
        """Returns the cores of its main thread."""
        try:
            return os.sched_getaffinity(self.pid)
        except OSError:
            raise self._death() from None

    def move_to(self, cores: set[int]) -> None:
        """Moves its main thread to these cores. Its other threads keep their affinity."""
        # A dead worker is detected by the next message.
        with contextlib.suppress(OSError):
            os.sched_setaffinity(self.pid, cores)

    def has_run_ahead(self) -> bool:
        """Whether the worker has run while stopped since the last call of this method. False positives occur about
        once in ten thousand calls on a busy machine: a thread that shows as stopped may still be leaving its core."""
        ran_ahead, self.ran_ahead = self.ran_ahead, False
        return ran_ahead

    def call(self, index: int, arena: Arena, deadline: float, processes: bool = False) -> Timed:
        """Runs the function once on a written arena and returns its time. The worker is frozen before and after.
        `processes`: whether the call may start processes; none outlives it."""
        check_time(deadline)
        if processes:
            self.allow_processes(True)
        self.number += 1
        spin_ns = SPIN_NS if self.config.judge_core is not None else 0
        t0 = ctypes.c_uint64()
        contents = arena.contents
        probes = ctypes.byref(contents.probes)
        device_ns = ctypes.c_double.from_address(self.words + DEVICE_NS_OFFSET)
        device_ns.value = math.nan
        with self.config.on_judge_core():
            self.expect_to_run()
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            contents.reveal()
            elapsed = native().kb_call(
                self.words, self.number, index, self.pidfd, spin_ns, LOOK_NS, probes, ctypes.byref(t0)
            )
            while elapsed < 0:
                self.look(deadline)
                elapsed = native().kb_watch(self.words, self.number, t0.value, self.pidfd, 0, LOOK_NS, probes)
            if contents.hold():
                elapsed = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - start_ns
            self.freeze(deadline)
        self.see_end_of_call(arena)
        return Timed(elapsed, device_ns.value)

    def look(self, deadline: float) -> None:
        """Checks on a running call: drains printed output, and raises Failed when the worker has died or its time is
        up."""
        self._drain()
        if self.leash_pulled():
            raise self._death()
        if time.monotonic() > deadline:
            raise Failed("timeout", "the time of the stage was up in the middle of this case")

    def see_end_of_call(self, arena: Arena) -> None:
        """Checks a call's outcome once the worker is frozen. Raises Failed when the call failed, or still writes its
        output."""
        self._drain()
        self.see_failure()
        if arena.changed_since_done():
            raise late_writer()

    def has_failed(self) -> bool:
        """Whether the current call has failed."""
        done, failed = (ctypes.c_uint32.from_address(self.words + offset).value for offset in (DONE_OFFSET, FAILED_OFFSET))
        return failed != 0 and done == self.number & 0xFFFFFFFF

    def see_failure(self) -> None:
        """Raises Failed when the current call has failed."""
        if self.has_failed():
            # The worker sends the message before it sets the words.
            self.answer(time.monotonic() + 0.1, "say what went wrong")
            raise Failed("crash", "the submission failed and did not say why")

    # ---- the end of the worker

    def leash_pulled(self, timeout_s: float = 0) -> bool:
        """Whether the keeper has sent a message: the worker has ended."""
        return bool(select.select([self.leash], [], [], timeout_s)[0])

    def _death(self) -> Failed:
        """Describes how the worker ended. Kills it if it has only closed its connection."""
        # The socket is closed a moment before the process has ended.
        if self.pidfd >= 0 and self.end is None and not self.leash_pulled(timeout_s=2):
            native().kb_kill(self.pidfd)
            return Failed("rejected", "the submission cut the connection between its worker and the judge")
        with contextlib.suppress(OSError):
            while self.end is None and self._told() is not None:
                pass
        with contextlib.suppress(Failed):
            self._drain()
        if self.end is None:
            return Failed("crash", "the submission's process ended")
        if self.end[0] == TOO_MUCH_MEMORY or (self.group is not None and self.group.ran_out()):
            return took_too_much(self.memory_bytes)
        return death(*self.end)


def memory_with(name: str, data: bytes) -> int:
    """Returns an open file in memory with this content, positioned at its beginning."""
    opened = os.memfd_create(name, os.MFD_CLOEXEC)
    with open(opened, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(opened, 0, os.SEEK_SET)
    return opened


def folder_prefix(judge: int) -> str:
    """Returns the prefix of the names of this judge's worker folders where there is no sandbox."""
    return f"kernelbot-{judge}-"


def check_time(deadline: float) -> None:
    """Raises Failed when the deadline has passed."""
    if time.monotonic() > deadline:
        raise Failed("timeout", "the time of the stage was up before this case")


def ask_for(
    workers: list[Worker], control: socket.socket, role: str = "worker", devices: list[Device] | None = None
) -> None:
    """Asks the zygote to start processes: one of any role, or the ranks of a group."""
    config = workers[0].config
    # Nothing is timed while the problem's code runs.
    cores = config.all_cores if role == "problem" else config.worker_cores
    request = {
        "cores": cores,
        # The problem process gets as many threads as the reference's worker: threads that wait for each other must not
        # outnumber the cores that the judge leaves them.
        "threads": max(1, len(config.worker_cores) // len(workers)),
        "devices": [device.for_worker() for device in devices or [worker.device for worker in workers]],
        "role": role,
    }
    files = [file for worker in workers for file in worker.far_ends]
    socket.send_fds(control, [json.dumps(request).encode()], files)
    for file in files:
        os.close(file)


def late_writer() -> Failed:
    """Failure of an output that changes after the worker has signalled completion."""
    return Failed("rejected", "the submission wrote its output after it had said that it was done")


def greeting(talk: socket.socket) -> tuple[int, dict[str, Any]]:
    """Reads the first message of a started process from a socket with SO_PASSCRED, sent before any user code is
    loaded. Returns its process ID in our namespace and the message. Raises OSError, StopIteration, ValueError."""
    data, ancillary, _, _ = talk.recvmsg(wire.LENGTH.size, socket.CMSG_SPACE(CREDENTIALS.size))
    pid = next(CREDENTIALS.unpack(value)[0] for _, kind, value in ancillary if kind == socket.SCM_CREDENTIALS)
    return pid, json.loads(talk.recv(wire.LENGTH.unpack(data)[0]))


def group_for(pid: int, config: Config, limit_bytes: int) -> MemoryGroup | None:
    """Creates a memory group for the cell of this process; the limit includes its /tmp and /dev/shm. Returns None
    where the tester has no groups. Raises OSError."""
    if config.memory_groups is None:
        return None
    return config.memory_groups.open(pid, limit_bytes + 2 * config.scratch_bytes)


def took_too_much(limit_bytes: int) -> Failed:
    """Failure of a cell that was killed because its processes together exceeded the memory limit."""
    limit = f"more than {limit_bytes / (1 << 30):.1f} GiB of memory"
    return Failed("out_of_memory", f"the submission and the processes that it started took {limit}")


def death(code: int, status: int) -> Failed:
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
    return Failed("crash", f"the submission's process died of {name}" + (f" ({described})" if described else ""))


def failure_of(error: dict[str, Any], is_rehearsal: bool = False) -> Failed:
    """Converts an error reported by a worker. Its wording is untrusted. The class `not_here` is accepted only in
    rehearsals."""
    classes = ("compile_error", "crash", "wrong_result", "out_of_memory", *(["not_here"] if is_rehearsal else []))
    failure = error.get("class") if error.get("class") in classes else "crash"
    detail = error.get("detail")
    return Failed(str(failure), bounded(error.get("message"), 2_000), None if detail is None else bounded(detail))
