"""Cache of compiler output: what a Python submission compiles at import, for the same source of the same account; and
the tester's own entry, with which every C++ submission to a problem is linked (build.py).

An entry is written once. A submission's entry is the content of the worker's cache folder after the first import and
before any input was seen, so what a run finds there depends only on its source. It has results only: nothing is cached
while a build is unfinished, and an entry with which an import fails is removed. The bytes come from the worker; the judge
never interprets them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Mapping

from ..device.machine import cpu_fields, cpu_model, frameworks, tester_version
from ..messages import Job
from ..problem.modules import visible_files

#: Maximum bytes of one entry; maximum bytes and number of all. The least recently used entries are evicted first.
ENTRY_BYTES = 64 << 20
TOTAL_BYTES = 2 << 30
TOTAL_ENTRIES = 1_000
#: Each entry is preceded by its hash.
DIGEST_BYTES = hashlib.sha256().digest_size


def folder() -> Path:
    """Returns the folder of the entries in the user's cache, readable only by this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelbot" / "compiled"


def key_of(job: Job, sandboxed: bool) -> str | None:
    """Returns a hash of all that the content of an entry may depend on; None for a job without an account, which is
    not cached."""
    account = job.get("account")
    if not account:
        return None
    files = visible_files(job["problem"]["files"])
    return digest_of({"account": account, "source": job["source"], "files": files}, sandboxed)


def digest_of(parts: Mapping[str, object], sandboxed: bool) -> str:
    """Returns the hash of an entry's sources and of the compiling environment."""
    here = {**compiling_environment(), "sandboxed": sandboxed}
    return hashlib.sha256(json.dumps({**parts, **here}, sort_keys=True).encode()).hexdigest()


@functools.cache
def compiling_environment() -> dict[str, object]:
    """Returns what compilers on this machine depend on. The host calls it before it forks judges: it takes 15 ms."""
    return {
        "python": platform.python_version(),
        "c_library": platform.libc_ver(),
        "frameworks": frameworks(),
        "tester": tester_version(),
        # Compilers target the instruction set of this processor.
        "processor": [platform.machine(), cpu_model(), *(cpu_fields().get(name) for name in ("flags", "Features"))],
    }


def read(key: str) -> bytes | None:
    """Returns the entry and marks it as used; None where it is missing or damaged."""
    path = folder() / key
    try:
        entry = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    data = entry[DIGEST_BYTES:]
    # A power failure may have left a part.
    return data if entry[:DIGEST_BYTES] == hashlib.sha256(data).digest() else None


def write(key: str, data: bytes) -> None:
    """Stores an entry and evicts old ones. Does nothing where the disk is full or not writable."""
    place = folder()
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o700)
        handle, temporary = tempfile.mkstemp(dir=place, prefix=".")
        try:
            with open(handle, "wb") as file:
                file.write(hashlib.sha256(data).digest() + data)
            os.replace(temporary, place / key)
        except OSError:
            os.unlink(temporary)
        evict(place)


def remove(key: str) -> None:
    """Removes an entry, if it exists."""
    with contextlib.suppress(OSError):
        (folder() / key).unlink()


def evict(place: Path) -> None:
    """Removes the least recently used entries until the rest is within the limits."""
    found: list[tuple[float, int, Path]] = []
    for path in place.iterdir():
        # Other testers may evict at the same time.
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    found.sort(reverse=True)
    total = 0
    for number, (_, size, path) in enumerate(found):
        total += size
        if number >= TOTAL_ENTRIES or total > TOTAL_BYTES:
            path.unlink(missing_ok=True)
