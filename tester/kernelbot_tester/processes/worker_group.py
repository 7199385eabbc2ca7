"""Workers of a problem for several devices: one for each rank, in one group of cells, timed together.

The clock runs from before the first rank is released until the judge holds samples of the outputs of all. Each rank's
output is compared with the output of the same rank of the reference, which runs in its own group.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import socket
import tempfile
import time
from typing import Any, Iterator

import torch

from ..device.bounds import Timed
from ..device.device import Device
from ..device.telemetry import Reading, together
from ..failures import Failed
from ..sandbox.config import Config
from ..sandbox.native_library import native
from ..untrusted_text import HeadAndTail
from ..worker.library import DEVICE_NS_OFFSET, Sequence
from ..worker.protocol import RankGroup
from .case_memory import CaseMemory
from .processor_time_limit import ProcessorTimeLimit
from .sandboxed_process import PRINTED_KEPT_BYTES
from .worker_process import CHECK_NS, SPIN_NS, Worker
from .zygote_requests import folder_prefix, request_processes


#: Seconds that the other ranks have to finish a call after one has failed.
GRACE_S = 1.0


class GroupMemory:
    """One memory for each rank; `data` is a list of their inputs."""

    def __init__(self, memories: list[CaseMemory]) -> None:
        self.memories = memories
        #: Size of the output buffers of one rank, the largest of all ranks: each rank has its own device.
        self.output_bytes = max(memory.output_bytes for memory in memories)

    def write(self, data: Any) -> bool:
        """Writes the new inputs of every rank. Returns False where one of them needs another layout."""
        return all([memory.write(one) for memory, one in zip(self.memories, data)])

    def changed_since_done(self) -> bool:
        """Whether an output of any rank has changed since its worker signalled completion."""
        return any([memory.changed_since_done() for memory in self.memories])

    def outputs_now(self) -> list[torch.Tensor]:
        """Returns the outputs of all ranks, in rank order. They do not change while the workers are frozen."""
        return [tensor for memory in self.memories for tensor in memory.outputs_now()]

    def close(self) -> None:
        """Frees the memories."""
        for memory in self.memories:
            memory.close()


class WorkerGroup:
    """The workers of all ranks, with the interface of a single worker. Use as a context manager."""

    def __init__(self, control: socket.socket, config: Config, devices: list[Device]) -> None:
        self.config = config
        self.device = devices[0]
        #: Folder in which the ranks rendezvous where there is no sandbox.
        self.folder = None if config.sandboxed else tempfile.mkdtemp(prefix=folder_prefix(os.getpid()))
        self.workers = [Worker(None, config, device) for device in devices]
        request_processes(self.workers, control)

    def __enter__(self) -> "WorkerGroup":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for worker in self.workers:
            worker.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        """Kills every worker."""
        for worker in self.workers:
            worker.kill()

    def wait_until_started(self) -> None:
        """Waits for the first message of every worker."""
        for worker in self.workers:
            worker.wait_until_started()

    def allow_processes(self, allowed: bool) -> None:
        """Lets all workers start processes, or refuses that."""
        for worker in self.workers:
            worker.allow_processes(allowed)

    def load(self, files: dict[str, str], module: str, function: str, compiled: bytes | None = None) -> None:
        """Asks all workers to join one process group and to import a module. `compiled`: packed compiler cache of an
        earlier import."""
        store = f"{self.folder or '/dev/shm'}/ranks"
        backend = "nccl" if self.device.name == "cuda" else "gloo"
        for rank, worker in enumerate(self.workers):
            group: RankGroup = {"rank": rank, "size": len(self.workers), "backend": backend, "store": store}
            worker.load(files, module, function, compiled, group)

    def wait_until_loaded(self, limit: float | ProcessorTimeLimit, what: str) -> None:
        """Waits until all have imported the module. Raises Failed."""
        for rank, worker in enumerate(self.workers):
            with naming_rank(rank):
                worker.wait_until_loaded(limit, what)

    def device_reading(self) -> Reading | None:
        """Returns the worst current condition of the devices."""
        return together([one for worker in self.workers if (one := worker.device_reading()) is not None])

    def allocate(self, index: int, data: Any, outputs: int, shifts: list[int]) -> GroupMemory:
        """Allocates memories for inputs of this layout."""
        return GroupMemory([worker.allocate(index, one, outputs, shifts) for worker, one in zip(self.workers, data)])

    def bind(self, memory: GroupMemory, deadline: float) -> None:
        """Maps each worker's memory."""
        for rank, (worker, one) in enumerate(zip(self.workers, memory.memories)):
            with naming_rank(rank):
                worker.bind(one, deadline)

    def unbind(self, memory: GroupMemory, deadline: float) -> None:
        """Makes all workers drop their memories."""
        for worker, one in zip(self.workers, memory.memories):
            worker.unbind(one, deadline)

    def freeze(self, deadline: float) -> None:
        """Stops every thread of all workers."""
        for rank, worker in enumerate(self.workers):
            with naming_rank(rank):
                worker.freeze(deadline)

    def call(self, memories: list[GroupMemory], deadline: float, processes: bool = False) -> Timed:
        """Runs the function once in every rank, on the only one of `memories`. All workers are frozen before and after.
        None is stopped before the last is done, since ranks depend on each other."""
        (memory,) = memories
        for worker in self.workers:
            worker.check_time(deadline)
        if processes:
            self.allow_processes(True)
        spin_ns = SPIN_NS if self.config.judge_core is not None else 0
        pairs = list(zip(self.workers, memory.memories))
        device_times = [ctypes.c_double.from_address(worker.channel_address + DEVICE_NS_OFFSET) for worker in self.workers]
        failures = RankFailures()
        sequences: list[Sequence] = []
        for (worker, one), device_ns in zip(pairs, device_times):
            worker.number += 1
            sequences.append(Sequence(worker.number, [one.binding], [one.contents.probes]))
            device_ns.value = float("nan")
        with self.config.on_judge_core():
            for worker in self.workers:
                worker.mark_running()
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            for _, one in pairs:
                one.contents.reveal()
            for worker in self.workers:
                worker.device.synchronize()
            for worker, sequence in zip(self.workers, sequences):
                native().kb_release(worker.channel_address, sequence, worker.pidfd)
            for (worker, one), sequence in zip(pairs, sequences):
                watch_ns = spin_ns
                while native().kb_watch(worker.channel_address, sequence, start_ns, -1, watch_ns, CHECK_NS) < 0:
                    watch_ns = 0
                    self._check_running_call(deadline, failures)
                one.contents.hold()
                worker.device.synchronize()
            used = [native().kb_processor_time_now(worker.pid, worker.tasks) for worker in self.workers]
            end_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            self.freeze(deadline)
        for rank, (worker, one) in enumerate(pairs):
            with failures.collect(rank):
                worker.check_finished_calls([one])
        failures.raise_most_serious()
        late_ns = max(worker.late_ns for worker in self.workers)
        after_ns = late_ns + max(worker.after_ns(used_ns, end_ns) for worker, used_ns in zip(self.workers, used))
        return Timed(end_ns - start_ns + after_ns, max(device_ns.value for device_ns in device_times) + late_ns)

    def _check_running_call(self, deadline: float, failures: "RankFailures") -> None:
        """Checks on a running call: raises Failed when a rank has died, or has failed and the others do not finish."""
        for rank, worker in enumerate(self.workers):
            with naming_rank(rank):
                worker.check_running_call(deadline)
        if not any(worker.has_failed() for worker in self.workers) or not failures.grace_period_is_over():
            return
        for rank, worker in enumerate(self.workers):
            with failures.collect(rank):
                worker.raise_call_failure()
        failures.raise_most_serious(others_are_running=True)

    @property
    def waited_s(self) -> float:
        """Seconds that the judge has waited for the workers outside of their calls."""
        return sum(worker.waited_s for worker in self.workers)

    def processor_time_ns(self) -> int:
        """Returns the processor time of all workers so far, in nanoseconds."""
        return sum(worker.processor_time_ns() for worker in self.workers)

    def has_run_while_stopped(self) -> bool:
        """Whether any rank has run while it was stopped."""
        return any([worker.has_run_while_stopped() for worker in self.workers])

    def take_printed(self) -> HeadAndTail | None:
        """Returns what was printed since the last call, in rank order, or None."""
        printed = HeadAndTail(PRINTED_KEPT_BYTES)
        for rank, worker in enumerate(self.workers):
            one = worker.take_printed()
            if one is not None:
                printed.add(f"[rank {rank}]\n".encode() + bytes(one.head) + bytes(one.tail))
        return printed if printed.total else None


