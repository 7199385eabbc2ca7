"""Checks Python and the packages that judge and submissions need."""

from __future__ import annotations

import platform
import sys

from ..device.find import pytorch_build
from ..device.machine import frameworks
from ..messages import Check
from .check import PYTORCH_COMMAND, check


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


def missing() -> str:
    """Returns what is wrong where a package is not installed."""
    return f"{sys.executable} does not have it"


def install(name: str) -> str:
    """Returns how to install a package for this interpreter."""
    debian = f"Debian: apt install python3-{name}"
    if name == "torch":
        return f"Install it for {sys.executable}: {PYTORCH_COMMAND} ({debian})"
    return f"Install it: {sys.executable} -m pip install {name} ({debian})"
