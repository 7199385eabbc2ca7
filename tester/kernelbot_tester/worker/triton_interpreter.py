"""Runs Triton kernels in Triton's interpreter on a machine without the device, with a driver that reports the
simulated device."""

from __future__ import annotations

import importlib
import os
import types
from typing import TYPE_CHECKING, Any

from .faults import refuse

if TYPE_CHECKING:
    from .simulated_device import Properties

#: Text of the interpreter's error for an unsupported operation.
UNKNOWN = "not supported in interpreter mode"
#: AMD's architecture names by compute capability.
ARCHITECTURES = {(9, 4): "gfx942", (9, 5): "gfx950"}


def prepare(device: Properties) -> None:
    """Prepares Triton, where it is installed, for a device with these properties."""
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        triton: Any = importlib.import_module("triton")
        tuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
    except Exception:  # Not installed, or incompatible with this PyTorch: submissions that need it get its own error.
        return
    take_first(tuner)
    triton.runtime.driver.set_active(Driver(device))
    without_libdevice()


def take_first(tuner: Any) -> None:
    """Makes autotuned kernels run in their first configuration, since tuning would need a device for timing."""
    make = tuner.__init__

    def made(self: Any, fn: Any, arg_names: Any, configs: Any, *rest: Any, **named: Any) -> None:
        make(self, fn, arg_names, configs[:1], *rest, **named)

    tuner.__init__ = made


def without_libdevice() -> None:
    """Refuses functions of libdevice, for which the interpreter would silently return nothing."""
    try:
        library: Any = importlib.import_module("triton.language.extra.libdevice")
    except ImportError:
        return
    for name, value in list(vars(library).items()):
        if isinstance(value, types.FunctionType):
            setattr(library, name, refuse(f"libdevice.{name}, which Triton's interpreter does not have"))


class Driver:
    """The queries that kernels make to the driver before a launch: properties of the device."""

    def __init__(self, device: Properties) -> None:
        self.device = device
        self.utils = types.SimpleNamespace(get_device_properties=self._properties)

    def _properties(self, _: Any = 0) -> dict[str, int]:
        return {"multiprocessor_count": self.device.multi_processor_count, "warpSize": self.device.warp_size}

    def get_current_target(self) -> Any:
        """Returns backend, architecture and threads of a warp."""
        capability = (self.device.major, self.device.minor)
        is_amd = capability in ARCHITECTURES
        architecture = ARCHITECTURES[capability] if is_amd else 10 * capability[0] + capability[1]
        return types.SimpleNamespace(
            backend="hip" if is_amd else "cuda", arch=architecture, warp_size=self.device.warp_size
        )

    def get_active_torch_device(self) -> Any:
        """Returns the device on which tensors are created."""
        import torch

        return torch.device("cuda", 0)

    def __getattr__(self, name: str) -> Any:
        # Names such as __len__ are looked up by Python itself.
        if name.startswith("__"):
            raise AttributeError(name)
        return refuse(f"Triton's driver ({name}), as what is timed or compiled for a device does")()
