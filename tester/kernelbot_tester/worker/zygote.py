"""The zygote: has PyTorch loaded and forks a worker for each request, so that a worker costs a fork instead of an
import.

A request is one datagram on the control socket, `protocol.ProcessRequest`, with four open files: the worker's end of the
message socket, the keeper's end of the leash (the socket between judge and keeper), the pipe for printed output, and
the channel. Its role is `worker`; `builder`, which compiles a submission; `problem`, which runs the problem's code on all
the devices; or `harness`, which runs a problem's own harness, with the pipe of its report as the fourth file.

Four more files for each further worker request a group: the ranks of one job, which share a network of their own and
the memory in /dev/shm.

The request `PRELOAD_EXTENSIONS`, without files, prepares the zygote for workers that build extensions. The request
`PREPARE_CELLS` makes it create the cells of the next run in advance: two forks and the namespaces, which take most of the
time until a worker starts. No code but ours has run in a prepared cell, and each is used once.

The zygote never answers; the worker does, with its first message. Arguments: the control socket, and a JSON document
with the library's path, the limits and whether there is a cell.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import selectors
import signal
import socket
import sys
from typing import TYPE_CHECKING, Callable, NoReturn

from .protocol import PRELOAD_EXTENSIONS, PREPARE_CELLS, ProcessRequest

if TYPE_CHECKING:
    from .library import Limits

#: Number of open files of a request for each worker, and maximum number of workers of a group.
FILES, MOST_RANKS = 4, 16
#: Number of cells prepared for the next run: its submission, its problem and the reference of a timed stage.
PREPARED_CELLS = 3
#: Seconds after which the preparation continues that would have disturbed a timed run of another tester.
BUSY_S = 0.05

#: A request and its files, and a function that waits for them, in the keeper (True) or in the process of its cell.
Order = tuple[ProcessRequest, list[int]]
TakeOrder = Callable[[bool], Order]


def main() -> None:
    """Serves until the host closes the control socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    options = json.loads(sys.argv[2])
    sys.path += [folder for folder in options["path"] if folder not in sys.path]
    die_before_the_judge()
    import numpy  # pyright: ignore[reportUnusedImport]
    import torch

    from . import builder, extensions, harness, huge_pages, library, main as worker
    from kernelbot_tester.problem import service as problem_service
    from kernelbot_tester.worker.machine_turns import Turn
    from kernelbot_tester.worker.device import open_devices
    from .device import open_device

    native = library.load(options["library"])
    limits = library.Limits(**options["limits"])
    sandboxed: bool = options["sandboxed"]
    # Event loops of submissions: cells cannot create an epoll (native/seccomp.c).
    selectors.DefaultSelector = selectors.PollSelector
    # Keepers are reaped by the kernel.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # An open device does not survive a fork.
    check(-1 if torch.cuda.is_initialized() else 0, "a device is open before its worker is there")
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    huge_pages.collapse()
    control.send(b"warm")

    def enter_cell(take_order: TakeOrder, rank: int, in_group: bool) -> NoReturn:
        """Becomes the keeper of a cell and the process in it, which runs what its order says."""
        try:
            # The keeper never returns here: it leaves by _exit.
            request_fields, talk, report, door = inhabit(native, limits, options["cell_bytes"], sandboxed, take_order, in_group)
            if request_fields["role"] == "harness":
                harness.main(native, limits, sandboxed, talk, report, options["path"], in_group)
            if request_fields["role"] == "builder":
                if sandboxed:
                    os.close(door)
                    check(native.kb_close_cell(1, -1, library.NO_SOCKETS, ctypes.byref(limits)), "the cell of the builder")
                builder.main(talk)
            processes = True
            if sandboxed:
                closed = native.kb_close_cell(0, door, library.sockets_of(limits, in_group), ctypes.byref(limits))
                check(min(closed, 0), "the cell")
                processes = closed == 0
            if request_fields["role"] == "problem":
                os.close(report)
                devices = open_devices(request_fields["devices"])
                problem_service.main(talk, request_fields["threads"], processes, devices)
            device = open_device(request_fields["devices"][rank])
            worker.main(native, talk, report, request_fields["threads"], processes, device)
        except BaseException as error:
            os.write(2, f"a worker could not be set up: {error}\n".encode())
        finally:
            os._exit(70)

    def new_cell() -> PreparedCell:
        """Forks a process into a cell of its own, where it waits for its order."""
        cell = PreparedCell()
        if os.fork() == 0:
            keep_only([0, 1, 2, *(end.fileno() for end in cell.there)])
            enter_cell(cell.take_order, 0, False)
        for end in cell.there:
            end.close()
        return cell

    prepared: list[PreparedCell] = []
    #: Whether cells are prepared. Not while a run may be timing calls, here or in another tester of this machine.
    preparing, wait_s = False, 0.0
    turn = Turn(options["turn"])
    while True:
        if preparing and not select.select([control], [], [], wait_s)[0]:
            with turn.untimed_if_free() as is_free:
                if is_free:
                    prepared.append(new_cell())
            preparing, wait_s = len(prepared) < PREPARED_CELLS, 0.0 if is_free else BUSY_S
            continue
        request, files, _, _ = socket.recv_fds(control, 4096, FILES * MOST_RANKS)
        if not request:
            return
        preparing = request == PREPARE_CELLS and len(prepared) < PREPARED_CELLS
        if request == PREPARE_CELLS:
            continue
        if request == PRELOAD_EXTENSIONS:
            if extensions.preload():
                gc.freeze()
                while prepared:
                    prepared.pop().close()
            continue
        request_fields: ProcessRequest = json.loads(request)
        if len(files) > FILES or request_fields["network"]:
            if os.fork() == 0:
                # Each child of this process continues with its own files.
                rank = divide(native, limits, sandboxed, len(files) // FILES)
                enter_cell(lambda _: (request_fields, files[FILES * rank : FILES * (rank + 1)]), rank, True)
        else:
            cell = prepared.pop(0) if prepared else new_cell()
            cell.give_order(request, files)
            cell.close()
        for file in files:
            os.close(file)


class PreparedCell:
    """A keeper and its process, which wait for their order: each has a socket to the zygote."""

    def __init__(self) -> None:
        #: Ends of the zygote, and of keeper and process.
        self.here, self.there = zip(*(socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(2)))

    def give_order(self, request: bytes, files: list[int]) -> None:
        """Sends the request and its files to keeper and process, in the zygote. A process that has ended meanwhile
        shows to the judge as one that could not be started."""
        for end in self.here:
            with contextlib.suppress(OSError):
                socket.send_fds(end, [request], files)

    def close(self) -> None:
        """Closes the zygote's ends: without an order, keeper and process end."""
        for end in self.here:
            end.close()

    def take_order(self, is_keeper: bool) -> Order:
        """Waits for the order, in the keeper or in the process. Ends the process where there will be none."""
        own = self.there[0 if is_keeper else 1]
        request, files, _, _ = socket.recv_fds(own, 4096, FILES)
        if not request:
            os._exit(0)
        return json.loads(request), files


def divide(native: ctypes.CDLL, limits: "Limits", sandboxed: bool, ranks: int) -> int:
    """Creates the shared namespaces of a group's workers, in the forked child. Returns in one child per worker, with
    its rank. Their parent lives until all of them have ended."""
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
    limits: "Limits",
    cell_bytes: int,
    sandboxed: bool,
    take_order: TakeOrder,
    in_group: bool,
) -> tuple[ProcessRequest, socket.socket, int, int]:
    """Turns the forked child into the keeper. Returns in the keeper's own child, in a complete cell, with its order, the
    message socket, the fourth file, and the socket to the keeper (-1 without a cell)."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    check(native.kb_follow_parent(), "PR_SET_PDEATHSIG")
    if sandboxed:
        check(native.kb_make_cell(1 if limits.accelerator and not in_group else 0), "namespaces of the cell")
    door = door_there = -1
    if sandboxed:
        door, door_there = (end.detach() for end in socket.socketpair())
    child = os.fork()
    request, (talk, leash, out, fourth) = take_order(child != 0)
    if request["role"] != "harness" and not any(request["devices"]):
        limits.accelerator = 0
    if child != 0:
        keep_only([leash, door])
        # Processes of these start without the keeper's permission, or have no address space limit.
        watched = bool(request["role"] in ("harness", "builder") or limits.accelerator)
        most_bytes = cell_bytes if watched else limits.memory_bytes
        native.kb_keep(leash, child, 0 if sandboxed else 1, door, most_bytes, 1 if watched and sandboxed else 0)
    # The keeper keeps its affinity, so that it does not compete for a core with the processes of its cell.
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
    return request, socket.socket(fileno=talk), fourth, door_there


def die_before_the_judge() -> None:
    """When memory runs out, the kernel kills this process and its children before the judge. Done by root, no
    unprivileged child can lower the score again."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("800")


def check(result: int, what: str) -> None:
    """Raises OSError when a function of the library failed."""
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def keep_only(files: list[int]) -> None:
    """Closes every open file except these; -1 is ignored."""
    start = 0
    for file in [*sorted(file for file in files if file >= 0), 1 << 16]:
        # os.closerange(n, n) closes everything in some versions.
        if start < file:
            os.closerange(start, file)
        start = file + 1
