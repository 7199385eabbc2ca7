"""Finds the accelerator of this machine without opening it: whoever opens it can fork no more.

A worker gets the device files and the folder of the driver's library, which container runtimes put where they like.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Mapping

from ..failures import NotJudged
from ..worker.choice import DriverChoice
from .kfd import NODES, kfd_devices
from .telemetry import AmdSensors, Nvml

if TYPE_CHECKING:
    from .device import Device
    from .telemetry import Sensors

#: Where drivers are found that the loader's cache does not list.
FOLDERS = (
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/cuda/compat",
    "/run/opengl-driver/lib",
)
NVIDIA_NODES = ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm")
AMD_NODES = ("/dev/kfd", "/dev/dri/renderD*")
#: Where AMD's runtime reads what devices there are.
AMD_FOLDERS = ("/opt/rocm", "/sys/class/kfd", "/sys/class/drm", "/sys/dev/char", "/sys/bus/pci", "/sys/devices")


#: What an operator may narrow down the devices by. On AMD's, the first narrows down what the others count.
NVIDIA_VISIBLE = "CUDA_VISIBLE_DEVICES"
AMD_VISIBLE_FIRST, AMD_VISIBLE = "ROCR_VISIBLE_DEVICES", ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
ON_THE_BUS = "PCI_BUS_ID"


class NoAccelerator(Exception):
    """There is none that can be judged on; the message says what is missing and what to do."""


@dataclass(frozen=True)
class FoundAccelerator:
    """What a sandbox must show of a device, and how to open it."""

    choice: DriverChoice
    #: What the driver calls the devices, in the order of ranks; empty where that is not known.
    names: list[str]
    #: Device files, bound for reading and writing.
    nodes: list[str]
    #: Folders, bound for reading.
    folders: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    #: The numbers of their files `/dev/dri/renderD*`, in the same order, where AMD's sensors are found by them.
    render_minors: list[int] = field(default_factory=list)

    def worker_environment(self) -> dict[str, str]:
        """What a worker's environment has in addition."""
        return {**self.environment, "KERNELBOT_DEVICE": self.choice.tensors}

    def device(self, number: int | None = None) -> "Device":
        """One of several devices, or the first as the only one; not opened yet. Raises NotJudged where there are not so
        many."""
        from .accelerator import Accelerator

        first = number or 0
        if first >= max(1, len(self.names)):
            raise NotJudged(f"this runner may use {max(1, len(self.names))} devices, and the problem has more ranks")
        name = self.names[first] if self.names else None
        return Accelerator(self.choice, self.sensors(first), name, number, self.device)

    def sensors(self, number: int) -> "Sensors | None":
        """Those of a device, where there are any."""
        try:
            return Nvml(self.names[number]) if self.choice.api == "cu" else AmdSensors(self.render_minors[number])
        except (OSError, IndexError):
            return None


def find_accelerator() -> FoundAccelerator:
    """What PyTorch was built for and the kernel has device files of. Raises NoAccelerator."""
    api = api_of_pytorch()
    if api is None:
        raise NoAccelerator(
            "this PyTorch was built for processors only: install one for the accelerator (pytorch.org says which)"
        )
    patterns = NVIDIA_NODES if api == "cu" else AMD_NODES
    missing = [pattern for pattern in patterns if not glob.glob(pattern)]
    if missing:
        load = "nvidia-modprobe -u -c=0, or start the container with --gpus all" if api == "cu" else "modprobe amdgpu"
        raise NoAccelerator(f"there is no accelerator: {', '.join(missing)} is not there (try: {load})")
    return found_nvidia() if api == "cu" else found_amd()


def found_nvidia() -> FoundAccelerator:
    """NVIDIA's devices. Raises NoAccelerator."""
    refuse_shared_service()
    nodes, names = nvidia_nodes()
    library, listed_by_loader = find_library("libcuda.so.1")
    if library is None:
        raise NoAccelerator("the driver's library libcuda.so.1 is nowhere: install the driver, or set LD_LIBRARY_PATH")
    folder = os.path.dirname(library)
    # A folder that the loader knows must not come before those of PyTorch's own libraries.
    path = {} if listed_by_loader else {"LD_LIBRARY_PATH": folder}
    environment = {**path, "CUDA_CACHE_PATH": "/tmp/.nv", "CUDA_DEVICE_ORDER": ON_THE_BUS}
    return FoundAccelerator(DriverChoice(library, "cu", "cuda"), names, nodes, [folder], environment)


def found_amd() -> FoundAccelerator:
    """AMD's devices, whose runtime comes with PyTorch."""
    nodes = [node for pattern in AMD_NODES for node in sorted(glob.glob(pattern))]
    folders = [path for path in AMD_FOLDERS if os.path.isdir(path)]
    names, render_minors = amd_devices(os.environ)
    # A worker must count as the judge does.
    first = {name: os.environ[name] for name in [AMD_VISIBLE_FIRST] if name in os.environ}
    return FoundAccelerator(DriverChoice("libamdhip64.so", "hip", "cuda"), names, nodes, folders, first, render_minors)


def amd_devices(environment: Mapping[str, str], nodes: Path = NODES) -> tuple[list[str], list[int]]:
    """What HIP calls AMD's devices that the operator lets us see, and the numbers of their device files, as far as the
    kernel tells."""
    found = kfd_devices(nodes)
    first = listed(environment.get(AMD_VISIBLE_FIRST, ""))
    if first:
        # By number, or by as much of the UUID as tells it from others.
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
    """NVIDIA's devices that the operator lets us see, as numbers or UUIDs; all when nothing is said."""
    return listed(os.environ.get(NVIDIA_VISIBLE, "")) or [
        str(number) for number in range(len(glob.glob(NVIDIA_NODES[0])))
    ]


def listed(text: str) -> list[str]:
    """The names in a list with commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def nvidia_nodes() -> tuple[list[str], list[str]]:
    """The files of these devices and of the driver, and what a worker, which sees no others, calls the devices. Raises
    NoAccelerator for a device that only one process may use."""
    # CUDA would put the fastest first, NVML never does.
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
    # Where files of some devices are missing, numbers count otherwise.
    return [*nodes, *NVIDIA_NODES[1:]], [name for name in names if name is not None]


def api_of_pytorch() -> str | None:
    """`cu` or `hip`, as the installed PyTorch was built for, without loading it."""
    spec = importlib.util.find_spec("torch")
    return None if spec is None or spec.origin is None else api_of((Path(spec.origin).parent / "version.py").read_text())


def api_of(version: str) -> str | None:
    """The same, by the text of PyTorch's `version.py`: the one of `cuda` and `hip` that is not None."""
    names = {"cu": "cuda", "hip": "hip"}
    return next((api for api, name in names.items() if re.search(rf"(?m)^{name}\b[^=]*=\s*['\"]", version)), None)


def find_library(name: str) -> tuple[str | None, bool]:
    """The path of a library as the loader would find it, else in the places where containers put drivers; and whether the
    loader's cache lists it."""
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
    """CUDA's multi-process service lets kernels of judge and worker run at the same time, so that a worker's could watch
    the judge's. Raises NoAccelerator where it runs."""
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
