"""Memory that a judge shares with its worker, as mapped by the worker."""

from __future__ import annotations

import mmap
import os
from typing import Protocol

import torch

from .driver import Driver
from .layout import Slot


class Shared(Protocol):
    """Memory of one kind."""

    def raw(self, slot: Slot) -> torch.Tensor:
        """Returns the bytes of a slot as a tensor of uint8."""
        ...

    def close(self) -> None:
        """Unmaps the memory."""
        ...


class SharedHost:
    """Memory of the host. It stays mapped while a tensor refers to it."""

    def __init__(self, file: int, size: int) -> None:
        self.memory = mmap.mmap(file, size, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        os.close(file)

    def raw(self, slot: Slot) -> torch.Tensor:
        """Returns the bytes of a slot as a tensor of uint8."""
        return raw_host(self.memory, slot)

    def close(self) -> None:
        """Does nothing: the memory is unmapped with its last tensor."""


class SharedDevice:
    """Memory of a device."""

    def __init__(self, driver: Driver, file: int, size: int) -> None:
        self.driver, self.size = driver, size
        try:
            self.handle = driver.take_in(file)
        finally:
            os.close(file)
        self.address = driver.map(self.handle, size)

    def raw(self, slot: Slot) -> torch.Tensor:
        """Returns the bytes of a slot as a tensor of uint8."""
        return self.driver.raw(self.address + slot.offset, slot.bytes)

    def close(self) -> None:
        """Unmaps the memory. Tensors that the submission kept become invalid."""
        self.driver.synchronize()
        self.driver.unmap(self.address, self.size)
        # Released last: AMD's runtime miscounts references when a handle is released before its mapping
        # (ROCm/ROCR-Runtime#257).
        self.driver.release(self.handle)


def raw_host(memory: mmap.mmap, slot: Slot) -> torch.Tensor:
    """Returns the bytes of a slot of mapped memory, which stays mapped as long as the tensor exists."""
    if slot.bytes == 0:
        return torch.empty(0, dtype=torch.uint8)
    return torch.frombuffer(memory, dtype=torch.uint8, count=slot.bytes, offset=slot.offset)


def copy_elements(source: torch.Tensor, target: torch.Tensor) -> None:
    """Copies the elements. Expanded dimensions (stride 0) are one element in memory and are written once."""
    for dimension, stride in enumerate(target.stride()):
        if stride == 0 and target.shape[dimension] > 1:
            source, target = source.narrow(dimension, 0, 1), target.narrow(dimension, 0, 1)
    target.copy_(source)
