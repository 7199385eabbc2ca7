"""Checks the accelerator, as its driver and as PyTorch see it."""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys

from ..device.description import describe
from ..device.find import FoundAccelerator, pytorch_build
from ..messages import Check
from .check import PYTORCH_COMMAND, check, note

#: Timeout in seconds for importing PyTorch from a cold disk and starting a kernel.
PYTORCH_S = 600
#: Prints the names of the devices that PyTorch sees, after a computation on the first one.
PROBE = """
import json, torch
count = torch.cuda.device_count()
if count == 0: torch.cuda.init()
assert float(torch.ones(8, device="cuda").sum()) == 8
print(json.dumps([torch.cuda.get_device_name(number) for number in range(count)]))
"""


def missing(reason: str, is_needed: bool) -> Check:
    """Reports that no accelerator can be used. Ok unless it is needed: many machines judge only on the processor."""
    seen = devices_of_the_system()
    if pytorch_build() is None and seen:
        reason = f"{seen[0]} exists, but this PyTorch was built for processors only"
        kind = "CUDA" if "nvidia" in seen[0] else "ROCm"
        fix = f"Install a PyTorch for {kind} for {sys.executable}: {PYTORCH_COMMAND}"
        return {"name": "accelerator", "ok": not is_needed, "detail": reason, "fix": fix}
    if not seen:
        reason = "this machine has no device file of one: neither /dev/nvidia0 nor /dev/kfd"
    detail = f"none that can be judged on: {reason}"
    if not is_needed:
        return note("accelerator", detail)
    fix = "Do what the finding says" if seen else "Install the driver (nvidia-smi and rocminfo list its devices); in a container, pass the devices"
    return check("accelerator", False, detail, f"{fix}. A runner for processors has --target cpu")


def devices_of_the_system() -> list[str]:
    """Returns the device files of accelerators, whatever PyTorch was built for."""
    return [*sorted(glob.glob("/dev/nvidia[0-9]*")), *glob.glob("/dev/kfd")]


def driver(found: FoundAccelerator) -> Check:
    """Reports the devices that the driver sees, and whether PyTorch's CUDA is not newer than the driver's."""
    described = describe(found)
    if not described.accelerators:
        fix = "Run nvidia-smi (AMD: rocminfo), which says why; then restart the machine or reinstall the driver"
        return check("accelerator", False, f"the driver {found.choice.library} reports no device", fix)
    names = ", ".join(one["model"] for one in described.accelerators)
    detail = f"{names}; driver {described.driver or 'of the kernel'}, {described.runtime}"
    too_old = newer_than_driver(pytorch_build(), described.runtime)
    if too_old is None:
        return note("accelerator", detail)
    return check("accelerator", False, f"{detail}, but {too_old[0]}", too_old[1])


def newer_than_driver(build: tuple[str, str] | None, runtime: str | None) -> tuple[str, str] | None:
    """Returns what is wrong and what to do where PyTorch's CUDA has a newer major version than the driver supports;
    None where they fit. Within a major version any driver serves: CUDA Compatibility, section Minor Version
    Compatibility."""
    if build is None or build[0] != "cu" or runtime is None:
        return None
    supported = runtime.removeprefix("CUDA ")
    if int(build[1].split(".")[0]) <= int(supported.split(".")[0]):
        return None
    fix = f"Update the driver, or install a PyTorch for CUDA {supported} or older: https://pytorch.org/get-started/previous-versions"
    return f"PyTorch was built for CUDA {build[1]}", fix


def by_pytorch(found: FoundAccelerator) -> Check:
    """Checks that PyTorch computes on the devices that the driver sees, in a process of its own."""
    name = "PyTorch on the accelerator"
    environment = {**os.environ, **found.environment}
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROBE], capture_output=True, text=True, env=environment, timeout=PYTORCH_S
        )
    except subprocess.TimeoutExpired:
        return check(name, False, f"no result in {PYTORCH_S} s", "Run nvidia-smi (AMD: rocminfo): another process may block the device")
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
        fix = f"Install a PyTorch for this device and its driver: {PYTORCH_COMMAND}"
        return check(name, False, reason, fix)
    seen = json.loads(done.stdout.splitlines()[-1])
    return check(name, True, f"computes on the first of {len(seen)}: {', '.join(seen)}", "")
