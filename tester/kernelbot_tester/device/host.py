"""Host memory: problems of the target `cpu`."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
from typing import Any, ContextManager

import numpy
import torch

from ..native import native
from ..worker.layout import Slot, in_host_memory
from ..worker.library import Probes
from ..worker.memory import raw_host
from .device import Memory
from .telemetry import Reading

# linux/fcntl.h; the fcntl module names them since Python 3.9 only where the C library does.
F_ADD_SEALS = 1033
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW = 1, 2, 4

#: Places of each output that are read when the worker says that it is done. A late writer that had f of the output
#: still to write stays unseen in one call with probability (1 - f) ** PROBES.
PROBES = 64


def sealed_memory(name: str, size: int) -> int:
    """An open file of memory that nobody can shrink under the other's feet."""
    file = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(file, size)
    fcntl.fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
    return file


def is_processor(target: str) -> bool:
    """Whether a board is about a processor, as core's `deviceOf`."""
    return target == "cpu" or target.startswith("cpu-")


class HostMemory:
    """A sealed file in memory, mapped."""

    def __init__(self, size: int) -> None:
        self.size = max(mmap.PAGESIZE, size)
        self.file = sealed_memory("arena", self.size)
        self.memory = mmap.mmap(self.file, self.size)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.bytes = numpy.frombuffer(self.memory, dtype=numpy.uint8)

    def raw(self, slot: Slot) -> torch.Tensor:
        """The bytes of a slot as a tensor of uint8."""
        return raw_host(self.memory, slot)

    def evict(self, slot: Slot) -> None:
        """Takes the slot out of every core's caches."""
        native().kb_evict(self.base + slot.offset, slot.bytes)

    def evict_all(self) -> None:
        """Takes all of it out of every core's caches."""
        native().kb_evict(self.base, self.size)

    def close(self) -> None:
        """Gives the memory back. The worker may keep its own mapping until it ends."""
        os.close(self.file)


class HostContents:
    """Inputs and outputs in host memory, which a frozen worker cannot read: nothing needs to be hidden."""

    def __init__(self, slots: list[Slot], memory: HostMemory, outputs: int) -> None:
        self.memory = memory
        self.slots = slots
        self.buffers = slots[len(slots) - outputs :]
        self.tensors = [slot.view(memory.raw(slot)) for slot in slots]
        self.outputs = self.tensors[len(slots) - outputs :]
        self.output_bytes = sum(slot.bytes for slot in self.buffers)
        places = PROBES * outputs
        self.places = numpy.zeros(places, dtype=numpy.uint64)
        self.seen = numpy.zeros(places, dtype=numpy.uint8)
        self.random = numpy.random.default_rng(int.from_bytes(os.urandom(16), "little"))
        self.probes = Probes(self.places.ctypes.data, self.seen.ctypes.data, 0)

    def fill(self, sources: list[torch.Tensor]) -> None:
        """Writes inputs, poisons the outputs and evicts both from the caches."""
        for source, target in zip(sources[: len(sources) - len(self.buffers)], self.tensors):
            copy(source, target)
        poison = os.urandom(4096)
        for slot in self.buffers:
            native().kb_fill(self.memory.base + slot.offset, slot.bytes, poison, len(poison))
        for slot in self.slots:
            self.memory.evict(slot)
        self._place_probes()

    def _place_probes(self) -> None:
        buffers = [slot for slot in self.buffers if slot.bytes > 0]
        for turn, slot in enumerate(buffers):
            self.places[turn :: len(buffers)][:PROBES] = self.random.integers(
                slot.bytes, size=PROBES, dtype=numpy.uint64
            ) + (self.memory.base + slot.offset)
        self.probes.count = PROBES * len(buffers)

    def reveal(self) -> None:
        """Nothing was hidden."""

    def hold(self) -> bool:
        """The C code read the probes and stopped the clock."""
        return False

    def outputs_now(self) -> list[torch.Tensor]:
        """The outputs, which stay as they are while the worker is frozen."""
        return self.outputs

    def changed_since_done(self) -> bool:
        """Whether a sampled byte differs from what it was when the worker said that it was done."""
        count = self.probes.count
        offsets = (self.places[:count] - numpy.uint64(self.memory.base)).astype(numpy.int64)
        return not numpy.array_equal(self.memory.bytes[offsets], self.seen[:count])


class HostDevice:
    """The processor and its memory."""

    kind = "cpu"
    name = "cpu"

    def of_rank(self, rank: int) -> "HostDevice":
        """Ranks share the processor."""
        return self

    def inside(self) -> ContextManager[Any]:
        """Tensors are the processor's anyway."""
        return contextlib.nullcontext()

    def start(self) -> None:
        """There is nothing to open."""

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Host memory is the only one."""
        return in_host_memory(tensor)

    def allocate(self, memory: str, size: int) -> HostMemory:
        """New memory."""
        return HostMemory(size)

    def contents(self, slots: list[Slot], memories: dict[str, Memory], outputs: int) -> HostContents:
        """The contents of an arena."""
        memory = memories["host"]
        assert isinstance(memory, HostMemory)
        return HostContents(slots, memory, outputs)

    def synchronize(self) -> None:
        """The processor's own work is done when it returns."""

    def reading(self) -> Reading | None:
        """Nobody measures it."""
        return None

    def for_worker(self) -> dict[str, Any] | None:
        """Nothing."""
        return None


def copy(source: torch.Tensor, target: torch.Tensor) -> None:
    """Copies the elements. Expanded dimensions (stride 0) are one element in memory and are written once."""
    for dimension, stride in enumerate(target.stride()):
        if stride == 0 and target.shape[dimension] > 1:
            source, target = source.narrow(dimension, 0, 1), target.narrow(dimension, 0, 1)
    target.copy_(source)
