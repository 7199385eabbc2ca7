"""What the host decides once for all its jobs."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import Iterator


@dataclass(frozen=True)
class Config:
    """Whether there is a sandbox, which cores are whose, and what a worker may use."""

    sandboxed: bool
    #: The core on which the judge watches the clock; None where there is only one core for both.
    judge_core: int | None
    worker_cores: list[int]
    #: Address space of a worker in addition to what Python and PyTorch take.
    memory_bytes: int
    #: A worker's /tmp, and its largest file.
    scratch_bytes: int = 256 << 20
    threads: int = 512
    open_files: int = 1024

    @contextlib.contextmanager
    def on_judge_core(self) -> Iterator[None]:
        """Keeps this thread away from the worker's cores."""
        if self.judge_core is None:
            yield
            return
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self.judge_core})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)


def configure(sandboxed: bool) -> Config:
    """Splits this machine between judge and worker."""
    cores = sorted(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Config(
        sandboxed=sandboxed,
        judge_core=cores[0] if len(cores) > 1 else None,
        worker_cores=cores[1:] or cores,
        # A submission of CPU problems that needs more is a mistake; half of the memory leaves room for the judge.
        memory_bytes=min(8 << 30, memory // 2),
    )
