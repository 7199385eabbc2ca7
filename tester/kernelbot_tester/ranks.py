"""The ranks of a problem for several devices: a worker for each, in one cell-group, timed as one.

The clock runs from before the first is released until the judge holds samples of the outputs of all. What a rank must
have computed is what the reference's rank has, which runs in a group of its own.
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

from .arena import Arena
from .config import Config
from .device.bounds import Timed
from .device.device import Device
from .device.telemetry import Reading, together
from .failures import Failed
from .native import native
from .texts import HeadAndTail
from .work_limit import WorkLimit
from .worker.library import DEVICE_NS_OFFSET
from .workers import LOOK_NS, PRINTED_KEPT, SPIN_NS, Worker, ask_for, check_time, folder_prefix


#: Seconds that other ranks have for the rest of a call after one has failed.
GRACE_S = 1.0


class RankedArena:
    """An arena for each rank; `data` is a list of their inputs."""

    def __init__(self, arenas: list[Arena]) -> None:
        self.arenas = arenas
        #: The size of the output buffers of one rank, which have a device for themselves.
        self.output_bytes = max(arena.output_bytes for arena in arenas)

    def write(self, data: Any) -> bool:
        """Writes the new inputs of every rank. False: one of them needs another layout."""
        return all([arena.write(one) for arena, one in zip(self.arenas, data)])

    def changed_since_done(self) -> bool:
        """Whether an output of any rank has changed since its worker said that it was done."""
        return any([arena.changed_since_done() for arena in self.arenas])

    def take(self) -> list[torch.Tensor]:
        """Private copies of the outputs of all ranks, one rank after the other."""
        return [tensor for arena in self.arenas for tensor in arena.take()]

    def close(self) -> None:
        """Gives the memory back."""
        for arena in self.arenas:
            arena.close()


class RankedWorkers:
    """The workers of all ranks, as one. Use as a context manager."""

    def __init__(self, control: socket.socket, config: Config, devices: list[Device]) -> None:
        self.config = config
        self.device = devices[0]
        #: Where ranks without a sandbox meet.
        self.folder = None if config.sandboxed else tempfile.mkdtemp(prefix=folder_prefix(os.getpid()))
        self.workers = [Worker(None, config, device) for device in devices]
        ask_for(self.workers, control)

    def __enter__(self) -> "RankedWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def meet(self) -> None:
        """Waits for the first words of all."""
        for worker in self.workers:
            worker.meet()

    def allow_processes(self, allowed: bool) -> None:
        """Lets all start processes from now on, or none."""
        for worker in self.workers:
            worker.allow_processes(allowed)

    def load(self, files: dict[str, str], module: str, function: str, compiled: bytes | None = None) -> None:
        """Asks all to join each other and to import a module. `compiled`: of an earlier import."""
        store = f"{self.folder or '/dev/shm'}/ranks"
        backend = "nccl" if self.device.name == "cuda" else "gloo"
        for rank, worker in enumerate(self.workers):
            group = {"rank": rank, "size": len(self.workers), "backend": backend, "store": store}
            worker.load(files, module, function, compiled, group)

    def loaded(self, limit: float | WorkLimit, what: str) -> None:
        """Waits until all have imported it. Raises Failed."""
        for rank, worker in enumerate(self.workers):
            with of_rank(rank):
                worker.loaded(limit, what)

    def reading(self) -> Reading | None:
        """How the devices of all are now, at their worst."""
        return together([one for worker in self.workers if (one := worker.reading()) is not None])

    def arena(self, data: Any, outputs: int) -> RankedArena:
        """Memory for inputs like these."""
        return RankedArena([worker.arena(one, outputs) for worker, one in zip(self.workers, data)])

    def bind(self, index: int, arena: RankedArena, deadline: float) -> None:
        """Shows each its arena."""
        for rank, (worker, one) in enumerate(zip(self.workers, arena.arenas)):
            with of_rank(rank):
                worker.bind(index, one, deadline)

    def forget(self, index: int, deadline: float) -> None:
        """Lets all drop their arenas."""
        for worker in self.workers:
            worker.forget(index, deadline)

    def freeze(self, deadline: float) -> None:
        """Stops every thread of all."""
        for rank, worker in enumerate(self.workers):
            with of_rank(rank):
                worker.freeze(deadline)

    def call(self, index: int, arena: RankedArena, deadline: float, processes: bool = False) -> Timed:
        """Runs the function once in every rank. All are frozen before and after. Nobody is stopped before the last is
        done, since ranks need each other."""
        check_time(deadline)
        if processes:
            self.allow_processes(True)
        spin_ns = SPIN_NS if self.config.judge_core is not None else 0
        pairs = list(zip(self.workers, arena.arenas))
        claims = [ctypes.c_double.from_address(worker.words + DEVICE_NS_OFFSET) for worker in self.workers]
        failing = Failing()
        for worker, claim in zip(self.workers, claims):
            worker.number += 1
            claim.value = float("nan")
        with self.config.on_judge_core():
            for worker in self.workers:
                worker.expect_to_run()
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            for _, one in pairs:
                one.contents.reveal()
            for worker in self.workers:
                native().kb_release(worker.words, worker.number, index, worker.pidfd)
            for worker, one in pairs:
                probes = ctypes.byref(one.contents.probes)
                watch_ns = spin_ns
                while native().kb_watch(worker.words, worker.number, start_ns, -1, watch_ns, LOOK_NS, probes) < 0:
                    watch_ns = 0
                    self._look(deadline, failing)
                one.contents.hold()
            elapsed = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - start_ns
            self.freeze(deadline)
        for rank, (worker, one) in enumerate(pairs):
            with failing.of_rank(rank):
                worker.see_end_of_call(one)
        failing.tell()
        return Timed(elapsed, max(claim.value for claim in claims))

    def _look(self, deadline: float, failing: "Failing") -> None:
        """While they work: raises Failed when one has died, or one has failed and the others seem to wait for it."""
        for rank, worker in enumerate(self.workers):
            with of_rank(rank):
                worker.look(deadline)
        if not any(worker.has_failed() for worker in self.workers) or not failing.is_over():
            return
        for rank, worker in enumerate(self.workers):
            with failing.of_rank(rank):
                worker.see_failure()
        failing.tell(in_vain=True)

    @property
    def waited_s(self) -> float:
        """Seconds that the judge has waited for them outside of their calls."""
        return sum(worker.waited_s for worker in self.workers)

    def processor_time_ns(self) -> int:
        """What all have taken of processors so far."""
        return sum(worker.processor_time_ns() for worker in self.workers)

    def has_run_ahead(self) -> bool:
        """Whether any rank has run while it was stopped."""
        return any([worker.has_run_ahead() for worker in self.workers])

    def take_printed(self) -> HeadAndTail | None:
        """What was printed since the last time, rank by rank."""
        printed = HeadAndTail(PRINTED_KEPT)
        for rank, worker in enumerate(self.workers):
            one = worker.take_printed()
            if one is not None:
                printed.add(f"[rank {rank}]\n".encode() + bytes(one.head) + bytes(one.tail))
        return printed if printed.total else None


class Failing:
    """The failures of the ranks in one call. All are heard, since what a rank says and nobody hears would answer its next
    order."""

    def __init__(self) -> None:
        self.failures: list[Failed] = []
        self.since: float | None = None

    def is_over(self) -> bool:
        """Whether the others have had their time since this was first asked. Whoever talked to a rank that died hears of it
        before we do, and a mistake that all make is not made by all at once."""
        self.since = self.since or time.monotonic()
        return time.monotonic() > self.since + GRACE_S

    @contextlib.contextmanager
    def of_rank(self, rank: int) -> Iterator[None]:
        """Failures in here are this rank's, and are told later."""
        try:
            with of_rank(rank):
                yield
        except Failed as failure:
            self.failures.append(failure)

    def tell(self, in_vain: bool = False) -> None:
        """Raises the first of them; one after which nothing can be called any more comes before one that is only wrong.
        `in_vain`: others work on, so that none can be called again."""
        if not self.failures:
            return
        first = min(self.failures, key=lambda failure: failure.failure == "wrong_result")
        if in_vain and first.failure == "wrong_result":
            raise Failed("crash", f"{first.message}, and other ranks did not end", first.detail)
        raise first


@contextlib.contextmanager
def of_rank(rank: int) -> Iterator[None]:
    """Failures in here are this rank's."""
    try:
        yield
    except Failed as failure:
        raise Failed(failure.failure, f"rank {rank}: {failure.message}", failure.detail) from None


def start_workers(control: socket.socket, config: Config, devices: list[Device]) -> Worker | RankedWorkers:
    """A worker for each device."""
    return Worker(control, config, devices[0]) if len(devices) == 1 else RankedWorkers(control, config, devices)
