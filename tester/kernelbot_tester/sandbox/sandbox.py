"""Starts the zygote in Bubblewrap: as a user without files, with read access to little more than an interpreter.

A worker can read: /usr and the links into it, the loader's cache, the processor's topology, the prefixes of this
interpreter, and our own package without `qualify`. Everything is read-only; each worker has its own /proc and /tmp
(native/cell.c). There is no network, and the environment is empty but for `Config.worker_environment`.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import json
import os
import random
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Sequence

from ..device.find import FoundAccelerator
from ..failures import NotJudged
from ..worker.zygote import die_before_the_judge
from . import native_library
from .config import Config
from .start_failure import start_failure

#: Users and groups of sandboxes when started by root: neither accounts of the machine, nor the account of unprivileged
#: daemons, which may own files, nor the range from which systemd takes users.
SANDBOX_IDS = range(61000, 61184)
#: Path of the worker package and the library inside the sandbox.
INSIDE = "/kernelbot"
#: Part of our package that no worker may read: an empty folder is mounted over it.
HIDDEN = f"{INSIDE}/kernelbot_tester/qualify"
#: Timeout in seconds for importing PyTorch from a cold disk on a busy machine.
START_S = 600.0

PACKAGE = Path(__file__).resolve().parents[1]
WORKER_PACKAGE = PACKAGE / "worker"

USER_NAMESPACES_FIX = (
    "allow unprivileged user namespaces: sysctl user.max_user_namespaces=10000, and where they exist "
    "kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0; start a container with "
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
)


class SandboxError(Exception):
    """No worker can be started; the message says what is missing and what to do."""


class Zygote:
    """The running zygote; `control` is the socket for requests to start workers. Raises SandboxError."""

    def __init__(self, config: Config) -> None:
        raise_open_files()
        library = str(native_library.build())
        bubblewrap = shutil.which("bwrap")
        if config.sandboxed and bubblewrap is None:
            raise SandboxError("Bubblewrap is missing: install it (Debian, Ubuntu: apt install bubblewrap)")
        self.control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.log = tempfile.TemporaryFile()
        turn = config.turns.open()
        options = {
            "library": f"{INSIDE}/native.so" if config.sandboxed else library,
            "sandboxed": config.sandboxed,
            "path": [lasting(path) if config.sandboxed else path for path in package_folders()],
            "limits": {
                "memory_bytes": config.memory_bytes,
                "scratch_bytes": config.scratch_bytes,
                "threads": config.threads,
                "open_files": config.open_files,
                "accelerator": 0 if config.accelerator is None else 1,
            },
            "cell_bytes": config.cell_bytes,
            "turn": turn.files,
        }
        homes = [INSIDE] if config.sandboxed else [str(WORKER_PACKAGE.parent), str(PACKAGE.parent)]
        start = f"import sys; sys.path[:0] = {homes!r}; from worker.zygote import main; main()"
        command = [sys.executable, "-I", "-u", "-c", start, str(there.fileno()), json.dumps(options)]
        environment = config.worker_environment()
        if bubblewrap is not None and config.sandboxed:
            launch = Launch(library, config.accelerator)
            command = [bubblewrap, *launch.options(environment), "--", lasting(sys.executable), *command[1:]]
            before = launch.become_nobody
        else:
            before = None
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self.log,
                stderr=self.log,
                env=environment,
                pass_fds=[there.fileno(), *turn.files],
                preexec_fn=before,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise SandboxError(f"cannot start the sandbox: {start_failure(error)}") from None
        there.close()
        turn.close()

    def wait_until_warm(self) -> None:
        """Returns when workers can be started. Raises SandboxError with the zygote's message."""
        ready = bool(select.select([self.control], [], [], START_S)[0])
        if ready and self.control.recv(16) == b"warm":
            return
        self.close()
        output = self.output()
        # Bubblewrap made the sandbox where it reports that it cannot execute Python.
        if "bwrap" in output and "execvp" not in output:
            raise SandboxError(f"the sandbox cannot be made: {output}; {USER_NAMESPACES_FIX}")
        output = output.splitlines()[-1] if output else "it did not answer"
        raise SandboxError(
            f"{sys.executable} cannot load PyTorch and NumPy for the worker: {output} (may every user read the files of "
            "the tester, of Python and of its packages?)"
        )

    def output(self) -> str:
        """Returns the end of the zygote's output."""
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace").strip()[-1500:]

    def close(self) -> None:
        """Kills the zygote and with it every worker."""
        self.control.close()
        self.process.kill()
        self.process.wait()


def start_zygote(config: Config) -> Zygote:
    """Starts a zygote and checks that a worker can be started. Raises SandboxError."""
    zygote = Zygote(config)
    zygote.wait_until_warm()
    prove(zygote, config)
    return zygote


def prove(zygote: Zygote, config: Config) -> bool:
    """Starts a worker and ends it. Returns whether workers can start processes. Raises SandboxError."""
    from ..processes.worker_process import Worker  # imports PyTorch

    try:
        with Worker(zygote.control, config, config.device()) as worker:
            worker.wait_until_started()
            return worker.can_start_processes
    except NotJudged as error:
        zygote.close()
        # Other causes, such as an accelerator that cannot be opened, have other remedies.
        fix = f"; {USER_NAMESPACES_FIX}" if "namespaces of the cell" in str(error) else ""
        raise SandboxError(f"{error}{fix}") from None


