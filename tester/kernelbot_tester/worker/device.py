"""The device of a worker's calls: the processor or an accelerator."""

from __future__ import annotations

import contextlib
import math
import os
from typing import ContextManager, Sequence

import torch

from .driver import Driver
from .driver_choice import DriverChoice
from .layout import in_host_memory
from .memory import Shared, SharedDevice, SharedHost
from .protocol import DeviceRequest


class NoDevice:
    """The processor. Only the judge's clock times its calls."""

    #: Time of the last call by a clock of the device, in nanoseconds; NaN without such a clock.
    took_ns = math.nan
    #: Device name as problems use it.
    name = "cpu"

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns the memory that holds a tensor."""
        return in_host_memory(tensor)

    def inside(self) -> ContextManager[object]:
        """Returns a context manager without effect: tensors are on the processor by default."""
        return contextlib.nullcontext()

    def synchronize(self) -> None:
        """Returns at once: the processor's work is synchronous."""

    def share(self, kind: str, file: int, size: int) -> Shared:
        """Maps memory that the judge shares, and closes the file."""
        return SharedHost(file, size)

    def begin(self) -> None:
        """Marks the start of a call."""

    def end(self) -> None:
        """Marks the end of a call."""


class Device:
    """An accelerator, opened in this process; `number`: its ordinal where the process opens several."""

    def __init__(self, choice: DriverChoice, number: int | None = None) -> None:
        self.choice = choice
        self.driver = Driver(choice, number)
        self.name = choice.tensors
        self.start, self.finish = self.driver.new_event(), self.driver.new_event()
        self.record_start, self.record_finish = self.driver.recorder(self.start), self.driver.recorder(self.finish)
        self.took_ns = math.nan

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """Returns the memory that holds a tensor."""
        return self.choice.memory_of(tensor)

    def inside(self) -> ContextManager[object]:
        """Returns a context manager in which PyTorch's `cuda` is this device."""
        return self.driver.inside()

    def synchronize(self) -> None:
        """Waits for all work that this process has submitted to the device."""
        self.driver.synchronize()

    def share(self, kind: str, file: int, size: int) -> Shared:
        """Maps memory that the judge shares, and closes the file."""
        return SharedDevice(self.driver, file, size) if kind == "device" else SharedHost(file, size)

    def begin(self) -> None:
        """Marks the start of a call on the device."""
        self.took_ns = math.nan
        self.record_start()

    def wait_at(self, gate: SharedDevice, number: int) -> None:
        """Makes the current stream wait until the word at the start of this memory is at least `number`."""
        self.driver.wait_for_word(gate.address, number)
        if self.choice.tensors == "cpu":
            # The processor, which works on this memory too, waits with the device.
            self.driver.synchronize()

    def end(self) -> None:
        """Marks the end of a call, and waits for it."""
        self.record_finish()
        self.finish_call()

    def finish_call(self) -> None:
        """Waits until the device has finished its work on every stream, and takes the time of the call."""
        self.driver.synchronize()
        self.took_ns = self.driver.elapsed_ns(self.start, self.finish)


def open_device(request: DeviceRequest | None) -> Device | NoDevice:
    """Opens the device that the judge named; the process sees no other."""
    if request is None:
        # A tester with an accelerator also judges problems of the processor.
        os.environ.pop("KERNELBOT_DEVICE", None)
        return NoDevice()
    choice = DriverChoice(*request["driver"])
    show(choice, [request["visible"]])
    return Device(choice)


def open_devices(requests: Sequence[DeviceRequest | None]) -> Sequence[Device | NoDevice]:
    """Opens the devices of several ranks in this process."""
    known = [request for request in requests if request is not None]
    if len(requests) == 1 or not known:
        return [open_device(requests[0])] * len(requests)
    choice = DriverChoice(*known[0]["driver"])
    show(choice, [request["visible"] for request in known])
    return [Device(choice, number) for number in range(len(known))]


def show(choice: DriverChoice, visible: list[str | None]) -> None:
    """Makes only these devices visible to this process, where their names are known."""
    names = [name for name in visible if name is not None]
    if len(names) == len(visible):
        os.environ["CUDA_VISIBLE_DEVICES" if choice.api == "cu" else "HIP_VISIBLE_DEVICES"] = ",".join(names)
