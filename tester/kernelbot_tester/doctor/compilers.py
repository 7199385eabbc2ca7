"""Checks the compilers: of the tester's C library, and of submissions that compile."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from ..device.find import pytorch_build
from ..messages import Check
from ..sandbox import native_library
from ..sandbox.config import search_path
from ..worker.builder import FOLDERS
from .check import check, note

#: Search path of hipcc, which AMD installs in a folder of its own.
ROCM_FOLDERS = f"{FOLDERS}:/opt/rocm/bin"


def library() -> Check:
    """Checks that the C library is built or can be built."""
    try:
        return check("C library", True, f"{native_library.build().name}, by {native_library.compiler() or 'an earlier build'}", "")
    except native_library.BuildError as error:
        return check("C library", False, str(error), "Install a C compiler (Debian: apt install gcc libc6-dev)")


def compiling() -> Check:
    """Reports what submissions need to compile. Always ok: a machine without it judges submissions that do not
    compile."""
    found = [text for name, path in programs() if (text := version_of(name, path)) is not None]
    lacking = missing()
    detail = f"{', '.join(found) or 'no compiler'}; {'without ' + ', '.join(lacking) if lacking else 'headers of Python and PyTorch'}"
    advice: list[str] = []
    if lacking:
        advice.append(f"For submissions that compile, such as by load_inline: apt install {' '.join(lacking)}")
    build = pytorch_build()
    if build is not None and build[0] == "cu" and shutil.which("nvcc", path=FOLDERS) is None:
        version = build[1].replace(".", "-")
        advice.append(
            f"For submissions in CUDA C++: apt install cuda-nvcc-{version} from NVIDIA's packages, so that "
            "/usr/local/cuda/bin/nvcc exists"
        )
    return note("compiling", detail, "; ".join(advice) or None)


def programs() -> list[tuple[str, str]]:
    """Returns the programs that compile, each with its search path."""
    return [("gcc", search_path()), ("g++", search_path()), ("ninja", search_path()), ("nvcc", FOLDERS), ("hipcc", ROCM_FOLDERS)]


def version_of(name: str, path: str) -> str | None:
    """Returns name and version of a program; None where it is missing."""
    program = shutil.which(name, path=path)
    if program is None:
        return None
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return name
    # nvcc writes `release 12.4, V12.4.131`, gcc `gcc (Debian 12.2.0-14) 12.2.0`; the latter ends the line.
    found = re.search(r"release (\d+\.\d+)", text) or re.search(r"(\d+\.\d+(?:\.\d+)?)\S*$", text, re.MULTILINE)
    return f"{name} {found[1]}" if found else name


def missing() -> list[str]:
    """Returns the names of the missing Debian packages. The PyTorch wheel of the Python registry contains its
    headers."""
    torch = importlib.util.find_spec("torch")
    include = Path(torch.origin).parent / "include" if torch is not None and torch.origin is not None else Path("/none")
    found = {
        "g++": shutil.which("g++", path=search_path()) is not None,
        "ninja-build": shutil.which("ninja", path=search_path()) is not None,
        "python3-dev": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
        "python3-setuptools": importlib.util.find_spec("setuptools") is not None,
        "libtorch-dev": (include / "torch/extension.h").exists(),
        "pybind11-dev": any((place / "pybind11/pybind11.h").exists() for place in (include, Path("/usr/include"))),
    }
    return [name for name, there in found.items() if not there]
