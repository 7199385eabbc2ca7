"""Memory limits enforced by the kernel: one cgroup v2 for each cell, where a group was delegated to the tester.

A group counts all memory of its processes, kernel memory included, and the kernel kills the whole cell when the limit
is reached. Without such a group, the keeper sums up the memory that it can observe (native/keeper.c). See cgroups(7)
and Documentation/admin-guide/cgroup-v2.rst of the kernel.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

#: Seconds to wait for killed processes to leave their group.
EMPTY_S = 5.0
ADVICE = (
    "For a limit by the kernel: start the runner as a systemd service with Delegate=memory and DelegateSubgroup=runner "
    "(systemd 254 or newer, cgroup v2)"
)


class NoGroups(Exception):
    """The tester cannot make groups; the message says why."""


@dataclass(frozen=True)
class MemoryGroups:
    """A group that was delegated to the tester, which creates a child group for each cell."""

    folder: Path

    def open(self, pid: int, limit_bytes: int) -> "MemoryGroup":
        """Moves a process without children into a new group. Raises OSError."""
        group = MemoryGroup(self.folder / f"kernelbot-cell-{os.getpid()}-{pid}")
        group.folder.mkdir()
        try:
            group.write("memory.max", str(limit_bytes))
            group.write("memory.oom.group", "1")
            # Missing where the kernel has no swap.
            with contextlib.suppress(FileNotFoundError):
                group.write("memory.swap.max", "0")
            group.write("cgroup.procs", str(pid))
        except OSError:
            group.close()
            raise
        return group


@dataclass(frozen=True)
class MemoryGroup:
    """The group of one cell."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        """Writes one of the group's control files. Raises OSError."""
        file = os.open(self.folder / name, os.O_WRONLY)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def ran_out(self) -> bool:
        """Whether the kernel has killed a process of the group because its memory limit was reached."""
        try:
            events = dict(line.split() for line in (self.folder / "memory.events").read_text().splitlines())
        except (OSError, ValueError):
            return False
        return int(events.get("oom_kill", "0")) > 0

    def close(self) -> None:
        """Removes the group, once all its processes have ended."""
        deadline = time.monotonic() + EMPTY_S
        while True:
            try:
                self.folder.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.01)


def find_groups(proc: Path = Path("/proc/self"), is_root: bool | None = None) -> MemoryGroups:
    """Returns the group that was delegated to the tester: the parent of its own, which contains no process. Raises
    NoGroups."""
    own = own_group(proc)
    folder = own.parent
    if not (folder / "cgroup.controllers").exists():
        raise NoGroups(f"the tester is in the topmost group that it can see, {own}")
    if "memory" not in (folder / "cgroup.controllers").read_text().split():
        raise NoGroups(f"{folder} has no memory controller (systems with cgroup v1 keep it there)")
    if not os.access(folder, os.W_OK) or not os.access(folder / "cgroup.procs", os.W_OK):
        raise NoGroups(f"{folder} is not delegated to this user")
    if (os.geteuid() == 0 if is_root is None else is_root) and not is_delegated(folder):
        raise NoGroups(f"{folder} is not marked as delegated")
    if "memory" not in (folder / "cgroup.subtree_control").read_text().split():
        try:
            MemoryGroup(folder).write("cgroup.subtree_control", "+memory")
        except OSError as error:
            raise NoGroups(f"memory cannot be limited below {folder}: {error.strerror}") from None
    return MemoryGroups(folder)


def own_group(proc: Path) -> Path:
    """Returns the tester's own group of cgroup v2. Raises NoGroups."""
    try:
        groups = [line.split(":", 2)[2] for line in (proc / "cgroup").read_text().splitlines() if line.startswith("0::")]
        mounts = [line.split() for line in (proc / "mountinfo").read_text().splitlines()]
    except OSError as error:
        raise NoGroups(f"{error.filename} cannot be read: {error.strerror}") from None
    # proc(5): root and mount point are the fourth and fifth field, and the type of the file system follows a dash.
    found = [(mount[3], mount[4]) for mount in mounts if mount[mount.index("-") + 1] == "cgroup2"]
    if not groups or not found:
        raise NoGroups("cgroup v2 is not mounted")
    root, mounted = found[0]
    if root != "/" and groups[0] != root and not groups[0].startswith(f"{root}/"):
        raise NoGroups(f"the tester's group {groups[0]} is outside of what is mounted at {mounted}")
    return Path(mounted + groups[0].removeprefix("" if root == "/" else root))


def is_delegated(folder: Path) -> bool:
    """Whether systemd has marked the group as delegated. For root, access rights do not show it."""
    for name in ("trusted.delegate", "user.delegate"):
        with contextlib.suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False
