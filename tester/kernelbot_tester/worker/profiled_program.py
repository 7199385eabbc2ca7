"""The two programs in the sandbox of a device profiler: `main` runs the profiler and returns its files, `target` is
the program that the profiler starts.
"""

from __future__ import annotations

import ctypes
import glob
import json
import os
import resource
import shutil
import socket
import subprocess

from . import library, wire
from .loading import load_function
from .protocol import ProfiledJob, ProfileRequest

#: Maximum bytes of the printed output and of the text that are returned, and offset of the report.
TEXT_BYTES = 256 << 10
REPORT_AT = 2 * TEXT_BYTES


def start(call: str, home: str, path: list[str]) -> str:
    """Returns the source of a program that makes this call of a function of this module. `home` contains our
    package."""
    imports = f"import sys; sys.path.insert(0, {home!r}); sys.path += {path!r}; from worker import profiled_program"
    return f"{imports}; profiled_program.{call}"


def main(number: int) -> None:
    """Runs the commands of the judge's message, and answers when they have ended."""
    sock = socket.socket(fileno=number)
    # The judge reads our process ID, and puts us into a memory group.
    wire.send(sock, {"hello": os.getpid()})
    message: ProfileRequest
    message, (out, given) = wire.receive(sock)
    close_cell(message["library"], message["limits"])
    folder = message["folder"]
    os.makedirs(folder)
    os.chdir(folder)
    with open("job.json", "w", encoding="utf-8") as job:
        json.dump(message["job"], job)
    with open(given, "rb") as source, open("input", "wb") as copy:
        source.seek(0)
        shutil.copyfileobj(source, copy)
    for index, command in enumerate(message["commands"]):
        with open(f"printed.{index}", "wb") as printed:
            try:
                subprocess.run(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT)
            except OSError as error:
                printed.write(f"error: {error}\n".encode())
    answer = {
        "printedBytes": put(out, 0, TEXT_BYTES, "printed.0", from_end=True),
        "textBytes": put(out, TEXT_BYTES, TEXT_BYTES, message["text"]),
        "reportBytes": put(out, REPORT_AT, os.fstat(out).st_size - REPORT_AT, message["report"]),
    }
    wire.send(sock, answer)


def close_cell(path: str, limits: dict[str, int]) -> None:
    """Sets the limits and the system call filter of a cell that may start processes, such as that of a harness: no new
    namespace, no kernel interface that a worker does not have. Raises OSError."""
    native = library.load(path)
    if native.kb_limit(ctypes.byref(library.Limits(**limits)), 1) or native.kb_filter_syscalls(1, -1, library.NETWORK):
        raise OSError(ctypes.get_errno(), f"the cell of the profiler: {os.strerror(ctypes.get_errno())}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits["open_files"], limits["open_files"]))


def put(out: int, place: int, room: int, pattern: str, from_end: bool = False) -> int | None:
    """Copies the head or the end of the first file that matches the pattern. Returns the file's whole length; None
    where there is none."""
    paths = sorted(glob.glob(pattern))
    if not paths:
        return None
    with open(paths[0], "rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - room) if from_end else 0)
        copied = 0
        while copied < room:
            part = file.read(min(room - copied, 1 << 20))
            if not part:
                break
            copied += os.pwrite(out, part, place + copied)
        return size


def target() -> None:
    """Calls the function on the input: once before, then `calls` times inside the range that the profiler records."""
    import torch

    with open("job.json", encoding="utf-8") as file:
        job: ProfiledJob = json.load(file)
    data = torch.load(os.path.abspath("input"), map_location=job["device"], weights_only=False)
    function = load_function("/tmp/job", job["files"], job["module"], job["function"])
    on_device = job["device"] != "cpu"
    function(data)
    if on_device:
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_push(job["function"])
    for _ in range(job["calls"]):
        function(data)
    if on_device:
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()
