"""Checks what a submission that compiles needs on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sysconfig
from pathlib import Path

#: Search path of programs in a worker.
PATH = "/usr/bin:/bin"


def missing() -> list[str]:
    """Returns the names of the missing Debian packages. The PyTorch wheel of the Python registry contains its
    headers."""
    torch = importlib.util.find_spec("torch")
    include = Path(torch.origin).parent / "include" if torch is not None and torch.origin is not None else Path("/none")
    found = {
        "g++": shutil.which("g++", path=PATH) is not None,
        "ninja-build": shutil.which("ninja", path=PATH) is not None,
        "python3-dev": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
        "python3-setuptools": importlib.util.find_spec("setuptools") is not None,
        "libtorch-dev": (include / "torch/extension.h").exists(),
        "pybind11-dev": any((place / "pybind11/pybind11.h").exists() for place in (include, Path("/usr/include"))),
    }
    return [name for name, there in found.items() if not there]
