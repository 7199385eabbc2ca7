"""Reads the AMD kernel driver's description of its devices without opening them: order, architecture and caches.

Source: the topology that ROCm's own runtime reads (ROCr, libhsakmt: topology.c), `/sys/class/kfd/kfd/topology/nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NODES = Path("/sys/class/kfd/kfd/topology/nodes")


@dataclass(frozen=True)
class KfdDevice:
    """An AMD device."""

    #: PCI address in HIP's form, such as `0000:c1:00.0`; partitions of one device share it.
    bus_id: str
    #: Number in the name of its device file `/dev/dri/renderD128`.
    render_minor: int
    #: Architecture name of the compiler, such as `gfx942`; None from kernels that do not report it.
    architecture: str | None
    #: Name accepted by `ROCR_VISIBLE_DEVICES`.
    uuid: str
    #: Size of the largest cache behind the L2 cache; 0 where none is reported.
    last_level_bytes: int


def kfd_devices(nodes: Path = NODES) -> list[KfdDevice]:
    """Returns all devices in the runtime's order, except devices that a container hides."""
    numbered = [node for node in nodes.glob("*") if node.name.isdigit()]
    found = [kfd_device(node) for node in sorted(numbered, key=lambda node: int(node.name))]
    return [one for one in found if one is not None]


def kfd_device(node: Path) -> KfdDevice | None:
    """Returns the device of a node; None for a processor, or a node that cannot be read."""
    node_properties = properties(node)
    if node_properties.get("simd_count", 0) == 0:
        return None
    location, version = node_properties.get("location_id", 0), node_properties.get("gfx_target_version", 0)
    bus, slot = location >> 8 & 0xFF, location >> 3 & 0x1F
    # 90402 is 9.4.2; the last part is a hexadecimal digit.
    architecture = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}" if version else None
    caches = [properties(cache) for cache in (node / "caches").glob("*")]
    return KfdDevice(
        f"{node_properties.get('domain', 0):04x}:{bus:02x}:{slot:02x}.0",
        node_properties.get("drm_render_minor", 0),
        architecture,
        f"GPU-{node_properties.get('unique_id', 0):016x}",
        max((cache.get("size", 0) << 10 for cache in caches if cache.get("level", 0) > 2), default=0),
    )


def properties(folder: Path) -> dict[str, int]:
    """Returns the names and numbers in a folder's file `properties`; empty where it cannot be read."""
    try:
        words = [line.split() for line in (folder / "properties").read_text().splitlines()]
    except OSError:
        return {}
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdigit()}
