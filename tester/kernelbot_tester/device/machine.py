"""Describes this machine."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from ..messages import Machine
from .find import FoundAccelerator, visible_devices

ROOT = Path(__file__).resolve().parents[1]


def describe_machine(sandboxed: bool, accelerator: FoundAccelerator | None = None) -> Machine:
    """Returns the machine's description as recorded with every ranked run, before `probe.add_measured`."""
    from .description import describe  # imports PyTorch

    accelerators, driver, runtime = describe(accelerator)
    return {
        "hostname": platform.node()[:200] or "unknown",
        "os": operating_system()[:200],
        "arch": platform.machine()[:40],
        "cpu": {
            "model": cpu_model()[:200],
            "count": len(os.sched_getaffinity(0)),
            "clockMhz": cpu_clock_mhz(),
            "measured": None,
        },
        "memoryBytes": memory_bytes(),
        "accelerators": accelerators,
        "runtime": runtime,
        "driver": driver,
        "python": platform.python_version(),
        "frameworks": frameworks(),
        "sandbox": "bubblewrap" if sandboxed else "none",
        "testerVersion": tester_version(),
    }


def tester_version() -> str:
    """Returns a short hash over the tester's own sources: the same code has the same version on every machine."""
    digest = hashlib.sha256()
    files = [*ROOT.rglob("*.py"), *(ROOT / "worker" / "cpp").iterdir(), *(ROOT.parent / "native").glob("*.[ch]")]
    for file in sorted(files, key=lambda path: path.relative_to(ROOT.parent).as_posix()):
        digest.update(file.relative_to(ROOT.parent).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def frameworks() -> dict[str, str]:
    """Returns versions of the packages that a submission may import, without importing them, and of g++."""
    found = {}
    for name in ("torch", "numpy", "triton"):
        try:
            found[name] = importlib.metadata.version(name)[:100]
        except importlib.metadata.PackageNotFoundError:
            continue
    compiler = shutil.which("g++")
    if compiler is not None:
        version = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
        found["g++"] = version[:100]
    return found


def memory_bytes() -> int:
    """Returns the size of physical memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def operating_system() -> str:
    """Returns the distribution and the kernel, such as `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`."""
    kernel = f"{platform.system()} {platform.release()}"
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {kernel}"
    except (OSError, KeyError):
        return kernel


def cpu_fields() -> dict[str, str]:
    """Returns the fields of the first processor in /proc/cpuinfo."""
    lines = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0].splitlines()
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def cpu_model() -> str:
    """Returns the model from /proc/cpuinfo or, on ARM, from the device tree."""
    name = cpu_fields().get("model name")
    if name:
        return name
    try:
        return Path("/proc/device-tree/model").read_text().strip("\0\n ") or platform.machine()
    except OSError:
        return f"{platform.machine()} processor"


def cpu_clock_mhz() -> float | None:
    """Returns the maximum clock that the driver reports, else the current clock; None where neither is known."""
    try:
        return int(Path("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").read_text()) / 1e3
    except (OSError, ValueError):
        text = cpu_fields().get("cpu MHz")
        return float(text) if text else None


def compute_capability() -> str | None:
    """Returns the architecture of the first visible NVIDIA accelerator, as compilers name it, such as `80` or `90a`;
    None where there is none."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    first = [f"--id={name}" for name in visible_devices()[:1]]
    query = [tool, *first, "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.match(r"(\d+)\.(\d)\s", answer)
    if found is None:
        return None
    # From Hopper on, architecture-specific instructions are only in the variant `a`.
    return found[1] + found[2] + ("a" if int(found[1]) >= 9 else "")
