"""Triton where its device is not there: kernels run in its interpreter, and its driver answers as that of the device would."""

from __future__ import annotations

import importlib
import os
import types
from typing import Any

from .faults import refuse

#: How the interpreter says that it cannot run something.
UNKNOWN = "not supported in interpreter mode"
#: What AMD calls devices of these compute capabilities.
ARCHITECTURES = {(9, 4): "gfx942", (9, 5): "gfx950"}


def prepare(device: Any) -> None:
    """Makes Triton, where it is installed, ready for a device of these `pretended.Properties`."""
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        triton: Any = importlib.import_module("triton")
        tuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
    except Exception:  # It is not installed, or does not go with this PyTorch: who needs it will see.
        return
    take_first(tuner)
    triton.runtime.driver.set_active(Driver(device))
    without_libdevice()


def take_first(tuner: Any) -> None:
    """Has kernels run in their first configuration: to tune them, a device would have to time them."""
    make = tuner.__init__

    def made(self: Any, fn: Any, arg_names: Any, configs: Any, *rest: Any, **named: Any) -> None:
        make(self, fn, arg_names, configs[:1], *rest, **named)

    tuner.__init__ = made


def without_libdevice() -> None:
    """Refuses what the interpreter takes for functions that give nothing."""
    try:
        library: Any = importlib.import_module("triton.language.extra.libdevice")
    except ImportError:
        return
    for name, value in list(vars(library).items()):
        if isinstance(value, types.FunctionType):
            setattr(library, name, refuse(f"libdevice.{name}, which Triton's interpreter does not have"))


class Driver:
    """What kernels ask of the driver before they are started: which device it is."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.utils = types.SimpleNamespace(get_device_properties=self._properties)

    def _properties(self, _: Any = 0) -> dict[str, int]:
        return {"multiprocessor_count": self.device.multi_processor_count, "warpSize": self.device.warp_size}

    def get_current_target(self) -> Any:
        """Backend, architecture and threads of a warp."""
        capability = (self.device.major, self.device.minor)
        is_amd = capability in ARCHITECTURES
        architecture = ARCHITECTURES[capability] if is_amd else 10 * capability[0] + capability[1]
        return types.SimpleNamespace(
            backend="hip" if is_amd else "cuda", arch=architecture, warp_size=self.device.warp_size
        )

    def get_active_torch_device(self) -> Any:
        """Where tensors are to be made."""
        import torch

        return torch.device("cuda", 0)

    def __getattr__(self, name: str) -> Any:
        # Names like __len__ are Python's own questions.
        if name.startswith("__"):
            raise AttributeError(name)
        return refuse(f"Triton's driver ({name}), as what is timed or compiled for a device does")()
