"""What was compiled, kept for the next run: by a submission in Python at import, for the same source by the same account;
and of our own, what every submission in C++ to a problem is linked with (building.py).

An entry is written once. A submission's is what lies in the worker's cache folder after the first import and before any
input was seen, so what a run finds there depends on its source alone. The bytes are the worker's; nothing here reads them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

from .machine import cpu_fields, cpu_model, frameworks, tester_version
from .sources import visible_files

#: Bytes of one entry; bytes and number of all. The least recently used goes first.
ENTRY_BYTES = 64 << 20
TOTAL_BYTES = 2 << 30
TOTAL_ENTRIES = 1_000
#: Before the bytes of an entry stands their hash.
DIGEST_BYTES = hashlib.sha256().digest_size


def folder() -> Path:
    """Where entries lie: in the user's cache, for this user alone."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelbot" / "compiled"


def key_of(job: dict[str, Any], sandboxed: bool) -> str | None:
    """All that the content of an entry may depend on, as a hash; None for a job of no account, of which nothing is kept."""
    if not job.get("account"):
        return None
    files = visible_files(job["problem"]["files"])
    return digest_of({"account": job["account"], "source": job["source"], "files": files}, sandboxed)


def digest_of(parts: dict[str, Any], sandboxed: bool) -> str:
    """The hash of what an entry is made from, and of all that compiles it here."""
    here = {
        "python": platform.python_version(),
        "frameworks": frameworks(),
        "tester": tester_version(),
        # Compilers are asked for the instructions of this processor.
        "processor": [platform.machine(), cpu_model(), *(cpu_fields().get(name) for name in ("flags", "Features"))],
        "sandboxed": sandboxed,
    }
    return hashlib.sha256(json.dumps({**parts, **here}, sort_keys=True).encode()).hexdigest()


def read(key: str) -> bytes | None:
    """The entry, which is now the one used last."""
    path = folder() / key
    try:
        found = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    data = found[DIGEST_BYTES:]
    # A machine that lost its power may have kept a part.
    return data if found[:DIGEST_BYTES] == hashlib.sha256(data).digest() else None


def write(key: str, data: bytes) -> None:
    """Keeps an entry, and lets go of old ones. A disk that is full or closed to us keeps nothing."""
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


def evict(place: Path) -> None:
    """Removes what was not used for the longest time until the rest is within the limits."""
    found: list[tuple[float, int, Path]] = []
    for path in place.iterdir():
        # Others may evict at the same time.
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    found.sort(reverse=True)
    total = 0
    for number, (_, size, path) in enumerate(found):
        total += size
        if number >= TOTAL_ENTRIES or total > TOTAL_BYTES:
            path.unlink(missing_ok=True)
