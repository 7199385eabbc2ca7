"""The zygote: has PyTorch loaded and forks a worker for each request, so that a worker costs a fork and not an import.

A request is one datagram on the control socket: `{"cores": [..], "threads": n, "devices": [..]}` with four open files:
the worker's end of the conversation, the keeper's end of the leash, where the worker prints, and the channel. With four
files more for each further worker it is a group that is asked for: the ranks of one job, which share a network of their
own and the memory in /dev/shm. With `"harness": true` it is a harness of the problem's own that is started, and the
fourth file is the pipe of its report; with `"network": true` as well, in a network of its own. With `"builder": true` it
is what compiles a submission. The zygote never answers; the worker does, by its first message. Arguments: the control
socket, a JSON document with the library's path, the limits and whether there is a cell.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import signal
import socket
import sys

#: Open files of a request for each worker, and the most workers of a group.
FILES, MOST_RANKS = 4, 16


def main() -> None:
    """Serves until the host goes away."""
    control = socket.socket(fileno=int(sys.argv[1]))
    options = json.loads(sys.argv[2])
    sys.path += [folder for folder in options["path"] if folder not in sys.path]
    # When memory runs out, the kernel kills workers and not what judges them.
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("800")
    import numpy  # noqa: F401
    import torch

    from . import builder, extensions, harness, library, main as worker
    from .device import open_device

    extensions.preload()
    native = library.load(options["library"])
    limits = library.Limits(**options["limits"])
    sandboxed: bool = options["sandboxed"]
    # Keepers are reaped by the kernel.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # A device that is open does not outlive a fork.
    check(-1 if torch.cuda.is_initialized() else 0, "a device is open before its worker is there")
    gc.collect()
    gc.freeze()
    control.send(b"warm")
    while True:
        request, files, _, _ = socket.recv_fds(control, 4096, FILES * MOST_RANKS)
        if not request:
            return
        if os.fork() == 0:
            try:
                # Not reached by the keeper, which leaves by _exit.
                asked = json.loads(request)
                rank, in_group = 0, len(files) > FILES or asked.get("network") is True
                if in_group:
                    # Each child of this process goes on with files of its own.
                    rank = divide(native, limits, sandboxed, len(files) // FILES)
                    files = files[FILES * rank : FILES * (rank + 1)]
                talk, report, door = inhabit(
                    native, limits, options["cell_bytes"], sandboxed, asked, files, in_group
                )
                if asked.get("harness"):
                    harness.main(native, limits, sandboxed, talk, report, options["path"], in_group)
                if asked.get("builder"):
                    if sandboxed:
                        os.close(door)
                        check(native.kb_close_cell(1, -1, 0), "the cell of the builder")
                    builder.main(talk)
                processes = True
                if sandboxed:
                    closed = native.kb_close_cell(0, door, 1 if in_group else 0)
                    check(min(closed, 0), "the cell")
                    processes = closed == 0
                device = open_device(asked["devices"][rank])
                worker.main(native, talk, report, asked["threads"], processes, device)
            except BaseException as error:
                os.write(2, f"a worker could not be set up: {error}\n".encode())
            finally:
                os._exit(70)
        for file in files:
            os.close(file)


def divide(native: ctypes.CDLL, limits: ctypes.Structure, sandboxed: bool, ranks: int) -> int:
    """In the forked child, for the workers of a group: makes what they share, and returns in a child for each of them
    with its rank. Their parent lives as long as they do."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    check(native.kb_follow_parent(), "PR_SET_PDEATHSIG")
    if sandboxed:
        check(native.kb_make_group(ctypes.byref(limits)), "namespaces of the group")
    for rank in range(ranks):
        if os.fork() == 0:
            return rank
    keep_only([2])
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)


def inhabit(
    native: ctypes.CDLL,
    limits: ctypes.Structure,
    cell_bytes: int,
    sandboxed: bool,
    request: dict,
    files: list[int],
    in_group: bool,
) -> tuple[socket.socket, int, int]:
    """In the forked child: becomes the keeper, and returns in its own child, in a furnished cell, with the conversation,
    the fourth file, and the door at which the keeper waits (-1 without a cell)."""
    talk, leash, out, fourth = files
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    check(native.kb_follow_parent(), "PR_SET_PDEATHSIG")
    if sandboxed:
        check(native.kb_make_cell(), "namespaces of the cell")
    door = door_there = -1
    if sandboxed:
        door, door_there = (end.detach() for end in socket.socketpair())
    child = os.fork()
    if child != 0:
        keep_only([leash, door])
        # Their processes are started without asking the keeper, or have no limit of addresses.
        watched = bool(request.get("harness") or request.get("builder") or limits.any_address)
        most_bytes = cell_bytes if watched else limits.memory_bytes
        native.kb_keep(leash, child, 0 if sandboxed else 1, door, most_bytes, 1 if watched and sandboxed else 0)
    # Not the keeper, which must not wait for its turn among the processes that it keeps.
    os.sched_setaffinity(0, request["cores"])
    if not sandboxed:
        os.setpgid(0, 0)
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    keep_only([0, 1, 2, talk, fourth, door_there])
    check(native.kb_limit(ctypes.byref(limits), 1 if sandboxed else 0), "limits of the cell")
    if sandboxed:
        check(native.kb_furnish_cell(ctypes.byref(limits), 1 if in_group else 0), "the cell")
    return socket.socket(fileno=talk), fourth, door_there


def check(result: int, what: str) -> None:
    """Raises OSError when a function of the library failed."""
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def keep_only(files: list[int]) -> None:
    """Closes every open file but these; -1 is none."""
    start = 0
    for file in [*sorted(file for file in files if file >= 0), 1 << 16]:
        # os.closerange(n, n) closes everything in some versions.
        if start < file:
            os.closerange(start, file)
        start = file + 1