def package_folders() -> list[str]:
    """Returns the folders that contain PyTorch and NumPy. Raises SandboxError when they are not installed."""
    folders: list[str] = []
    for name in ("torch", "numpy"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise SandboxError(
                f"{sys.executable} has no {name}: install it (Debian: apt install python3-{name}), "
                "or start the tester with an interpreter that has it"
            )
        folder = str(Path(spec.origin).parent.parent)
        if folder not in folders:
            folders.append(folder)
    return folders


def lasting(path: str) -> str:
    """Maps a path to one in the sandbox that workers see too: each has its own /tmp, which hides paths below it."""
    return f"{INSIDE}{path}" if path.startswith("/tmp/") else path


class Launch:
    """The command line of Bubblewrap. `more`: folders to bind in addition to those of every worker."""

    def __init__(
        self, library: str, accelerator: FoundAccelerator | None = None, more: Sequence[str] = ()
    ) -> None:
        shown = [] if accelerator is None else accelerator.folders
        self.nodes = [] if accelerator is None else accelerator.nodes
        prefixes = [sys.prefix, sys.base_prefix, *package_folders(), *shown, *more]
        # Bind mounts: host path by path in the sandbox.
        binds = {
            f"{INSIDE}/worker": str(WORKER_PACKAGE),
            f"{INSIDE}/{PACKAGE.name}": str(PACKAGE),
            f"{INSIDE}/native.so": library,
        }
        for prefix in sorted({os.path.realpath(path) for path in prefixes} | set(prefixes)):
            if not any(prefix == other or prefix.startswith(f"{other}/") for other in ["/usr", *binds]):
                binds[prefix] = binds[lasting(prefix)] = prefix
        self.binds = binds
        # Paths that only root can reach are bound below /mnt before root privileges are dropped.
        hidden = [path for path in {*binds.values()} if os.geteuid() == 0 and not reachable(path)]
        self.doors = {path: f"/mnt/{number}" for number, path in enumerate(hidden)}
        self.user = sandbox_user()
        self.libc = ctypes.CDLL(None, use_errno=True)

    def options(self, environment: dict[str, str]) -> list[str]:
        """Returns Bubblewrap's options."""
        command = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        command += ["--hostname", "worker", "--ro-bind", "/usr", "/usr"]
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            path = f"/{name}"
            if os.path.islink(path):
                command += ["--symlink", os.readlink(path), path]
            elif os.path.isdir(path):
                command += ["--ro-bind", path, path]
        for path in ("/etc/alternatives", "/etc/ld.so.cache"):
            command += ["--ro-bind-try", path, path]
        # PyTorch and its math libraries read cache sizes and NUMA nodes there, and jemalloc whether there are huge pages.
        for path in ("/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage"):
            command += ["--ro-bind-try", path, path]
        command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        for node in self.nodes:
            command += ["--dev-bind", node, node]
        for inside, path in self.binds.items():
            command += ["--ro-bind", self.doors.get(path, path), inside]
        # The package `qualify` contains problems with their references, which no worker may read.
        command += ["--tmpfs", HIDDEN, "--remount-ro", HIDDEN]
        command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--clearenv"]
        for name, value in environment.items():
            command += ["--setenv", name, value]
        return command

    def become_nobody(self) -> None:
        """Drops root privileges, in the child before Bubblewrap starts."""
        if self.doors:
            self._open_doors()
        die_before_the_judge()
        self.user.become(groups_of(self.nodes))

    def _open_doors(self) -> None:
        new_mounts, private, bind, recursive = 0x20000, 1 << 18, 4096, 16384  # linux/sched.h, linux/mount.h
        self._call(self.libc.unshare(new_mounts), "unshare")
        self._call(self.libc.mount(None, b"/", None, private | recursive, None), "make mounts private")
        self._call(self.libc.mount(b"doors", b"/mnt", b"tmpfs", 0, b"mode=755"), "mount on /mnt")
        for path, door in self.doors.items():
            if os.path.isdir(path):
                os.mkdir(door)
            else:
                os.close(os.open(door, os.O_CREAT | os.O_WRONLY, 0o644))
            self._call(self.libc.mount(path.encode(), door.encode(), None, bind | recursive, None), f"bind {path}")

    def _call(self, result: int, what: str) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def raise_open_files() -> None:
    """Raises this process's limit of open files as far as possible. Linux compares it, in each process that passes files, with the
    files that all processes of the user are passing, those of submissions included; a cell lowers its own."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class SandboxUser:
    """The user of this judge's sandboxes when started by root: no other judge of the machine has the same. Linux counts some
    resources for all processes of a user together, in whatever namespace: files that are being passed, and before Linux 5.14
    processes and pending signals."""

    def __init__(self) -> None:
        # A name in the abstract namespace is free again when its process ends.
        self._claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        # Judges in containers of one machine do not see each other's names: equal users are unlikely there.
        for self.id in random.sample(SANDBOX_IDS, len(SANDBOX_IDS)):
            try:
                self._claim.bind(f"\0kernelbot-sandbox-{self.id}")
                break
            except OSError:
                continue

    def become(self, groups: Sequence[int] = ()) -> None:
        """Becomes this user, with these groups; does nothing unless this process is root's."""
        if os.geteuid() != 0:
            return
        os.setgroups(groups)
        os.setresgid(self.id, self.id, self.id)
        os.setresuid(self.id, self.id, self.id)


@functools.cache
def sandbox_user() -> SandboxUser:
    """Returns the user of this judge's sandboxes. Call it before the process forks the child that becomes this user."""
    return SandboxUser()


def groups_of(nodes: list[str]) -> list[int]:
    """Returns the groups that a user needs for device files that are not accessible to all."""
    found = [os.stat(node) for node in nodes]
    return sorted({node.st_gid for node in found if node.st_mode & 0o006 != 0o006 and node.st_gid != 0})


def reachable(path: str) -> bool:
    """Whether any user of the machine can reach the path."""
    folders = [path, *map(str, Path(path).parents)]
    return all(os.stat(folder).st_mode & (0o001 if os.path.isdir(folder) else 0o004) for folder in folders)
