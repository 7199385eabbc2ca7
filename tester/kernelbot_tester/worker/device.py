"""The device on which a worker's call works: nothing but the processor, or an accelerator."""

from __future__ import annotations

import math
import os
from typing import Any

from .choice import DriverChoice
from .driver import Driver
from .memory import Shared, SharedDevice, SharedHost


class NoDevice:
    """The processor alone, whose time the judge takes."""

    #: Nanoseconds of the last call by a clock of the device.
    took_ns = math.nan

    def share(self, kind: str, file: int, size: int) -> Shared:
        """Memory that the judge hands over; the file is closed."""
        return SharedHost(file, size)

    def begin(self) -> None:
        """A call begins."""

    def end(self) -> None:
        """The call is over."""


class Device:
    """An accelerator, opened in this process."""

    def __init__(self, choice: DriverChoice) -> None:
        self.driver = Driver(choice)
        self.start, self.finish = self.driver.new_event(), self.driver.new_event()
        self.took_ns = math.nan

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
    if asked["visible"] is not None:
        os.environ["CUDA_VISIBLE_DEVICES" if choice.api == "cu" else "HIP_VISIBLE_DEVICES"] = asked["visible"]
    return Device(choice)
