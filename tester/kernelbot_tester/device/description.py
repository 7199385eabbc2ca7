"""What the accelerators of this machine are, as their driver names them: core's `Accelerator`, CUDA and HIP alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ..child import in_child
from ..worker.calls import Calls
from .find import FoundAccelerator
from .kfd import kfd_devices

#: CUdevice_attribute: the two numbers of the compute capability.
MAJOR, MINOR = 75, 76
#: Where the kernel tells of its modules.
MODULES = Path("/sys/module")


class Described(NamedTuple):
    """All of them; `driver` is the kernel's part, `runtime` the newest CUDA that it runs, or HIP itself."""

    accelerators: list[dict[str, Any]]
    driver: str | None
    runtime: str | None


def describe(found: FoundAccelerator | None, modules: Path = MODULES) -> Described:
    """The devices that the driver shows this process, in its order; none without one. A child asks the driver, since
    whoever does can fork no more."""
    asked = None if found is None else in_child(lambda: ask(found))
    if found is None or asked is None:
        return Described([], None, None)
    for number, one in enumerate(asked["accelerators"]):
        sensors = found.sensors(number)
        one["clockMhz"] = None if sensors is None else sensors.read().sm_mhz
    module = "nvidia" if found.choice.api == "cu" else "amdgpu"
    return Described(asked["accelerators"], module_version(modules / module), asked["runtime"])


def ask(found: FoundAccelerator) -> dict[str, Any]:
    """The driver's own words. Raises DriverError, OSError."""
    calls = Calls(found.choice)
    architectures = {one.bus_id: one.architecture for one in kfd_devices()} if found.choice.api == "hip" else {}
    accelerators = []
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
            }
        )
    major, minor = calls.version()
    return {"accelerators": accelerators, "runtime": f"{'CUDA' if found.choice.api == 'cu' else 'HIP'} {major}.{minor}"}


def module_version(module: Path) -> str | None:
    """The version of a kernel's module; None of one that came with the kernel, whose version is the kernel's."""
    try:
        return (module / "version").read_text().strip()[:100]
    except OSError:
        return None
