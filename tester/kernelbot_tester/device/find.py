"""Finds the accelerator of this machine without opening it: a process that has opened it must not fork.

A worker gets the device files and the folder of the driver's library, whose location differs between container
runtimes.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Mapping, Sequence

from ..failures import NotJudged
from ..worker.driver_choice import DriverChoice
from .kfd import NODES, kfd_devices
from .telemetry import AmdSensors, Nvml

if TYPE_CHECKING:
    from .device import Device
    from .telemetry import Sensors

#: Folders of drivers that the loader's cache does not list.
FOLDERS = (
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/cuda/compat",
    "/run/opengl-driver/lib",
)
NVIDIA_NODES = ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm")
#: Where NVIDIA's driver looks whether its kernel modules are loaded.
NVIDIA_FOLDERS = ("/sys/module/nvidia", "/sys/module/nvidia_uvm")
AMD_NODES = ("/dev/kfd", "/dev/dri/renderD*")
#: Folders from which AMD's runtime reads the list of devices.
AMD_FOLDERS = ("/opt/rocm", "/sys/class/kfd", "/sys/class/drm", "/sys/dev/char", "/sys/bus/pci", "/sys/devices")


#: Environment variables with which an operator restricts the devices. On AMD, the first one is applied before the
#: others.
NVIDIA_VISIBLE = "CUDA_VISIBLE_DEVICES"
AMD_VISIBLE_FIRST, AMD_VISIBLE = "ROCR_VISIBLE_DEVICES", ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
ON_THE_BUS = "PCI_BUS_ID"


class NoAccelerator(Exception):
    """No accelerator can be used; the message says what is missing and what to do."""


@dataclass(frozen=True)
class FoundAccelerator:
    """Files that a sandbox needs for the devices, and how to open them."""

    choice: DriverChoice
    #: The driver's names of the devices, in the order of ranks; empty where unknown.
    names: list[str]
    #: Device files, bound read-write.
    nodes: list[str]
    #: Folders, bound read-only.
    folders: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    #: Numbers of the files `/dev/dri/renderD*`, in the same order, by which AMD's sensors are found.
    render_minors: list[int] = field(default_factory=list)

    def worker_environment(self) -> dict[str, str]:
        """Returns the additional environment of a worker."""
        return {**self.environment, "KERNELBOT_DEVICE": self.choice.tensors}

    def device(self, number: int | None = None) -> "Device":
        """Returns the device with this ordinal among several; None: the first as the only one. The device is not yet
        opened. Raises NotJudged where there are too few."""
        from .accelerator import Accelerator

        first = number or 0
        if first >= max(1, len(self.names)):
            raise NotJudged(f"this runner may use {max(1, len(self.names))} devices, and the problem has more ranks")
        name = self.names[first] if self.names else None
        return Accelerator(self.choice, self.sensors(first), name, number, self.device)

    def sensors(self, number: int) -> "Sensors | None":
        """Returns the sensors of a device, or None."""
        try:
            return Nvml(self.names[number]) if self.choice.api == "cu" else AmdSensors(self.render_minors[number])
        except (OSError, IndexError):
            return None


def find_accelerator() -> FoundAccelerator:
    """Returns the accelerator for which PyTorch was built and device files exist. Raises NoAccelerator."""
    build = pytorch_build()
    if build is None:
        raise NoAccelerator(
            "this PyTorch was built for processors only: install one for the accelerator (pytorch.org says which)"
        )
    api, _ = build
    patterns = NVIDIA_NODES if api == "cu" else AMD_NODES
    missing = [pattern for pattern in patterns if not glob.glob(pattern)]
    if missing:
        load = "nvidia-modprobe -u -c=0, or start the container with --gpus all" if api == "cu" else "modprobe amdgpu"
        raise NoAccelerator(f"there is no accelerator: {', '.join(missing)} is missing (try: {load})")
    return found_nvidia() if api == "cu" else found_amd()


def found_nvidia() -> FoundAccelerator:
    """Finds NVIDIA devices. Raises NoAccelerator."""
    refuse_shared_service()
    nodes, names = nvidia_nodes()
    library, listed_by_loader = find_library("libcuda.so.1")
    if library is None:
        raise NoAccelerator("the driver's library libcuda.so.1 was not found: install the driver, or set LD_LIBRARY_PATH")
    folder = os.path.dirname(library)
    # A folder in the loader's cache must not precede the folders of PyTorch's own libraries.
    path = {} if listed_by_loader else {"LD_LIBRARY_PATH": folder}
    environment = {**path, "CUDA_CACHE_PATH": "/tmp/.nv", "CUDA_DEVICE_ORDER": ON_THE_BUS}
    folders = [folder, *existing(NVIDIA_FOLDERS)]
    return FoundAccelerator(DriverChoice(library, "cu", "cuda"), names, nodes, folders, environment)


def found_amd() -> FoundAccelerator:
    """Finds AMD devices, whose runtime is part of PyTorch."""
    nodes = [node for pattern in AMD_NODES for node in sorted(glob.glob(pattern))]
    folders = existing(AMD_FOLDERS)
    names, render_minors = amd_devices(os.environ)
    # A worker must number the devices as the judge does.
    first = {name: os.environ[name] for name in [AMD_VISIBLE_FIRST] if name in os.environ}
    return FoundAccelerator(DriverChoice("libamdhip64.so", "hip", "cuda"), names, nodes, folders, first, render_minors)


def existing(folders: Sequence[str]) -> list[str]:
    """Returns the folders that exist."""
    return [path for path in folders if os.path.isdir(path)]


def amd_devices(environment: Mapping[str, str], nodes: Path = NODES) -> tuple[list[str], list[int]]:
    """Returns HIP's names of the AMD devices that the operator has made visible, and the numbers of their device files
    (empty where the kernel does not report all)."""
    found = kfd_devices(nodes)
    first = listed(environment.get(AMD_VISIBLE_FIRST, ""))
    if first:
        # By number, or by an unambiguous prefix of the UUID.
        found = [
            one
            for name in first
            for number, one in enumerate(found)
            if name == str(number) or (name.startswith("GPU-") and one.uuid.upper().startswith(name.upper()))
        ]
    visible = next((listed(environment[name]) for name in AMD_VISIBLE if environment.get(name)), [])
    names = visible or [str(number) for number in range(len(found))]
    minors = [found[int(name)].render_minor for name in names if name.isdigit() and int(name) < len(found)]
    return names, minors if len(minors) == len(names) else []


def visible_devices() -> list[str]:
    """Returns the NVIDIA devices that the operator has made visible, as numbers or UUIDs; all where the variable is
    not set."""
    return listed(os.environ.get(NVIDIA_VISIBLE, "")) or [
        str(number) for number in range(len(glob.glob(NVIDIA_NODES[0])))
    ]


def listed(text: str) -> list[str]:
    """Splits a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def nvidia_nodes() -> tuple[list[str], list[str]]:
    """Returns the files of the visible devices and of the driver, and the names under which a worker, which sees no
    others, opens the devices. Raises NoAccelerator for a device in an exclusive compute mode."""
    # CUDA's default order puts the fastest device first; NVML's never does.
    os.environ["CUDA_DEVICE_ORDER"] = ON_THE_BUS
    nodes = sorted(glob.glob(NVIDIA_NODES[0]))
    try:
        devices = [Nvml(name) for name in visible_devices()]
    except OSError:
        return [*nodes, *NVIDIA_NODES[1:]], []
    if any(device.is_exclusive() for device in devices):
        raise NoAccelerator(
            "the device is for one process at a time, and judge and worker are two: nvidia-smi --compute-mode=DEFAULT"
        )
    minors, names = [device.minor() for device in devices], [device.uuid() for device in devices]
    if None not in minors:
        nodes = [f"/dev/nvidia{minor}" for minor in minors]
    # UUIDs, since numbers change where the files of some devices are missing.
    return [*nodes, *NVIDIA_NODES[1:]], [name for name in names if name is not None]


