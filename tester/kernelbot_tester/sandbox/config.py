"""Settings that the host determines once for all its jobs."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generator

from ..device.find import FoundAccelerator
from ..worker.machine_turns import MachineTurns
from ..worker.protocol import DeviceProperties
from .allocator import allocator_environment
from .memory_groups import MemoryGroups, NoGroups, find_groups
from .native_library import native

if TYPE_CHECKING:
    from ..device.device import Device


@dataclass(frozen=True)
class Config:
    """Sandbox, cores and limits of workers."""

    sandboxed: bool
    #: Core on which the judge runs while it times a call; None where the machine has only one core.
    judge_core: int | None
    worker_cores: list[int]
    #: Address space of a worker in addition to what Python and PyTorch use.
    memory_bytes: int
    #: Memory limit of all processes together of a builder, of a harness and of a worker on an accelerator, whose
    #: driver reserves more addresses than can be limited.
    cell_bytes: int
    #: Size limit of a worker's /tmp, and of each file.
    scratch_bytes: int = 256 << 20
    threads: int = 512
    open_files: int = 1024
    #: Memory groups, where the kernel limits the memory of each cell; None where no cgroup v2 was delegated to the
    #: tester.
    memory_groups: MemoryGroups | None = None
    #: Accelerator on which problems of targets other than `cpu` are judged; None where this tester judges only `cpu`.
    accelerator: FoundAccelerator | None = None
    #: Why problems of other targets are rehearsed on the processor (stages/rehearsal.py); None where they are not.
    rehearses: str | None = None
    #: Turns with the other testers of this machine.
    turns: MachineTurns = field(default_factory=MachineTurns)
    #: In a rehearsal: device properties that the worker reports.
    simulated_device: DeviceProperties | None = None

    @property
    def all_cores(self) -> list[int]:
        """Cores of the judge and of the workers."""
        return sorted({*self.worker_cores, *([] if self.judge_core is None else [self.judge_core])})

    def worker_environment(self) -> dict[str, str]:
        """Returns the complete environment of a worker."""
        count = str(len(self.worker_cores))
        return {
            "PATH": search_path(),
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "USER": "worker",
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": count,
            "OPENBLAS_NUM_THREADS": count,
            "MKL_NUM_THREADS": count,
            "PYTHONDONTWRITEBYTECODE": "1",
            # torch.profiler's own log messages are not output of the submission.
            "KINETO_LOG_LEVEL": "99",
            **(allocator_environment() if self.accelerator is None else self.accelerator.worker_environment()),
        }

    def device(self) -> "Device":
        """Returns the device for which workers are started, not yet opened."""
        if self.accelerator is not None:
            return self.accelerator.device()
        from ..device.host import HostDevice  # imports PyTorch

        return HostDevice()

    @contextlib.contextmanager
    def on_judge_core(self) -> Generator[None, None, None]:
        """Moves the calling thread to the judge's core, away from the worker's cores."""
        if self.judge_core is None:
            yield
            return
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self.judge_core})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)

    @contextlib.contextmanager
    def awake_core(self) -> Generator[None, None, None]:
        """Context manager between whose calls the worker's core does not go idle."""
        native().kb_keep_awake(self.judge_core is not None)
        try:
            yield
        finally:
            native().kb_keep_awake(False)

    @contextlib.contextmanager
    def steady_cores(self) -> Generator[None, None, None]:
        """As `on_judge_core` and `awake_core`."""
        with self.on_judge_core(), self.awake_core():
            yield


def search_path() -> str:
    """Returns the search path of a worker's programs: the system's, and the folder of the interpreter, where pip
    installs ninja."""
    return os.pathsep.join(dict.fromkeys(["/usr/bin", "/bin", f"{sys.prefix}/bin"]))


def configure(
    sandboxed: bool, accelerator: FoundAccelerator | None = None, rehearses: str | None = None, slots: int = 1
) -> Config:
    """Divides the machine between judge and worker. `slots`: number of testers that share its memory."""
    cores = sorted(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // slots
    return Config(
        sandboxed=sandboxed,
        judge_core=cores[0] if len(cores) > 1 else None,
        worker_cores=cores[1:] or cores,
        # A submission of CPU problems that needs more is faulty; half of the memory is left for the judge.
        memory_bytes=min(8 << 30, memory // 2),
        cell_bytes=memory // 2,
        memory_groups=delegated_groups() if sandboxed else None,
        accelerator=accelerator,
        rehearses=rehearses,
        turns=MachineTurns([] if accelerator is None else accelerator.names or accelerator.nodes),
    )


def delegated_groups() -> MemoryGroups | None:
    """Returns the delegated groups of cgroup v2, or None; the doctor reports the reason."""
    try:
        return find_groups()
    except NoGroups:
        return None
