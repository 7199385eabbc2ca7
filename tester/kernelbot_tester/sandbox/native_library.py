"""Builds the C library when it is missing, and loads it for the judge."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..worker import library

SOURCES = Path(__file__).resolve().parents[2] / "native"
#: Path of the library inside the sandbox; it is built outside (sandbox.py).
MOUNTED = Path("/kernelbot/native.so")
#: No fused multiply-add: random inputs are the same on every processor (inputs.c).
FLAGS = ["-O2", "-Wall", "-Wno-psabi", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC"]


class BuildError(Exception):
    """The library cannot be built; the message says what to do."""


def compiler() -> str | None:
    """Returns the C compiler: $CC, else the first of cc, gcc and clang; None where there is none."""
    return next(
        (found for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name and (found := shutil.which(name))), None
    )


def file_name(files: list[Path]) -> str:
    """Returns the name of the library that these sources make with this machine's C library: an older one cannot load
    it, for example in a container that uses its host's folder."""
    flags = " ".join((*FLAGS, *platform.libc_ver())).encode()
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files) + flags).hexdigest()[:16]
    return f"kernelbot-{os.uname().machine}-{digest}.so"


def build() -> Path:
    """Returns the library's path. It is compiled once for each content of the sources. Raises BuildError."""
    if MOUNTED.exists():
        return MOUNTED
    files = sorted(SOURCES.glob("*.[ch]"))
    name = file_name(files)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelbot"
    for folder in (SOURCES / "build", cache):
        if (folder / name).exists():
            return folder / name
    found = compiler()
    if found is None:
        raise BuildError("no C compiler was found: install gcc (Debian: apt install gcc libc6-dev), or set CC")
    for folder in (SOURCES / "build", cache):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        except OSError:
            continue
        os.close(handle)
        sources = [str(file) for file in files if file.suffix == ".c"]
        done = subprocess.run([found, *FLAGS, "-o", temporary, *sources], capture_output=True, text=True)
        if done.returncode != 0:
            os.unlink(temporary)
            raise BuildError(f"{found} cannot build the tester's C library: {done.stderr.strip()[-1500:]}")
        os.chmod(temporary, 0o755)
        os.replace(temporary, folder / name)
        return folder / name
    raise BuildError(f"neither {SOURCES / 'build'} nor {cache} can be written")


@functools.cache
def native() -> ctypes.CDLL:
    """Returns the library, built when needed."""
    return library.load(str(build()))
