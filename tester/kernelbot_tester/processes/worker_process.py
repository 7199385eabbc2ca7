"""The judge's side of a worker: loads the submission, maps its inputs and outputs, and times its calls."""

from __future__ import annotations

import ctypes
import math
import os
import socket
import time
from typing import Any, Mapping

from ..device.accelerator import AcceleratorContents, Gate, reveal_burst
from ..device.bounds import Timed
from ..device.device import Device
from ..device.host import sealed_memory
from ..device.telemetry import Reading
from ..failures import Failed
from ..sandbox.config import Config
from ..sandbox.native_library import native
from ..worker.library import DEVICE_NS_OFFSET, DONE_OFFSET, FAILED_OFFSET, PART_SUBMIT, PART_WAIT, Sequence
from ..worker.profiling import TABLE_BYTES
from ..worker.protocol import LoadLibrary, LoadModule, Order, RankGroup
from .case_memory import CaseMemory
from .failure_messages import INVALID_MESSAGE, late_write_failure
from .processor_time_limit import ProcessorTimeLimit
from .stoppable_process import StoppableProcess
from .zygote_requests import file_in_memory

#: Maximum size of a profiler trace of one case that is taken from a worker.
TRACE_BYTES = 16 << 20
#: How long the judge polls for the end of a call before it sleeps between checks, in nanoseconds.
SPIN_NS = 50_000_000
#: Longest sleep of the judge between checks of its clock and of the worker's output, in nanoseconds.
CHECK_NS = 1_000_000
#: Time in which a worker submits the calls of a burst before the gate opens, in nanoseconds.
SUBMIT_NS = 50_000_000


