"""The memories that a judge shares with its worker, as the worker sees them."""

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
        """The bytes of a slot as a tensor of uint8."""
        ...

    def close(self) -> None:
        """Nothing of it is used any more."""
        ...


class SharedHost:
    """Memory of the host, mapped as long as a tensor lies in it."""

    def __init__(self, file: int, size: int) -> None:
        self.memory = mmap.mmap(file, size, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
        os.close(file)

    def raw(self, slot: Slot) -> torch.Tensor:
        """The bytes of a slot as a tensor of uint8."""
        return raw_host(self.memory, slot)

    def close(self) -> None:
        """It goes with the last tensor."""


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
        """The bytes of a slot as a tensor of uint8."""
        return self.driver.raw(self.address + slot.offset, slot.bytes)

    def close(self) -> None:
        """A submission that keeps tensors of it will not find them."""
        self.driver.synchronize()
        self.driver.unmap(self.address, self.size)
        # Only now: AMD's runtime counts wrong when a handle goes before its mapping (ROCm/ROCR-Runtime#257).
        self.driver.release(self.handle)


def raw_host(memory: mmap.mmap, slot: Slot) -> torch.Tensor:
    """The bytes of a slot of mapped memory, which live as long as the tensor does."""
    if slot.bytes == 0:
        return torch.empty(0, dtype=torch.uint8)
    return torch.frombuffer(memory, dtype=torch.uint8, count=slot.bytes, offset=slot.offset)
