"""Runs the reference of a problem for several ranks in the judge's own workers: the ranks communicate, so one process
cannot call it. The whole program is in the sandbox (sandbox/confine.py), so these workers have no sandbox of their own."""

from __future__ import annotations

import functools
import socket
import time
from typing import Any

import torch

from ..device.host import HostDevice
from ..failures import Failed, NotJudged
from ..problem.problem import Problem
from ..processes.worker_group import GroupMemory, WorkerGroup
from ..sandbox.config import Config, configure
from ..sandbox.sandbox import Zygote
from ..stages.checked_calls import BoundCase, load_reference

#: Timeout in seconds for starting the ranks, and for a call; far above the time of any test.
LIMIT_S = 60.0


@functools.cache
def config() -> Config:
    """Returns how the ranks share this machine."""
    return configure(False)


@functools.cache
def zygote() -> Zygote:
    """Returns the zygote that starts the ranks, one for all problems. Raises SandboxError."""
    started = Zygote(config())
    started.wait_until_warm()
    return started


class RankedReference:
    """The ranks of one problem. They are restarted after a call that failed. `control` is the zygote's socket."""

    def __init__(self, problem: Problem, control: socket.socket) -> None:
        self.problem = problem
        self.control = control
        self.workers: WorkerGroup | None = None
        self.bench: BoundCase | None = None

    def answer(self, data: Any) -> tuple[list[torch.Tensor], float]:
        """Returns the outputs of all ranks for the inputs of all, in rank order, and the processor time in seconds.
        Raises NotJudged."""
        deadline = time.monotonic() + LIMIT_S
        try:
            workers, bench = self._started(deadline)
            arena = bench.prepare(data, deadline)
            assert isinstance(arena, GroupMemory)
            before_ns = workers.processor_time_ns()
            workers.call([arena], deadline)
            outputs = [tensor.clone() for tensor in arena.outputs_now()]
            return outputs, (workers.processor_time_ns() - before_ns) / 1e9
        except Failed as failure:
            self.close()
            raise NotJudged(f"the problem's ref_kernel failed in its workers: {failure.message}") from None

    def _started(self, deadline: float) -> tuple[WorkerGroup, BoundCase]:
        if self.workers is None:
            self.workers = WorkerGroup(self.control, config(), [HostDevice()] * self.problem.ranks)
            load_reference(self.workers, self.problem.files, deadline)
            self.workers.freeze(deadline)
            self.bench = BoundCase(self.workers, self.problem.outputs, 0)
        assert self.bench is not None
        return self.workers, self.bench

    def close(self) -> None:
        """Ends the ranks."""
        if self.workers is not None:
            self.workers.__exit__()
        self.workers = self.bench = None
