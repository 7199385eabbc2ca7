"""Finds the device profiler of this machine, or explains how the operator installs it."""

from __future__ import annotations

import glob
import os
import shutil
from pathlib import Path
from typing import Any, Callable

import torch.version

from ..worker.layout import tensors_of
from .nsight import PERMISSION_FIX, Nsight, counters_are_for_root
from .rocprof import Rocprof
from .tool import DeviceProfiler

#: Install locations of the vendors' packages outside of the PATH; of several matches the last is the newest.
NSIGHT_PLACES = ["/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda/bin/ncu"]
ROCPROF_PLACES = ["/opt/rocm/bin/rocprofv3"]
ALL_THERE_IS = "the tables and traces of torch.profiler are all there is"


def vendor_of(data: Any) -> str | None:
    """Returns the vendor of the device that holds an input's tensors: `nvidia`, `amd`, or None for the processor."""
    if all(tensor.device.type == "cpu" for tensor in tensors_of(data)):
        return None
    return "amd" if torch.version.hip is not None else "nvidia"


def device_profiler(
    vendor: str | None,
    locate: Callable[[str, list[str]], str | None] | None = None,
    driver_parameters: str | None = None,
) -> tuple[DeviceProfiler | None, str | None]:
    """Returns the profiler of a vendor's devices, or a sentence that says why there is none and what to do."""
    locate = locate or find_program
    if vendor == "nvidia":
        program = locate("ncu", NSIGHT_PLACES)
        if program is None:
            install = "its operator installs NVIDIA's package nsight-compute, so that ncu is on the PATH"
            return None, f"Nsight Compute is missing on this machine: {install}; {ALL_THERE_IS}"
        parameters = read_driver_parameters() if driver_parameters is None else driver_parameters
        if counters_are_for_root(parameters):
            return None, f"Nsight Compute cannot be used: {PERMISSION_FIX}; {ALL_THERE_IS}"
        return Nsight(program), None
    if vendor == "amd":
        program = locate("rocprofv3", ROCPROF_PLACES)
        if program is None:
            install = "its operator installs AMD's package rocprofiler-sdk, so that rocprofv3 is on the PATH"
            return None, f"rocprofv3 is missing on this machine: {install}; {ALL_THERE_IS}"
        return Rocprof(program), None
    return None, None


def find_program(name: str, places: list[str]) -> str | None:
    """Returns the real path of a program on the PATH or in these places, or None."""
    found = shutil.which(name) or next((path for place in places for path in sorted(glob.glob(place))[-1:]), None)
    return None if found is None else os.path.realpath(found)


def read_driver_parameters() -> str:
    """Returns the parameters of NVIDIA's kernel module; empty where there is none."""
    try:
        return Path("/proc/driver/nvidia/params").read_text()
    except OSError:
        return ""
