"""What the host decides once for all its jobs."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator

from .device.find import FoundAccelerator
from .memory_groups import MemoryGroups, NoGroups, find_groups

if TYPE_CHECKING:
    from .device.device import Device


#: Allocations below this size come from memory that glibc keeps (mallopt(3)); measured on the 3.7 MB temporaries of
#: an image kernel: 310 page faults and 1.4 ms a call without it, none and 0.5 ms with it.
KEPT_BYTES = str(256 << 20)


@dataclass(frozen=True)
class Config:
    """Whether there is a sandbox, which cores are whose, and what a worker may use."""

    sandboxed: bool
    #: The core on which the judge watches the clock; None where there is only one core for both.
    judge_core: int | None
    worker_cores: list[int]
    #: Address space of a worker in addition to what Python and PyTorch take.
    memory_bytes: int
    #: Memory of all processes together of a builder, of a harness and of a worker on an accelerator, whose driver reserves
    #: more addresses than can be limited.
    cell_bytes: int
    #: A worker's /tmp, and its largest file.
    scratch_bytes: int = 256 << 20
    threads: int = 512
    open_files: int = 1024
    #: Where the kernel limits the memory of each cell; None where no group of cgroup v2 was delegated to us.
    memory_groups: MemoryGroups | None = None
    #: What problems of other targets than `cpu` are judged on; None where this tester judges those of `cpu` alone.
    accelerator: FoundAccelerator | None = None
    #: Why problems of other targets are rehearsed on the processor, where they are (see `rehearsal`); else None.
    rehearses: str | None = None
    #: In a rehearsal: what the worker is to believe of the device, as `worker.pretended.Properties`.
    pretended: dict[str, Any] | None = None

    def worker_environment(self) -> dict[str, str]:
        """The whole environment of a worker."""
        count = str(len(self.worker_cores))
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "USER": "worker",
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": count,
            "OPENBLAS_NUM_THREADS": count,
            "MKL_NUM_THREADS": count,
            "PYTHONDONTWRITEBYTECODE": "1",
            # What torch.profiler says of its own stages is no output of the submission.
            "KINETO_LOG_LEVEL": "99",
            # Memory that a call gives back stays with the process: else each call pays for new pages, more on some than
            # others.
            "MALLOC_TRIM_THRESHOLD_": KEPT_BYTES,
            "MALLOC_MMAP_THRESHOLD_": KEPT_BYTES,
            **({} if self.accelerator is None else self.accelerator.worker_environment()),
        }

    def device(self) -> "Device":
        """What workers are started for, not opened yet."""
        if self.accelerator is not None:
            return self.accelerator.device()
        from .device.host import HostDevice  # which loads PyTorch

        return HostDevice()

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


def configure(
    sandboxed: bool, accelerator: FoundAccelerator | None = None, rehearses: str | None = None
) -> Config:
    """Splits this machine between judge and worker."""
    cores = sorted(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Config(
        sandboxed=sandboxed,
        judge_core=cores[0] if len(cores) > 1 else None,
        worker_cores=cores[1:] or cores,
        # A submission of CPU problems that needs more is a mistake; half of the memory leaves room for the judge.
        memory_bytes=min(8 << 30, memory // 2),
        cell_bytes=memory // 2,
        memory_groups=delegated_groups() if sandboxed else None,
        accelerator=accelerator,
        rehearses=rehearses,
    )


def delegated_groups() -> MemoryGroups | None:
    """The groups of cgroup v2 that may be made here, if any; the doctor says why not."""
    try:
        return find_groups()
    except NoGroups:
        return None
