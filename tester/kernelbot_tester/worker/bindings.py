"""Inputs and outputs in shared memory, ready for calls of the function."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import torch

from . import layout, library
from .device import Device, NoDevice
from .memory import Shared, SharedDevice
from .native_kernel import NativeKernel
from .protocol import Bind, Burst


class Binding:
    """An input at one address, ready to be passed to the function."""

    def __init__(self, message: Bind, shift: int, memories: Mapping[str, Shared]) -> None:
        def view(slot: layout.Slot) -> torch.Tensor:
            return slot.view(memories[slot.memory].raw(slot.shifted(shift)))

        self.data, tensors = layout.rebuild(message["tree"], view)
        self.buffers = tensors[len(tensors) - message["outputs"] :]

    def call(self, function: Callable[[Any], Any]) -> library.BoundCall:
        """Returns the call of the function on this input, for C code. It keeps no reference."""
        buffer = id(self.buffers[0]) if len(self.buffers) == 1 else None
        return library.BoundCall(id(function), id(self.data), buffer)


class Bindings:
    """Inputs by the numbers in the judge's orders. Each case has its own memory."""

    def __init__(self, device: Device | NoDevice, function: Callable[[Any], Any]) -> None:
        self.device = device
        self.kernel = function if isinstance(function, NativeKernel) else None
        self.bindings: dict[int, Binding] = {}
        self.cases: dict[int, tuple[dict[str, Shared], range]] = {}
        #: Inputs of a burst, in order, its gate, and the number of bursts so far.
        self.burst: list[Binding] = []
        self.gate: SharedDevice | None = None
        self.bursts = 0
        self.use(function)

    def bind(self, message: Bind, files: list[int]) -> None:
        """Maps the memories of a case, and makes a binding for each shift."""
        self.forget(message["index"])
        memories = {
            kind: self.device.share(kind, file, size) for (kind, size), file in zip(message["memories"], files)
        }
        numbers = range(message["first"], message["first"] + len(message["shifts"]))
        self.cases[message["index"]] = memories, numbers
        for number, shift in zip(numbers, message["shifts"]):
            binding = self.bindings[number] = Binding(message, shift, memories)
            if self.kernel is not None:
                binding.data = self.kernel.bind(binding.data)
        self.use(self.function)

    def prepare_burst(self, message: Burst, file: int) -> None:
        """Keeps the inputs of bursts, and maps their gate."""
        assert isinstance(self.device, Device)
        self.burst = [self.bindings[number] for number in message["bindings"]]
        if self.gate is not None:
            self.gate.close()
        self.gate, self.bursts = SharedDevice(self.device.driver, file, message["size"]), 0

    def use(self, function: Callable[[Any], Any]) -> None:
        """Makes the calls on all inputs call this function."""
        self.function = function
        #: Calls by number, for C code.
        self.calls = (library.BoundCall * (max(self.bindings, default=-1) + 1))()
        for number, binding in self.bindings.items():
            self.calls[number] = binding.call(function)

    def forget(self, index: int) -> None:
        """Frees the memory of a case, if there is any."""
        memories, numbers = self.cases.pop(index, ({}, range(0)))
        for number in numbers:
            self.bindings.pop(number, None)
        for memory in memories.values():
            memory.close()
