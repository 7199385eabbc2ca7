"""Requests to the zygote for new processes, and their first messages."""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import Protocol, Sequence

from ..device.device import Device
from ..messages import Job
from ..sandbox.config import Config
from ..sandbox.memory_groups import MemoryGroup
from ..worker import wire
from ..worker.protocol import Hello, ProcessRequest, Role

CREDENTIALS = struct.Struct("3i")
#: Report of a keeper (native/keeper.c): code and status as of waitid(2).
KEEPER_REPORT = struct.Struct("2i")


class NewProcess(Protocol):
    """Process to request. `child_files`: the files that it receives, which are closed here once they are sent."""

    config: Config
    device: Device
    child_files: list[int]


def request_processes(
    processes: Sequence[NewProcess],
    control: socket.socket,
    role: Role = "worker",
    devices: list[Device] | None = None,
) -> None:
    """Requests processes from the zygote: one of any role, or the ranks of a group."""
    config = processes[0].config
    # Nothing is timed while the problem's code runs.
    cores = config.all_cores if role == "problem" else config.worker_cores
    request: ProcessRequest = {
        "cores": cores,
        # The problem process gets as many threads as the reference's worker: threads that wait for each other must not
        # outnumber the cores that the judge leaves them.
        "threads": max(1, len(config.worker_cores) // len(processes)),
        "devices": [device.for_worker() for device in devices or [process.device for process in processes]],
        "role": role,
        "network": False,
    }
    files = [file for process in processes for file in process.child_files]
    socket.send_fds(control, [json.dumps(request).encode()], files)
    for file in files:
        os.close(file)


def names_extensions(job: Job) -> bool:
    """Whether code of the job names PyTorch's extension builder."""
    problem = job["problem"]
    starters = problem["spec"]["templates"].values()
    texts = [job["source"], *(text for text in problem["files"].values() if text not in starters)]
    if "rival" in job:
        texts.append(job["rival"]["source"])
    return any("cpp_extension" in text for text in texts)


def read_first_message(messages: socket.socket) -> tuple[int, Hello]:
    """Reads the first message of a started process from a socket with SO_PASSCRED, sent before any user code is
    loaded. Returns its process ID in our namespace and the message. Raises OSError, StopIteration, ValueError."""
    data, ancillary, _, _ = messages.recvmsg(wire.LENGTH.size, socket.CMSG_SPACE(CREDENTIALS.size))
    if len(data) < wire.LENGTH.size:
        raise ValueError("the process ended before its first message")
    pid = next(CREDENTIALS.unpack(value)[0] for _, kind, value in ancillary if kind == socket.SCM_CREDENTIALS)
    return pid, json.loads(messages.recv(wire.LENGTH.unpack(data)[0]))


def open_memory_group(pid: int, config: Config, limit_bytes: int) -> MemoryGroup | None:
    """Creates a memory group for the cell of this process; the limit includes its /tmp and /dev/shm. Returns None
    where the tester has no groups. Raises OSError."""
    if config.memory_groups is None:
        return None
    return config.memory_groups.open(pid, limit_bytes + 2 * config.scratch_bytes)


def file_in_memory(name: str, data: bytes) -> int:
    """Returns an open file in memory with this content, positioned at its beginning."""
    opened = os.memfd_create(name, os.MFD_CLOEXEC)
    with open(opened, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(opened, 0, os.SEEK_SET)
    return opened


def folder_prefix(judge: int) -> str:
    """Returns the prefix of the names of this judge's worker folders where there is no sandbox."""
    return f"kernelbot-{judge}-"
