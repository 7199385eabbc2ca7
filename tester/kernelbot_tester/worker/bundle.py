"""Packs a folder of regular files into bytes and unpacks it: a worker or builder passes its compiled files to the
judge in this form, which the judge only stores.

The bytes are the length of a JSON list, the list of `[path, mode, modification time in ns, size]`, and the files.
Times are exact, since ninja compares them. Links, special files and lock files are left out: the process that had a lock has ended.
"""

from __future__ import annotations

import json
import os
import struct

LENGTH = struct.Struct("<I")
#: Lock of PyTorch's builder, which removes it at the end of a build: the folder of one that was interrupted has it.
BUILD_LOCK = "lock"
#: Lock files of Triton, Inductor and `filelock`, which may stay after a build that has succeeded.
LOCK_SUFFIX = ".lock"


def pack(folder: str, file: int, limit: int) -> int:
    """Writes the folder into the open file. Returns its size in bytes; 0 when the folder is empty, has an interrupted
    build, changes while it is read, or exceeds the limit."""
    entries: list[tuple[str, int, int, int]] = []
    total = 0
    for parent, _, names in sorted(os.walk(folder)):
        if BUILD_LOCK in names:
            return 0
        for name in sorted(names):
            if name.endswith(LOCK_SUFFIX):
                continue
            path = os.path.join(parent, name)
            status = os.lstat(path)
            if os.path.isfile(path) and not os.path.islink(path):
                relative = os.path.relpath(path, folder)
                entries.append((relative, status.st_mode & 0o777, status.st_mtime_ns, status.st_size))
                total += status.st_size
    head = json.dumps(entries).encode("ascii")
    total += LENGTH.size + len(head)
    if not entries or total > limit:
        return 0
    with open(file, "wb", closefd=False) as out:
        out.write(LENGTH.pack(len(head)) + head)
        for relative, _, _, size in entries:
            with open(os.path.join(folder, relative), "rb") as source:
                data = source.read(size)
            if len(data) != size:
                return 0  # Another process is still writing.
            out.write(data)
    return total


def unpack(file: int, folder: str) -> None:
    """Creates the folder from the content of the open file. Raises ValueError for a path that leads out of it."""
    with open(file, "rb", closefd=False) as source:
        (length,) = LENGTH.unpack(source.read(LENGTH.size))
        entries = json.loads(source.read(length))
        for relative, mode, modified_ns, size in entries:
            parts = relative.split("/")
            if not all(parts) or {".", ".."}.intersection(parts):
                raise ValueError(f"the path {relative!r} leads out of the folder")
            path = os.path.join(folder, *parts)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # Links are never created, so no path leads elsewhere.
            with open(path, "xb") as target:
                target.write(source.read(size))
            os.chmod(path, mode & 0o777)
            os.utime(path, ns=(modified_ns, modified_ns))
