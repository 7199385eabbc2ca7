"""Host memory: the device of problems for the target `cpu`."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
from typing import ContextManager

import numpy
import torch

from ..sandbox.native_library import native
from ..worker.layout import Slot, in_host_memory
from ..worker.library import Probes, Region
from ..worker.memory import copy_elements, raw_host
from .device import Memory
from .telemetry import Reading

# linux/fcntl.h; since Python 3.9 the fcntl module has them only where the C library does.
F_ADD_SEALS = 1033
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW = 1, 2, 4

#: Number of bytes of each output that are sampled when the worker signals completion. A late writer with the fraction
#: f of the output still to write is missed in one call with probability (1 - f) ** PROBES.
PROBES = 64
#: Number of random bytes that are repeated over each output before a call.
POISON_BYTES = 4096
ZEROS = memoryview(bytes(64 << 10))
#: Maps all pages (Linux 5.14). For pages that exist, MADV_POPULATE_WRITE takes twice as long.
MADV_POPULATE_READ = 22


def sealed_memory(name: str, size: int) -> int:
    """Returns an open file in memory whose size is sealed, so that no process can shrink it while another has it
    mapped."""
    file = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(file, size)
    fcntl.fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
    return file


class HostMemory:
    """A sealed file in memory, mapped. Frees itself where a failed run has left it open."""

    def __init__(self, size: int) -> None:
        self.size = max(mmap.PAGESIZE, size)
        self.file = sealed_memory("arena", self.size)
        self.memory = mmap.mmap(self.file, self.size)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def populate(self) -> None:
        """Makes all pages exist, by writing them: mapping pages that do not exist takes a worker twice as long."""
        for start in range(0, self.size, len(ZEROS)):
            os.pwrite(self.file, ZEROS[: self.size - start], start)
        with contextlib.suppress(OSError):
            self.memory.madvise(MADV_POPULATE_READ)

    def raw(self, slot: Slot) -> torch.Tensor:
        """Returns the bytes of a slot as a tensor of uint8."""
        return raw_host(self.memory, slot)

    def evict_all(self) -> None:
        """Evicts all of the memory from every core's caches."""
        native().kb_evict(self.base, self.size)

    def close(self) -> None:
        """Frees the memory. The worker may keep its own mapping until it ends."""
        file, self.file = self.file, -1
        if file >= 0:
            os.close(file)

    __del__ = close


class HostContents:
    """Inputs and outputs in host memory. Nothing is withheld, since a frozen worker cannot read it."""

    def __init__(self, slots: list[Slot], memory: HostMemory, outputs: int) -> None:
        self.memory = memory
        self.slots = slots
        self.buffers = slots[len(slots) - outputs :]
        self.output_bytes = sum(slot.bytes for slot in self.buffers)
        self.shift = 0
        self.regions = (Region * len(slots))(*((memory.base + slot.offset, slot.bytes, None) for slot in slots))
        self.places = numpy.zeros(PROBES * outputs, dtype=numpy.uint64)
        self.seen = numpy.zeros(PROBES * outputs, dtype=numpy.uint8)
        self.probes = Probes(self.places.ctypes.data, self.seen.ctypes.data, 0)

    def move(self, shift: int) -> None:
        """Moves the inputs and outputs to `shift` bytes behind the start of the memory."""
        self.shift = shift

    def fill(self, sources: list[torch.Tensor], burst: bool = False) -> None:
        """Writes inputs, poisons the outputs and evicts both from the caches."""
        inputs = len(self.slots) - len(self.buffers)
        for region, slot, source in zip(self.regions, self.slots, sources[:inputs]):
            region.source = source.data_ptr() if source.is_contiguous() else None
            if region.source is None:
                copy_elements(source, self._tensor(slot))
        native().kb_fill(
            self.regions,
            len(self.slots),
            inputs,
            self.shift,
            os.urandom(POISON_BYTES + self.places.nbytes),
            POISON_BYTES,
            self.probes,
            PROBES,
        )

    def reveal(self) -> None:
        """Does nothing: no line was withheld."""

    def hold(self) -> bool:
        """Returns False: the C code read the probes and stopped the clock."""
        return False

    def outputs_now(self) -> list[torch.Tensor]:
        """Returns the outputs, which do not change while the worker is frozen."""
        return [self._tensor(slot) for slot in self.buffers]

    def _tensor(self, slot: Slot) -> torch.Tensor:
        return slot.view(self.memory.raw(slot.shifted(self.shift)))

    def changed_since_done(self) -> bool:
        """Whether a sampled byte has changed since the worker signalled completion."""
        return bool(native().kb_changed(self.probes))


class HostDevice:
    """The processor and its memory."""

    kind = "cpu"
    name = "cpu"

    def of_rank(self, rank: int) -> "HostDevice":
        """Returns this device: ranks share the processor."""
        return self

    def inside(self) -> ContextManager[object]:
        """Returns a context manager without effect: tensors are on the processor by default."""
        return contextlib.nullcontext()

    def start(self) -> None:
        """Does nothing: the processor needs no opening."""

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns `host`, or None for a tensor in other memory."""
        return in_host_memory(tensor)

    def allocate(self, memory: str, size: int) -> HostMemory:
        """Allocates host memory."""
        return HostMemory(size)

    def contents(self, slots: list[Slot], memories: dict[str, Memory], outputs: int) -> HostContents:
        """Returns the contents of an arena."""
        memory = memories["host"]
        assert isinstance(memory, HostMemory)
        memory.populate()
        return HostContents(slots, memory, outputs)

    def synchronize(self) -> None:
        """Returns at once: the processor's work is synchronous."""

    def drain(self) -> int:
        """Returns 0: the processor has no work of stopped processes."""
        return 0

    def reading(self) -> Reading | None:
        """Returns None: the processor's condition is not measured."""
        return None

    def for_worker(self) -> None:
        """Returns None: a worker needs nothing to use host memory."""
        return None