class RankFailures:
    """Failures of the ranks in one call. All are read, since an unread message would be taken for the answer to the
    rank's next message."""

    def __init__(self) -> None:
        self.failures: list[Failed] = []
        self.since: float | None = None

    def grace_period_is_over(self) -> bool:
        """Whether the grace period since the first call of this method is over. Ranks that communicated with a rank
        that died may fail before the judge notices its death, and an error that all ranks share does not reach all at
        once."""
        self.since = self.since or time.monotonic()
        return time.monotonic() > self.since + GRACE_S

    @contextlib.contextmanager
    def collect(self, rank: int) -> Iterator[None]:
        """Collects failures in its body as failures of this rank; `raise_most_serious` raises them."""
        try:
            with naming_rank(rank):
                yield
        except Failed as failure:
            self.failures.append(failure)

    def raise_most_serious(self, others_are_running: bool = False) -> None:
        """Raises the most serious failure: any other class before `wrong_result`. `others_are_running`: so that none of
        the ranks can be called again."""
        if not self.failures:
            return
        first = min(self.failures, key=lambda failure: failure.failure == "wrong_result")
        if others_are_running and first.failure == "wrong_result":
            raise Failed("crash", f"{first.message}, and other ranks did not end", first.detail)
        raise first


@contextlib.contextmanager
def naming_rank(rank: int) -> Iterator[None]:
    """Adds the rank to failures in its body."""
    try:
        yield
    except Failed as failure:
        raise Failed(failure.failure, f"rank {rank}: {failure.message}", failure.detail) from None


def start_workers(control: socket.socket, config: Config, devices: list[Device]) -> Worker | WorkerGroup:
    """Starts a worker for each device."""
    return Worker(control, config, devices[0]) if len(devices) == 1 else WorkerGroup(control, config, devices)
