"""Capacity of a device's caches, which must be evicted before each timed call."""

from __future__ import annotations

from pathlib import Path

from ..worker.driver import Driver
from .kfd import NODES, KfdDevice, kfd_devices

#: MiB of the Infinity Cache behind the L2 cache, by architecture. HIP has no attribute for it; used where the kernel
#: does not report it. Source: rocm.docs.amd.com, AMD GPU specifications, column L3 Cache.
INFINITY_CACHE_MIB = {
    "gfx90a": 0,  # MI210, MI250, MI250X
    "gfx942": 256,  # MI300A, MI300X, MI325X
    "gfx950": 256,  # MI350X, MI355X
}


def cache_bytes(driver: Driver, nodes: Path = NODES) -> int:
    """Returns the bytes of the last-level cache of a device: on CUDA, the L2 cache."""
    if driver.api == "cu":
        return driver.l2_bytes
    bus_id = driver.calls.bus_id(driver.device)
    device = next((one for one in kfd_devices(nodes) if one.bus_id == bus_id), None)
    return max(driver.l2_bytes, last_level_bytes(device))


def last_level_bytes(device: KfdDevice | None) -> int:
    """Returns the size of the cache behind the L2 cache, as the kernel reports it, else from the table. An unknown
    device gets the largest size: reading too much costs little time, reading too little leaves inputs in the cache."""
    if device is not None and device.last_level_bytes > 0:
        return device.last_level_bytes
    largest = max(INFINITY_CACHE_MIB.values())
    architecture = None if device is None else device.architecture
    return (largest if architecture is None else INFINITY_CACHE_MIB.get(architecture, largest)) << 20