class Worker(StoppableProcess):
    """A worker process, which runs a submission or the reference."""

    def __init__(self, control: socket.socket | None, config: Config, device: Device) -> None:
        super().__init__(control, config, device)
        #: Number of the latest request or call.
        self.number = 0
        #: Its open folder /proc/PID/task; negative while it is not open.
        self.tasks = -1
        #: For how long the device still worked when the worker had been stopped, in nanoseconds.
        self.late_ns = 0

    def wait_until_started(self) -> None:
        """As that of every process."""
        super().wait_until_started()
        self.tasks = os.open("task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.proc_folder)

    def close(self) -> None:
        """Kills the worker and waits for its end."""
        super().close()
        if self.tasks >= 0:
            os.close(self.tasks)
            self.tasks = -1

    # ---- loading

    def load(
        self,
        files: dict[str, str],
        module: str,
        function: str,
        compiled: bytes | None = None,
        group: RankGroup | None = None,
    ) -> None:
        """Asks the worker to import a module; `wait_until_loaded` waits for the answer. `compiled`: packed compiler cache of an
        earlier import; `group`: the group of ranks that the worker joins."""
        folder = self.scratch_folder()
        message: LoadModule = {
            "files": files,
            "folder": f"{folder}/job",
            "cache": f"{folder}/cache",
            "module": module,
            "function": function,
            "group": group,
            "simulated_device": self.config.simulated_device,
        }
        kept: list[int] = []
        if compiled is not None:
            kept.append(file_in_memory("compiled", compiled))
        try:
            self.send(message, kept)
        finally:
            for file in kept:
                os.close(file)

    def load_library(self, library: int, name: str) -> None:
        """Asks the worker to load a shared object from an open file; `name` is the name of its source."""
        self.is_built = True
        message: LoadLibrary = {"folder": f"{self.scratch_folder()}/job", "module": name, "function": "custom_kernel"}
        self.send(message, [library])

    def wait_until_loaded(self, limit: float | ProcessorTimeLimit, what: str) -> None:
        """Waits until the module is imported. Raises Failed."""
        self.receive(limit, what)

    def take_build_cache(self, limit: int, deadline: float) -> bytes | None:
        """Returns the content of the worker's cache folder, packed for `load`, of at most `limit` bytes; None where it
        is empty."""
        file = sealed_memory("compiled", limit)
        try:
            size = self._request({"op": "pack"}, [file], deadline).get("size")
            return os.pread(file, size, 0) if isinstance(size, int) and 0 < size <= limit else None
        finally:
            os.close(file)

    # ---- memory of cases

    def device_reading(self) -> Reading | None:
        """Returns the current condition of its device."""
        return self.device.reading()

    def allocate(self, index: int, data: Any, outputs: int, shifts: list[int]) -> CaseMemory:
        """Allocates an arena for inputs of this layout."""
        return CaseMemory(self.device, index, data, outputs, shifts)

    def bind(self, arena: CaseMemory, deadline: float) -> None:
        """Maps an arena into the worker. Replaces an earlier arena of the same index."""
        self._request(
            {
                "op": "bind",
                "index": arena.index,
                "first": arena.first_binding,
                "shifts": arena.shifts,
                "tree": arena.tree,
                "outputs": arena.outputs,
                "memories": [(memory, one.size) for memory, one in arena.memories.items()],
            },
            arena.files,
            deadline,
        )

    def unbind(self, arena: CaseMemory, deadline: float) -> None:
        """Makes the worker drop an arena."""
        self._request({"op": "forget", "index": arena.index}, [], deadline)

    def prepare_burst(self, arenas: list[CaseMemory], gate: Gate, deadline: float) -> None:
        """Sends the worker the arenas of bursts, in order, and their gate."""
        bindings = [arena.binding for arena in arenas]
        self._request({"op": "burst", "bindings": bindings, "size": gate.memory.size}, [gate.memory.file], deadline)

    # ---- profiles

    def start_profiler(self, deadline: float) -> None:
        """Starts the profiler for the calls that follow."""
        self._request({"op": "profile"}, [], deadline)

    def take_profile(self, deadline: float) -> tuple[bytes, bytes | None]:
        """Stops the profiler. Returns table and trace, both untrusted; the trace is None where it is longer than
        `TRACE_BYTES`."""
        file = sealed_memory("profile", TABLE_BYTES + TRACE_BYTES)
        try:
            answer = self._request({"op": "hand_over"}, [file], deadline)
            table, trace = (answer.get(name) for name in ("tableBytes", "traceBytes"))
            if not isinstance(table, int) or not isinstance(trace, int) or table < 0 or trace < 0:
                raise Failed("rejected", INVALID_MESSAGE)
            # The worker is frozen, so the content cannot change while it is read.
            text = os.pread(file, min(table, TABLE_BYTES), 0)
            return text, os.pread(file, trace, TABLE_BYTES) if trace <= TRACE_BYTES else None
        finally:
            os.close(file)

    def _request(self, message: Order, files: list[int], deadline: float) -> Mapping[str, object]:
        self.number += 1
        self.mark_running()
        started = time.monotonic()
        native().kb_thaw(self.pidfd)
        native().kb_order_message(self.channel_address, self.number)
        # The worker must already be reading: a long message does not fit into a socket's buffer.
        self.send(message, files, deadline)
        answer = self.receive(deadline, "answer its judge")
        self.waited_s += time.monotonic() - started
        self.freeze(deadline)
        return answer

    # ---- calls

    def freeze(self, deadline: float) -> None:
        """As that of every process, and waits until the device does nothing more for the worker."""
        if self.stopped_at_ns is None:
            super().freeze(deadline)
            self.late_ns = self.device.drain()

    def sequence(self, first: int, arenas: list[CaseMemory], part: int = 0) -> Sequence:
        """Returns calls on these written arenas, whose orders have the numbers from `first` on."""
        bindings, probes = [arena.binding for arena in arenas], [arena.contents.probes for arena in arenas]
        return Sequence(first, bindings, probes, part, self.pid, self.tasks)

    def after_ns(self, used_ns: int, end_ns: int) -> int:
        """Returns the processor time that the stopped worker has used since the clock stopped at `end_ns`, when it was
        `used_ns`: of several threads at the same time, at most until all had stopped."""
        assert self.stopped_at_ns is not None
        return max(0, min(self.stopped_at_ns - used_ns, self.stopped_ns - end_ns))

    def call(self, arenas: list[CaseMemory], deadline: float, processes: bool = False) -> Timed:
        """Runs the function once on each of these written arenas, without a pause, and returns the time of all. The
        worker is frozen before and after. `processes`: whether the calls, whose time does not count then, may start
        processes; none outlives them."""
        self.check_time(deadline)
        if processes:
            self.allow_processes(True)
        contents = [arena.contents for arena in arenas]
        sequence = self.sequence(self.number + 1, arenas)
        spin_ns = SPIN_NS if self.config.judge_core is not None and not processes else 0
        t0 = ctypes.c_uint64()
        device_ns = ctypes.c_double.from_address(self.channel_address + DEVICE_NS_OFFSET)
        device_ns.value = math.nan
        with self.config.on_judge_core():
            self.mark_running()
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            for one in contents:
                one.reveal()
            self.device.synchronize()
            elapsed = native().kb_call(
                self.channel_address, sequence, self.pidfd, self.proc_folder, spin_ns, CHECK_NS, ctypes.byref(t0)
            )
            while elapsed < 0:
                self.check_running_call(deadline)
                elapsed = native().kb_watch(self.channel_address, sequence, t0.value, self.pidfd, 0, CHECK_NS)
            has_samples = all([one.hold() for one in contents])
            if has_samples:
                self.device.synchronize()
                elapsed = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - start_ns
            self.freeze(deadline)
        self.number += sequence.finished
        self.check_finished_calls(arenas[: sequence.finished])
        if sequence.finished < len(arenas):
            raise Failed("crash", "the submission failed without an error message")
        if has_samples:
            return Timed(elapsed + self.late_ns, device_ns.value + self.late_ns)
        return Timed(elapsed + self.after_ns(sequence.used_ns, sequence.end_ns))

    def call_burst(self, arenas: list[CaseMemory], sampled: list[CaseMemory], gate: Gate, deadline: float) -> Timed:
        """Runs the function on all arenas, and returns the time of all, which ends with samples of some. The calls are
        submitted before the clock starts, and wait at the gate, which opens once the inputs are written. A kernel that
        waits for the device submits the rest afterwards."""
        self.check_time(deadline)
        device_ns = ctypes.c_double.from_address(self.channel_address + DEVICE_NS_OFFSET)
        device_ns.value = math.nan
        contents = [arena.contents for arena in arenas if isinstance(arena.contents, AcceleratorContents)]
        # On a machine with one core, a judge that polls would keep the worker from it.
        polls = self.config.judge_core is not None
        with self.config.on_judge_core():
            self.mark_running()
            submission = self._order_burst(arenas[0], PART_SUBMIT)
            submit_ns = (SUBMIT_NS, 0) if polls else (0, SUBMIT_NS)
            native().kb_watch(self.channel_address, submission, 0, -1, *submit_ns)
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            reveal_burst(contents)
            gate.open()
            self.device.synchronize()
            while submission.finished == 0:
                self.check_running_call(deadline)
                native().kb_watch(self.channel_address, submission, 0, -1, 0, CHECK_NS)
            if not self.has_failed():
                waiting = self._order_burst(arenas[0], PART_WAIT)
                spin_ns = SPIN_NS if polls else 0
                while native().kb_watch(self.channel_address, waiting, 0, self.pidfd, spin_ns, CHECK_NS) < 0:
                    self.check_running_call(deadline)
                    spin_ns = 0
                for arena in sampled:
                    arena.contents.hold()
                self.device.synchronize()
            elapsed = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - start_ns
            self.freeze(deadline)
        self.check_finished_calls(sampled)
        return Timed(elapsed + self.late_ns, device_ns.value + self.late_ns)

    def _order_burst(self, arena: CaseMemory, part: int) -> Sequence:
        """Orders a running worker to do a part of a burst."""
        self.number += 1
        sequence = self.sequence(self.number, [arena], part)
        native().kb_release(self.channel_address, sequence, self.pidfd)
        return sequence

    def check_time(self, deadline: float) -> None:
        """Raises Failed when no time is left for a call."""
        if self.left_s(deadline) < 0:
            raise Failed("timeout", "the time limit was reached before this case")

    def check_running_call(self, deadline: float) -> None:
        """Checks on a running call: drains printed output, and raises Failed when the worker has died or its time is
        up."""
        self._read_output()
        if self.has_keeper_report():
            raise self._exit_failure()
        if self.left_s(deadline) < 0:
            raise Failed("timeout", "the time limit was reached during this case")

    def check_finished_calls(self, arenas: list[CaseMemory]) -> None:
        """Checks the outcome of calls once the worker is frozen. Raises Failed when the last one failed, or one of them
        still writes its output."""
        self._read_output()
        self.raise_call_failure()
        if any([arena.changed_since_done() for arena in arenas]):
            raise late_write_failure()

    def has_failed(self) -> bool:
        """Whether the current call has failed."""
        done, failed = (ctypes.c_uint32.from_address(self.channel_address + offset).value for offset in (DONE_OFFSET, FAILED_OFFSET))
        return failed != 0 and done == self.number & 0xFFFFFFFF

    def raise_call_failure(self) -> None:
        """Raises Failed when the current call has failed."""
        if self.has_failed():
            # The worker sends the message before it sets the words.
            self.receive(time.monotonic() + 0.1, "say what went wrong")
            raise Failed("crash", "the submission failed without an error message")
