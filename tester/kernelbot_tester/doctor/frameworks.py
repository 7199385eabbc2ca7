"""Checks Python and the packages that judge and submissions need."""

from __future__ import annotations

import glob
import importlib.util
import os
import platform
import sys
from pathlib import Path

from ..device.find import pytorch_build
from ..device.machine import frameworks
from ..messages import Check
from ..pip_command import pip_install
from .check import PYTORCH_COMMAND, check, note

#: Debian's package of an optimized BLAS, which takes the place of the reference implementation.
OPTIMIZED_BLAS = "libopenblas0-pthread"


def python() -> Check:
    """Checks the version of the interpreter."""
    enough = sys.version_info >= (3, 10)
    return check("Python version", enough, platform.python_version(), "Use Python 3.10 or newer")


def numpy() -> Check:
    """Checks that NumPy is installed."""
    version = frameworks().get("numpy")
    return check("numpy", version is not None, version or missing(), install("numpy"))


def pytorch() -> Check:
    """Checks that PyTorch is installed, and reports for which devices it was built."""
    version = frameworks().get("torch")
    if version is None:
        return check("torch", False, missing(), install("torch"))
    api, number = pytorch_build() or (None, "")
    kind = {"cu": f"for CUDA {number}", "hip": f"for ROCm {number}", None: "for processors only"}[api]
    return check("torch", True, f"{version}, built {kind}", "")


def blas() -> Check:
    """Reports what multiplies matrices on the processor. Always ok: a machine with the reference implementation judges,
    with slow references."""
    library = reference_blas()
    if library is None:
        return note("BLAS", "optimized")
    advice = (
        "For references that compute matrix products at this processor's speed, install an optimized one "
        f"(Debian, Ubuntu: apt install {OPTIMIZED_BLAS})"
    )
    return note("BLAS", f"the reference implementation, {library}, which is more than ten times slower", advice)


def reference_blas(libraries: str = "/usr/lib/*-linux-gnu") -> str | None:
    """Returns the path of the reference implementation of BLAS if PyTorch uses it, as Debian's package does where no
    other one is installed; other packages contain an optimized one."""
    torch = importlib.util.find_spec("torch")
    if torch is None or not (torch.origin or "").startswith("/usr/lib/python3/"):
        return None
    # The system's alternatives select a folder, such as `openblas-pthread`.
    used = map(os.path.realpath, glob.glob(f"{libraries}/libblas.so.3"))
    return next((path for path in used if Path(path).parent.name == "blas"), None)


def missing() -> str:
    """Returns what is wrong where a package is not installed."""
    return f"{sys.executable} does not have it"


def install(name: str) -> str:
    """Returns how to install a package for this interpreter."""
    debian = f"Debian: apt install python3-{name}"
    if name == "torch":
        return f"Install it for {sys.executable}: {PYTORCH_COMMAND} ({debian})"
    return f"Install it: {pip_install(name)} ({debian})"