def pytorch_build() -> tuple[str, str] | None:
    """Returns `cu` or `hip`, for which the installed PyTorch was built, and its version, without importing it; None
    for neither, or without PyTorch."""
    spec = importlib.util.find_spec("torch")
    return None if spec is None or spec.origin is None else build_of((Path(spec.origin).parent / "version.py").read_text())


def build_of(version: str) -> tuple[str, str] | None:
    """Returns `cu` or `hip` and its version by the text of PyTorch's `version.py`: the one of `cuda` and `hip` that is
    not None."""
    for api, name in (("cu", "cuda"), ("hip", "hip")):
        found = re.search(rf"(?m)^{name}\b[^=]*=\s*['\"]([^'\"]*)", version)
        if found is not None:
            return api, found[1]
    return None


def find_library(name: str) -> tuple[str | None, bool]:
    """Returns the path of a library as the loader would find it, else in the usual folders of containers (None where
    it is missing), and whether the loader's cache lists it."""
    own = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    for folder in own:
        if os.path.exists(f"{folder}/{name}"):
            return f"{folder}/{name}", False
    try:
        cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    except OSError:
        cache = ""
    for line in cache.splitlines():
        if line.strip().startswith(f"{name} ") and os.uname().machine.replace("_", "-") in line.lower():
            return line.split("=> ")[1].strip(), True
    return next((f"{folder}/{name}" for folder in FOLDERS if os.path.exists(f"{folder}/{name}")), None), False


def refuse_shared_service(processes: Path = Path("/proc")) -> None:
    """Raises NoAccelerator where CUDA's multi-process service runs. It lets kernels of judge and worker run
    concurrently, so that a worker's kernel could observe the judge's."""
    for file in processes.glob("[0-9]*/comm"):
        try:
            name = file.read_text().strip()
        except OSError:
            continue
        if name.startswith("nvidia-cuda-mps"):
            raise NoAccelerator(
                "CUDA's multi-process service (MPS) runs here, under which kernels of two processes share the device: "
                "stop it (echo quit | nvidia-cuda-mps-control)"
            )
