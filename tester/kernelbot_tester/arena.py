"""The memory that a judge shares with a worker for one case: inputs and output buffers."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
from typing import Any

import numpy
import torch

from .native import native
from .worker.layout import Slot, describe
from .worker.library import Probes

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


class Arena:
    """Shared memory laid out for inputs like `data`, whose last `outputs` tensors are the output buffers."""

    def __init__(self, data: Any, outputs: int) -> None:
        self.tree, placed = describe(data)
        self.slots = [slot for slot, _ in placed]
        self.outputs = outputs
        self.size = max(mmap.PAGESIZE, self.slots[-1].end)
        self.file = sealed_memory("arena", self.size)
        self.memory = mmap.mmap(self.file, self.size)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.bytes = numpy.frombuffer(self.memory, dtype=numpy.uint8)
        self.tensors = [slot.view(self.memory) for slot in self.slots]
        places = PROBES * outputs
        self.places = numpy.zeros(places, dtype=numpy.uint64)
        self.seen = numpy.zeros(places, dtype=numpy.uint8)
        self.random = numpy.random.default_rng(int.from_bytes(os.urandom(16), "little"))
        self.probes = Probes(self.places.ctypes.data, self.seen.ctypes.data, 0)

    def close(self) -> None:
        """Gives the memory back. The worker may keep its own mapping until it ends."""
        os.close(self.file)

    @property
    def buffers(self) -> list[Slot]:
        """The slots of the output buffers."""
        return self.slots[len(self.slots) - self.outputs :]

    @property
    def output_bytes(self) -> int:
        """The size of the output buffers."""
        return sum(slot.bytes for slot in self.buffers)

    def write(self, data: Any) -> bool:
        """Writes new inputs, poisons the outputs and evicts both from the caches. False: they need another layout."""
        tree, placed = describe(data)
        if tree != self.tree:
            return False
        for (slot, source), target in zip(placed[: len(placed) - self.outputs], self.tensors):
            copy(source, target)
        poison = os.urandom(4096)
        for slot in self.buffers:
            native().kb_fill(self.base + slot.offset, slot.bytes, poison, len(poison))
        for slot in self.slots:
            native().kb_evict(self.base + slot.offset, slot.bytes)
        self._place_probes()
        return True

    def _place_probes(self) -> None:
        buffers = [slot for slot in self.buffers if slot.bytes > 0]
        for turn, slot in enumerate(buffers):
            self.places[turn :: len(buffers)][:PROBES] = self.random.integers(
                slot.bytes, size=PROBES, dtype=numpy.uint64
            ) + (self.base + slot.offset)
        self.probes.count = PROBES * len(buffers)

    def changed_since_done(self) -> bool:
        """Whether a sampled byte differs from what it was when the worker said that it was done. It must be frozen."""
        count = self.probes.count
        offsets = (self.places[:count] - numpy.uint64(self.base)).astype(numpy.int64)
        return not numpy.array_equal(self.bytes[offsets], self.seen[:count])

    def take(self) -> list[torch.Tensor]:
        """Private copies of the output buffers. The worker must be frozen."""
        return [tensor.clone() for tensor in self.tensors[len(self.tensors) - self.outputs :]]


def copy(source: torch.Tensor, target: torch.Tensor) -> None:
    """Copies the elements. Expanded dimensions (stride 0) are one element in memory and are written once."""
    for dimension, stride in enumerate(target.stride()):
        if stride == 0 and target.shape[dimension] > 1:
            source, target = source.narrow(dimension, 0, 1), target.narrow(dimension, 0, 1)
    target.copy_(source)
