"""Runs Triton kernels in Triton's interpreter, with a driver that reports the simulated device."""

from __future__ import annotations

import importlib
import os
import types
from typing import Any

from .faults import refuse
from .protocol import DeviceProperties

#: Text of the interpreter's error for an unsupported operation.
UNKNOWN = "not supported in interpreter mode"


def prepare(device: DeviceProperties) -> None:
    """Prepares Triton, where it is installed, for a device with these properties."""
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        triton: Any = importlib.import_module("triton")
        tuner: Any = importlib.import_module("triton.runtime.autotuner").Autotuner
    except Exception:  # Not installed, or incompatible with this PyTorch: submissions that need it get its own error.
        return
    make = tuner.__init__
    # Tuning would need a device for timing: the first configuration runs.
    tuner.__init__ = lambda self, fn, names, configs, *rest, **named: make(self, fn, names, configs[:1], *rest, **named)
    triton.runtime.driver.set_active(Driver(device))
    refuse_libdevice()


def refuse_libdevice() -> None:
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

    def __init__(self, device: DeviceProperties) -> None:
        warp, capability = device["warp_size"], 10 * device["major"] + device["minor"]
        backend, arch = ("hip", {94: "gfx942", 95: "gfx950"}[capability]) if warp == 64 else ("cuda", capability)
        properties = {"multiprocessor_count": device["multi_processor_count"], "warpSize": warp}
        target = types.SimpleNamespace(backend=backend, arch=arch, warp_size=warp)
        self.utils = types.SimpleNamespace(get_device_properties=lambda _=0: properties)
        self.get_current_target = lambda: target

    def __getattr__(self, name: str) -> Any:
        # Names such as __len__ are looked up by Python itself.
        if name.startswith("__"):
            raise AttributeError(name)
        return refuse(f"Triton's driver ({name}), as what is timed or compiled for a device does")()
