"""The device on which a worker's call works: nothing but the processor, or an accelerator."""

from __future__ import annotations

import contextlib
import math
import os
from typing import Any, ContextManager

import torch

from .choice import DriverChoice
from .driver import Driver
from .layout import in_host_memory
from .memory import Shared, SharedDevice, SharedHost


class NoDevice:
    """The processor alone, whose time the judge takes."""

    #: Nanoseconds of the last call by a clock of the device.
    took_ns = math.nan
    #: The device as problems know it.
    name = "cpu"

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """The memory where a tensor lies."""
        return in_host_memory(tensor)

    def inside(self) -> ContextManager[Any]:
        """Tensors are the processor's anyway."""
        return contextlib.nullcontext()

    def synchronize(self) -> None:
        """The processor's own work is done when it returns."""

    def share(self, kind: str, file: int, size: int) -> Shared:
        """Memory that the judge hands over; the file is closed."""
        return SharedHost(file, size)

    def begin(self) -> None:
        """A call begins."""

    def end(self) -> None:
        """The call is over."""


class Device:
    """An accelerator, opened in this process; `number`: of several that it opens."""

    def __init__(self, choice: DriverChoice, number: int | None = None) -> None:
        self.choice = choice
        self.driver = Driver(choice, number)
        self.name = choice.tensors
        self.start, self.finish = self.driver.new_event(), self.driver.new_event()
        self.took_ns = math.nan

    def memory_of(self, tensor: torch.Tensor) -> str | None:
        """The memory where a tensor lies."""
        return self.choice.memory_of(tensor)

    def inside(self) -> ContextManager[Any]:
        """In here, PyTorch's `cuda` is this device."""
        return self.driver.inside()

    def synchronize(self) -> None:
        """Waits for all that this process asked of the device."""
        self.driver.synchronize()

    def share(self, kind: str, file: int, size: int) -> Shared:
        """Memory that the judge hands over; the file is closed."""
        return SharedDevice(self.driver, file, size) if kind == "device" else SharedHost(file, size)

    def begin(self) -> None:
        """A call begins: its time on the device runs from here."""
        self.took_ns = math.nan
        self.driver.record(self.start)

    def end(self) -> None:
        """The call is over when the device has done all of it, on every stream."""
        self.driver.record(self.finish)
        self.driver.synchronize()
        self.took_ns = self.driver.elapsed_ns(self.start, self.finish)


def open_device(asked: dict[str, Any] | None) -> Device | NoDevice:
    """The device that the judge named; the process sees no other."""
    if asked is None:
        # A tester with an accelerator judges problems of the processor too.
        os.environ.pop("KERNELBOT_DEVICE", None)
        return NoDevice()
    choice = DriverChoice(*asked["driver"])
    show(choice, [asked["visible"]])
    return Device(choice)


def open_devices(asked: list[dict[str, Any] | None]) -> list[Device] | list[NoDevice]:
    """The devices of several ranks, all in this process."""
    if len(asked) == 1 or asked[0] is None:
        return [open_device(asked[0])] * len(asked)  # type: ignore[return-value]
    described = [one for one in asked if one is not None]
    choice = DriverChoice(*described[0]["driver"])
    show(choice, [one["visible"] for one in described])
    return [Device(choice, number) for number in range(len(described))]


def show(choice: DriverChoice, visible: list[str | None]) -> None:
    """Lets this process see these devices alone, where their names are known."""
    names = [name for name in visible if name is not None]
    if len(names) == len(visible):
        os.environ["CUDA_VISIBLE_DEVICES" if choice.api == "cu" else "HIP_VISIBLE_DEVICES"] = ",".join(names)
