"""What submissions have compiled at import, kept for the next run of the same source by the same account.

An entry is written once, from what lies in the worker's cache folder after the first import and before any input was
seen, so what a run finds there depends on its source alone. The bytes are the worker's; nothing here reads them.
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

from .machine import cpu_model, frameworks, tester_version
from .sources import visible_files

#: Bytes of one entry; bytes and number of all. The least recently used goes first.
ENTRY_BYTES = 64 << 20
TOTAL_BYTES = 2 << 30
TOTAL_ENTRIES = 1_000


def folder() -> Path:
    """Where entries lie: in the user's cache, for this user alone."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelbot" / "compiled"


def key_of(job: dict[str, Any], sandboxed: bool) -> str | None:
    """All that the content of an entry may depend on, as a hash; None for a job of no account, of which nothing is kept."""
    if not job.get("account"):
        return None
    parts = {
        "account": job["account"],
        "source": job["source"],
        "files": visible_files(job["problem"]["files"]),
        "python": platform.python_version(),
        "frameworks": frameworks(),
        "tester": tester_version(),
        # Compilers are asked for the instructions of this processor.
        "processor": [platform.machine(), cpu_model()],
        "sandboxed": sandboxed,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read(key: str) -> bytes | None:
    """The entry, which is now the one used last."""
    path = folder() / key
    try:
        data = path.read_bytes()
        os.utime(path)
        return data
    except OSError:
        return None


def write(key: str, data: bytes) -> None:
    """Keeps an entry, and lets go of old ones. A disk that is full or closed to us keeps nothing."""
    place = folder()
    with contextlib.suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o700)
        handle, temporary = tempfile.mkstemp(dir=place, prefix=".")
        try:
            with open(handle, "wb") as file:
                file.write(data)
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
