"""Describes the accelerators of this machine as their driver, CUDA or HIP, reports them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypedDict

from ..messages import Accelerator
from ..sandbox.child import in_child
from ..worker.driver_calls import Calls
from .find import FoundAccelerator
from .kfd import kfd_devices

#: CUdevice_attribute: the two numbers of the compute capability.
MAJOR, MINOR = 75, 76
#: Kernel modules in sysfs.
MODULES = Path("/sys/module")


class Described(NamedTuple):
    """All accelerators; `driver` is the version of the kernel module, `runtime` the newest CUDA that the driver
    supports, or the version of HIP."""

    accelerators: list[Accelerator]
    driver: str | None
    runtime: str | None


class DriverReport(TypedDict):
    """The driver's answers: its devices, without their clock, and its version as in `Described.runtime`."""

    accelerators: list[Accelerator]
    runtime: str


def describe(found: FoundAccelerator | None, modules: Path = MODULES) -> Described:
    """Returns the devices visible to this process, in the driver's order; none without an accelerator. A child process
    queries the driver, since a process that has done so must not fork."""
    report = None if found is None else in_child(lambda: query_driver(found))
    if found is None or report is None:
        return Described([], None, None)
    for number, one in enumerate(report["accelerators"]):
        sensors = found.sensors(number)
        one["clockMhz"] = None if sensors is None else sensors.read().sm_mhz
    module = "nvidia" if found.choice.api == "cu" else "amdgpu"
    return Described(report["accelerators"], module_version(modules / module), report["runtime"])


def query_driver(found: FoundAccelerator) -> DriverReport:
    """Queries the driver. Raises DriverError, OSError."""
    calls = Calls(found.choice)
    architectures = {one.bus_id: one.architecture for one in kfd_devices()} if found.choice.api == "hip" else {}
    accelerators: list[Accelerator] = []
    for ordinal in range(min(calls.count(), 64)):
        device = calls.device(ordinal)
        if found.choice.api == "cu":
            architecture = f"sm_{calls.attribute(MAJOR, device)}{calls.attribute(MINOR, device)}"
        else:
            architecture = architectures.get(calls.bus_id(device))
        accelerators.append(
            {
                "model": calls.name(device)[:200],
                "memoryBytes": calls.memory_bytes(device),
                "architecture": architecture,
                "clockMhz": None,
                "measured": None,
            }
        )
    major, minor = calls.version()
    return {"accelerators": accelerators, "runtime": f"{'CUDA' if found.choice.api == 'cu' else 'HIP'} {major}.{minor}"}


def module_version(module: Path) -> str | None:
    """Returns the version of a kernel module; None for a module of the kernel itself, which has the kernel's
    version."""
    try:
        return (module / "version").read_text().strip()[:100]
    except OSError:
        return None
