"""Checks what this machine needs for judging. Each check reports what it found and how to fix it."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

from ..device.find import NoAccelerator, find_accelerator
from ..device.machine import cpu_model, frameworks, memory_bytes
from ..messages import Check
from ..sandbox import native_library
from ..sandbox.config import configure
from ..sandbox.memory_groups import ADVICE, NoGroups, find_groups
from ..sandbox.sandbox import USER_NAMESPACES_FIX, SandboxError, Zygote, prove
from ..worker.faults import NEVER
from . import compilers

#: Minimum memory in bytes for PyTorch in the judge and two workers.
ENOUGH_MEMORY = 2 << 30


def check(name: str, ok: bool, detail: str, fix: str) -> Check:
    """Returns one finding: core's `Check`. `fix` is dropped where `ok`; other findings may carry advice even when
    ok."""
    return {"name": name, "ok": ok, "detail": detail, "fix": None if ok else fix}


def python() -> Check:
    """Checks the version of the interpreter."""
    enough = sys.version_info >= (3, 10)
    return check("Python version", enough, platform.python_version(), "Use Python 3.10 or newer")


def framework(name: str) -> Check:
    """Checks a framework that judge and submissions need."""
    version = frameworks().get(name)
    fix = f"Install it: pip install {name} (Debian: apt install python3-{name})"
    return check(name, version is not None, version or f"{sys.executable} does not have it", fix)


def compiler() -> Check:
    """Checks that the C library is built or can be built."""
    try:
        return check("C library", True, f"{native_library.build().name}, by {native_library.compiler() or 'an earlier build'}", "")
    except native_library.BuildError as error:
        return check("C library", False, str(error), "Install a C compiler (Debian: apt install gcc libc6-dev)")


def building() -> Check:
    """Checks what submissions need to compile. Always ok: a machine without it judges submissions that do not
    compile."""
    missing = compilers.missing()
    if not missing:
        return check("compiling", True, "g++, ninja and the headers of Python and PyTorch", "")
    advice = f"For submissions that compile, such as by load_inline: apt install {' '.join(missing)}"
    return {"name": "compiling", "ok": True, "detail": f"without {', '.join(missing)}", "fix": advice}


def bubblewrap() -> Check:
    """Checks that Bubblewrap is installed."""
    found = shutil.which("bwrap")
    detail = "not found"
    if found is not None:
        detail = subprocess.run([found, "--version"], capture_output=True, text=True).stdout.strip()
    return check("Bubblewrap", found is not None, detail, "Install it (Debian, Ubuntu: apt install bubblewrap)")


def user_namespaces() -> Check:
    """Checks that the kernel allows user namespaces."""
    try:
        allowed = int(Path("/proc/sys/user/max_user_namespaces").read_text())
    except (OSError, ValueError):
        allowed = 0
    return check("user namespaces", allowed > 0, f"at most {allowed}", capitalized(USER_NAMESPACES_FIX))


def worker() -> Check:
    """Starts a worker in its cell, as for a job."""
    config = configure(sandboxed=True)
    try:
        with contextlib.closing(Zygote(config)) as zygote:
            zygote.wait_until_warm()
            can_start_processes = prove(zygote, config)
    except (SandboxError, native_library.BuildError) as error:
        return check("worker", False, str(error), "Fix what the other checks report; then run this again")
    if can_start_processes:
        return check("worker", True, "starts in its sandbox", "")
    detail = f"starts in its sandbox; {NEVER}"
    return {"name": "worker", "ok": True, "detail": detail, "fix": "For submissions that compile, use a newer kernel"}


def accelerator() -> Check:
    """Checks for an accelerator. Always ok."""
    try:
        found = find_accelerator()
    except NoAccelerator as error:
        # Many machines judge only on the processor.
        return check("accelerator", True, f"none that can be judged on: {error}", "")
    return check("accelerator", True, f"{', '.join(found.nodes)}, by {found.choice.library}", "")


def cores() -> Check:
    """Checks for one core for the clock and at least one for the kernel."""
    count = len(os.sched_getaffinity(0))
    fix = "Give the tester a second core: with one, judge and kernel share it and times are less exact"
    return check("cores", count >= 2, f"{count}, {cpu_model()}", fix)


def memory() -> Check:
    """Checks for enough memory for PyTorch in a judge and two workers."""
    size = memory_bytes()
    return check("memory", size >= ENOUGH_MEMORY, f"{size / (1 << 30):.1f} GiB", "Use a machine with 2 GiB or more")


def memory_limit() -> Check:
    """Reports how the memory of a submission is limited. Always ok: both ways enforce the limit, the kernel's
    exactly."""
    try:
        return check("memory limit", True, f"by the kernel, in groups of cgroup v2 below {find_groups().folder}", "")
    except NoGroups as error:
        detail = f"without cgroup v2: the memory of a submission is added up every 50 ms, since {error}"
        return {"name": "memory limit", "ok": True, "detail": detail, "fix": ADVICE}


def capitalized(text: str) -> str:
    """Returns the text with an upper-case first letter."""
    return text[:1].upper() + text[1:]


def findings() -> list[Check]:
    """Runs every check."""
    looks: list[Callable[[], Check]] = [python, compiler, building, bubblewrap, user_namespaces, worker]
    looks += [accelerator, cores, memory, memory_limit]
    return [framework("torch"), framework("numpy"), *(look() for look in looks)]


def doctor(as_json: bool) -> int:
    """Prints every finding. Returns the exit code: 0 where all are ok, else 1."""
    found = findings()
    if as_json:
        print(json.dumps(found))
    else:
        for finding in found:
            print(f"{'ok ' if finding['ok'] else 'NOT'} {finding['name']}: {finding['detail']}")
            if finding["fix"]:
                print(f"    {finding['fix']}")
    return 0 if all(finding["ok"] for finding in found) else 1
