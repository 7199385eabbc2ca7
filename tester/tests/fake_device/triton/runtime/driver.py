"""The driver of the device; none exists until one is set."""

from __future__ import annotations

from typing import Any


class Drivers:
    """The driver with which kernels are started."""

    def __init__(self) -> None:
        self.named: Any = None

    @property
    def active(self) -> Any:
        """The active driver. Raises RuntimeError where there is none."""
        if self.named is None:
            raise RuntimeError("0 active drivers ([]). There should only be one.")
        return self.named

    def set_active(self, driver: Any) -> None:
        """Sets the active driver."""
        self.named = driver


driver = Drivers()
