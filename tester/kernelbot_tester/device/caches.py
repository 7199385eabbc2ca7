"""How much a device's caches hold between two calls, all of which has to be emptied before a call is timed."""

from __future__ import annotations

from pathlib import Path

from ..worker.driver import Driver
from .kfd import NODES, KfdDevice, kfd_devices

#: MiB of the Infinity Cache, which lies behind the second level and which HIP has no attribute for, where the kernel
#: does not tell of it. Source: rocm.docs.amd.com, AMD GPU specifications, column L3 Cache.
INFINITY_CACHE_MIB = {
    "gfx90a": 0,  # MI210, MI250, MI250X
    "gfx942": 256,  # MI300A, MI300X, MI325X
    "gfx950": 256,  # MI350X, MI355X
}


def cache_bytes(driver: Driver, nodes: Path = NODES) -> int:
    """Bytes of the last level of a device's caches: on CUDA its second, which is the last."""
    if driver.api == "cu":
        return driver.l2_bytes
    bus_id = driver.calls.bus_id(driver.device)
    device = next((one for one in kfd_devices(nodes) if one.bus_id == bus_id), None)
    return max(driver.l2_bytes, last_level_bytes(device))


def last_level_bytes(device: KfdDevice | None) -> int:
    """The cache behind the second level: what the kernel tells, else the table. Of what neither knows, it is taken to
    be the largest: to read too much costs a moment, to read too little leaves inputs in it."""
    if device is not None and device.last_level_bytes > 0:
        return device.last_level_bytes
    largest = max(INFINITY_CACHE_MIB.values())
    architecture = None if device is None else device.architecture
    return (largest if architecture is None else INFINITY_CACHE_MIB.get(architecture, largest)) << 20
