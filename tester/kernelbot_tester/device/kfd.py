"""What the kernel's driver of AMD's devices tells of them, without opening one: their order, architecture and caches.

Source: the topology that ROCm's own runtime reads (ROCr, libhsakmt: topology.c), `/sys/class/kfd/kfd/topology/nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NODES = Path("/sys/class/kfd/kfd/topology/nodes")


@dataclass(frozen=True)
class KfdDevice:
    """A device."""

    #: As HIP names its place on the bus, such as `0000:c1:00.0`; parts of one device have the same.
    bus_id: str
    #: The number in the name of its device file `/dev/dri/renderD128`.
    render_minor: int
    #: The compiler's name of it, such as `gfx942`; None from kernels that do not tell.
    architecture: str | None
    #: `ROCR_VISIBLE_DEVICES` may name it so.
    uuid: str
    #: The largest of its caches behind the second level; 0 where none is told of.
    last_level_bytes: int


def kfd_devices(nodes: Path = NODES) -> list[KfdDevice]:
    """All devices in the order in which the runtime counts them, but for those that a container keeps from us."""
    numbered = [node for node in nodes.glob("*") if node.name.isdigit()]
    found = [kfd_device(node) for node in sorted(numbered, key=lambda node: int(node.name))]
    return [one for one in found if one is not None]


def kfd_device(node: Path) -> KfdDevice | None:
    """The device of a node; None for a processor, or one that may not be looked at."""
    told = properties(node)
    if told.get("simd_count", 0) == 0:
        return None
    location, version = told.get("location_id", 0), told.get("gfx_target_version", 0)
    bus, slot = location >> 8 & 0xFF, location >> 3 & 0x1F
    # 90402 is 9.4.2, and its last part has a hexadecimal digit.
    architecture = f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}" if version else None
    caches = [properties(cache) for cache in (node / "caches").glob("*")]
    return KfdDevice(
        f"{told.get('domain', 0):04x}:{bus:02x}:{slot:02x}.0",
        told.get("drm_render_minor", 0),
        architecture,
        f"GPU-{told.get('unique_id', 0):016x}",
        max((cache.get("size", 0) << 10 for cache in caches if cache.get("level", 0) > 2), default=0),
    )


def properties(folder: Path) -> dict[str, int]:
    """The names and numbers in a folder's file `properties`; none where it cannot be read."""
    try:
        words = [line.split() for line in (folder / "properties").read_text().splitlines()]
    except OSError:
        return {}
    return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdigit()}
