"""The driver of the device, of which there is none unless one is named."""

from __future__ import annotations

from typing import Any


class Drivers:
    """The driver that kernels are started by."""

    def __init__(self) -> None:
        self.named: Any = None

    @property
    def active(self) -> Any:
        """That driver. Raises RuntimeError where there is none."""
        if self.named is None:
            raise RuntimeError("0 active drivers ([]). There should only be one.")
        return self.named

    def set_active(self, driver: Any) -> None:
        """Names it."""
        self.named = driver


driver = Drivers()
