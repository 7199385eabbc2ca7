"""Checks cores, clock, memory and disks of this machine."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import tempfile
from pathlib import Path

from ..device.machine import cpu_model, memory_bytes
from ..messages import Check
from ..sandbox.memory_groups import ADVICE, NoGroups, find_groups, own_group
from ..stages.build_cache import TOTAL_BYTES, folder
from .check import check, note

#: Minimum memory in bytes for PyTorch in the judge and two workers.
ENOUGH_MEMORY = 2 << 30
#: Minimum free bytes of the temporary folder: problems, artifacts and compiler output of one run.
ENOUGH_TEMPORARY = 512 << 20
CPUS = Path("/sys/devices/system/cpu")


def cores() -> Check:
    """Checks for one core for the clock and at least one for the kernel."""
    count = len(os.sched_getaffinity(0))
    fix = "Give the tester a second core: with one, judge and kernel share it and times are less exact"
    return check("cores", count >= 2, f"{count}, {cpu_model()}", fix)


def clock(cpus: Path = CPUS) -> Check:
    """Reports how the frequency of the cores is chosen. Always ok: it affects only how much times vary."""
    found = governors(cpus)
    if not found:
        return note("clock", "governor not reported, as on most virtual machines")
    advice = "For times that vary less: cpupower frequency-set --governor performance (as root)"
    return note("clock", f"governor {', '.join(sorted(found))}", None if found == {"performance"} else advice)


def governors(cpus: Path = CPUS) -> set[str]:
    """Returns the kernel's policies for the frequency of the usable cores; empty where it reports none."""
    found: set[str] = set()
    for core in os.sched_getaffinity(0):
        with contextlib.suppress(OSError):
            found.add((cpus / f"cpu{core}/cpufreq/scaling_governor").read_text().strip())
    return found


def memory() -> Check:
    """Checks for enough memory for PyTorch in a judge and two workers."""
    size, limited_by = memory_bytes(), ""
    for limit, name in (group_limit(), process_limit()):
        if limit is not None and limit < size:
            size, limited_by = limit, f", limited by {name}"
    fix = "Use a machine with 2 GiB or more, or raise the limit"
    return check("memory", size >= ENOUGH_MEMORY, f"{size / (1 << 30):.1f} GiB{limited_by}", fix)


def process_limit() -> tuple[int | None, str]:
    """Returns the limit of this process's address space in bytes, or None."""
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return (None if soft == resource.RLIM_INFINITY else soft), "ulimit -v"


def group_limit(proc: Path = Path("/proc/self")) -> tuple[int | None, str]:
    """Returns the smallest memory limit in bytes of the own cgroup v2 and the visible ones above it, and its name."""
    limits: list[tuple[int, str]] = []
    with contextlib.suppress(NoGroups):
        own = own_group(proc)
        for group in (own, *own.parents):
            with contextlib.suppress(OSError, ValueError):
                limits.append((int((group / "memory.max").read_text()), f"the control group {group}"))
    return min(limits, default=(None, ""))


def memory_limit() -> Check:
    """Reports how the memory of a submission is limited. Always ok: both ways enforce the limit, the kernel's
    exactly."""
    try:
        return note("memory limit", f"by the kernel, in groups of cgroup v2 below {find_groups().folder}")
    except NoGroups as error:
        detail = f"without cgroup v2: the memory of a submission is added up every 50 ms, since {error}"
        return note("memory limit", detail, ADVICE)


def cache_folder() -> Check:
    """Reports whether compiler output can be kept. Always ok: without a cache it is compiled again."""
    place = folder()
    free = free_bytes(place)
    if not is_writable(place):
        return note("cache", f"{place} cannot be written", "To compile once, set XDG_CACHE_HOME to a folder that this user can write")
    advice = f"To keep all compiler output: free {gib(TOTAL_BYTES)}, or set XDG_CACHE_HOME to a folder on a larger disk"
    return note("cache", f"{place}, {gib(free)} free", None if free >= TOTAL_BYTES else advice)


def temporary_folder() -> Check:
    """Checks that the folder for temporary files has space."""
    place = Path(os.environ.get("TMPDIR") or "/tmp")
    fix = "Set TMPDIR to a folder that this user can write, with 1 GiB free"
    if not is_writable(place):
        return check("temporary folder", False, f"{place} cannot be written", fix)
    free = free_bytes(place)
    return check("temporary folder", free >= ENOUGH_TEMPORARY, f"{place}, {gib(free)} free", fix)


def existing(place: Path) -> Path:
    """Returns the folder, or the nearest one above it that exists."""
    return next(each for each in (place, *place.parents) if each.is_dir())


def is_writable(place: Path) -> bool:
    """Whether a file can be created in a folder, or in the nearest one above it that exists. Creates and removes
    one, since root may write by its rights to file systems that are read-only."""
    try:
        with tempfile.TemporaryFile(dir=existing(place)):
            return True
    except OSError:
        return False


def free_bytes(place: Path) -> int:
    """Returns the free bytes of the file system of a folder."""
    return shutil.disk_usage(existing(place)).free


def gib(size: int) -> str:
    """Formats a size in GiB."""
    return f"{size / (1 << 30):.1f} GiB"
