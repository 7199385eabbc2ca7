"""Checks what the sandbox needs of the system: Bubblewrap, user namespaces, a /proc of its own, seccomp, devices."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Sequence

from ..device.find import FoundAccelerator
from ..messages import Check
from ..sandbox import native_library
from ..sandbox.allocator import find_jemalloc
from ..sandbox.config import configure
from ..sandbox.sandbox import USER_NAMESPACES_FIX, Launch, SandboxError, Zygote, lasting, prove, sandbox_user
from ..sandbox.start_failure import CHANGE_USER_FIX, start_failure
from ..worker.faults import NEVER
from .check import capitalized, check, note

#: Timeout in seconds of a program in an otherwise empty sandbox.
START_S = 300
PROC_FIX = (
    "Start the container with --security-opt systempaths=unconfined (Kubernetes: securityContext.procMount: Unmasked), "
    "or the runner outside of a container"
)
#: Prints the device files that cannot be opened, with the reason.
OPEN_DEVICES = """
import os, sys
for path in sys.argv[1:]:
    try:
        os.close(os.open(path, os.O_RDWR))
    except OSError as error:
        print(f"{path}: {error.strerror}")
"""


def bubblewrap() -> Check:
    """Checks that Bubblewrap is installed."""
    path = shutil.which("bwrap")
    detail = "not found"
    if path is not None:
        detail = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip()
    return check("Bubblewrap", path is not None, detail, "Install it (Debian, Ubuntu: apt install bubblewrap)")


def allocator() -> Check:
    """Reports the allocator of workers."""
    path = find_jemalloc()
    advice = "For steadier times, install jemalloc (Debian, Ubuntu: apt install libjemalloc2)"
    return note("allocator", path or "the C library's", None if path else advice)


def user_namespaces() -> Check:
    """Checks that the user of the sandbox may create namespaces, by doing so."""
    name, fix = "user namespaces", capitalized(USER_NAMESPACES_FIX)
    if shutil.which("bwrap") is None:
        return check(name, False, "not tried without Bubblewrap", "Install Bubblewrap first")
    failure = in_sandbox(["--ro-bind", "/", "/"])
    if failure is not None and failure.endswith(CHANGE_USER_FIX):
        return check(name, False, failure.removesuffix(f"; {CHANGE_USER_FIX}"), capitalized(CHANGE_USER_FIX))
    return check(name, failure is None, failure or "the user of the sandbox may create them", fix)


def proc() -> Check:
    """Checks that a sandbox can mount its own /proc, by doing so. The kernel refuses where parts of the own one are
    hidden, as container runtimes do."""
    name = "own /proc"
    if shutil.which("bwrap") is None:
        return check(name, False, "not tried without Bubblewrap", "Install Bubblewrap first")
    failure = in_sandbox(["--ro-bind", "/", "/", "--proc", "/proc"])
    if failure is None:
        return check(name, True, "can be mounted in a sandbox", "")
    if in_sandbox(["--ro-bind", "/", "/"]) is not None:
        return check(name, False, "not tried without user namespaces", "Allow user namespaces first")
    hidden = masked_paths()
    return check(name, False, f"{failure}{'; hidden here: ' + ', '.join(hidden) if hidden else ''}", PROC_FIX)


def in_sandbox(options: Sequence[str]) -> str | None:
    """Starts a program in a sandbox with these options, as the user who starts the judge's. Returns why it failed, or
    None."""
    command = ["bwrap", "--unshare-all", "--die-with-parent", *options, "--", "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=START_S, preexec_fn=sandbox_user().become)
    except subprocess.TimeoutExpired:
        return f"no result in {START_S} s"
    except (OSError, subprocess.SubprocessError) as error:
        return start_failure(error)
    return None if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"


def masked_paths(mounts: Path = Path("/proc/self/mountinfo")) -> list[str]:
    """Returns the paths below /proc that other mounts cover."""
    places = [line.split()[4] for line in mounts.read_text().splitlines()]
    return sorted({place for place in places if place.startswith("/proc/")})


def seccomp(proc: Path = Path("/proc")) -> Check:
    """Reports the kernel's filters of system calls. Always ok: the check `worker` fails where they do not work."""
    try:
        actions = (proc / "sys/kernel/seccomp/actions_avail").read_text().split()
    except OSError:
        return note("seccomp", "the kernel does not report its filters")
    status = (proc / "self/status").read_text()
    outer = ", within a filter of the container" if "\nSeccomp:\t2" in status else ""
    if "user_notif" in actions:
        return note("seccomp", f"filters and user notification{outer}")
    return note("seccomp", f"filters{outer}; {NEVER}", "For submissions that compile, use Linux 5.5 or newer")


def device_files(found: FoundAccelerator) -> Check:
    """Checks that the device files can be opened inside the sandbox."""
    name = "devices in the sandbox"
    fix = (
        f"Let the user of the runner read and write {', '.join(found.nodes)} (AMD: usermod -aG video,render USER), on a "
        "file system that is not mounted nodev"
    )
    try:
        launch = Launch(str(native_library.build()), found)
    except (native_library.BuildError, SandboxError) as error:
        return check(name, False, str(error), "Fix what the other checks report; then run this again")
    environment = configure(sandboxed=True, accelerator=found).worker_environment()
    command = ["bwrap", *launch.options(environment), "--", lasting(sys.executable), "-I", "-c", OPEN_DEVICES, *found.nodes]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=START_S, preexec_fn=launch.become_nobody)
    except (OSError, subprocess.SubprocessError) as error:
        return check(name, False, start_failure(error), "Fix what the other checks report; then run this again")
    failures = (done.stdout.strip() if done.returncode == 0 else done.stderr.strip()).splitlines()
    return check(name, not failures, "; ".join(failures) or ", ".join(found.nodes), fix)


def worker(accelerator: FoundAccelerator | None) -> Check:
    """Starts a worker in its cell, as for a job."""
    config = configure(sandboxed=True, accelerator=accelerator)
    try:
        with contextlib.closing(Zygote(config)) as zygote:
            zygote.wait_until_warm()
            can_start_processes = prove(zygote, config)
    except (SandboxError, native_library.BuildError, OSError) as error:
        return check("worker", False, str(error), "Fix what the other checks report; then run this again")
    if can_start_processes:
        return note("worker", "starts in its sandbox")
    return note("worker", f"starts in its sandbox; {NEVER}", "For submissions that compile, use Linux 5.5 or newer")
