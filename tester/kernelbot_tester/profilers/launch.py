"""Runs a submission under a profiler that starts the process itself.

The profiler must start processes, communicate with them and write files, which a worker may not. So both run in a
separate sandbox, without any data of the judge, with the limits, the memory group and the system call filter that a
problem's own harness has. The result is bytes of limited length, untrusted like every profile.
The outputs of these calls are not checked; the outputs of the calls before were.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence, cast

import torch

from ..device.host import sealed_memory
from ..failures import Failed, NotJudged
from ..processes.zygote_requests import open_memory_group, read_first_message
from ..sandbox import native_library
from ..sandbox.config import Config
from ..sandbox.sandbox import INSIDE, Launch, package_folders
from ..sandbox.start_failure import start_failure
from ..worker import profiled_program, wire
from ..worker.protocol import ProfileRequest
from .tool import FOLDER, DeviceProfiler

#: Maximum size of a report, and size limit of the sandbox's /tmp, in bytes.
REPORT_BYTES, SCRATCH_BYTES = 48 << 20, 1 << 30


@dataclass(frozen=True)
class Launched:
    """Result of a profiler: `text` and `report` are None where it wrote none, or too much."""

    printed: str
    text: str | None
    report: bytes | None


def profile_launched(
    tool: DeviceProfiler, files: dict[str, str], data: Any, device: str, calls: int, config: Config, deadline: float
) -> Launched:
    """Runs the tool on a submission (`submission.py` among its files) and an input, with its tensors on the device.

    Raises Failed where the time is up, NotJudged where the sandbox cannot be started."""
    out = sealed_memory("profile", profiled_program.REPORT_AT + REPORT_BYTES)
    given = input_file(data)
    ours, theirs = socket.socketpair()
    target = [sys.executable, "-I", "-c", profiled_program.start("target()", INSIDE, package_folders())]
    message: ProfileRequest = {
        "job": {"files": files, "module": "submission", "function": "custom_kernel", "device": device, "calls": calls},
        "folder": FOLDER,
        "commands": tool.commands(target, calls),
        "text": tool.text,
        "report": tool.report,
        "library": f"{INSIDE}/native.so",
        "limits": limits_of(config),
    }
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    process, group = start(tool, theirs, config), None
    try:
        theirs.close()
        ours.settimeout(max(0.1, deadline - time.monotonic()))
        pid, _ = read_first_message(ours)
        group = open_memory_group(pid, config, config.cell_bytes + SCRATCH_BYTES)
        wire.send(ours, message, [out, given])
        if not select.select([ours], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise Failed("timeout", f"the time limit was reached under {tool.name}")
        answer = read_answer(ours)
        sizes = [answer.get(name) for name in ("printedBytes", "textBytes", "reportBytes")]
    except (OSError, EOFError, StopIteration, ValueError, RecursionError):
        sizes = []
    finally:
        # Killing it ends all processes of its sandbox, so the file no longer changes while it is read.
        process.kill()
        process.wait()
        ours.close()
        os.close(given)
        if group is not None:
            group.close()
    with contextlib.closing(os.fdopen(out, "rb")) as file:
        return read_result(file.fileno(), sizes)


def limits_of(config: Config) -> dict[str, int]:
    """Returns the limits of each process of a profiler, as fields of `Limits`."""
    return {
        "memory_bytes": config.cell_bytes,
        "scratch_bytes": SCRATCH_BYTES,
        "threads": config.threads,
        "open_files": config.open_files,
        "accelerator": 0 if config.accelerator is None else 1,
    }


def read_result(file: int, sizes: Sequence[object]) -> Launched:
    """Reads the shared file, with lengths that the untrusted side reported."""
    known = [size for size in sizes if size is None or isinstance(size, int) and size >= 0]
    if len(known) != len(sizes) or len(known) != 3:
        return Launched("", None, None)
    printed, text, report = known

    def text_at(place: int, size: int | None) -> str | None:
        if size is None:
            return None
        return os.pread(file, min(size, profiled_program.TEXT_BYTES), place).decode("utf-8", "replace")

    return Launched(
        text_at(0, printed) or "",
        text_at(profiled_program.TEXT_BYTES, text),
        os.pread(file, report, profiled_program.REPORT_AT) if report is not None and report <= REPORT_BYTES else None,
    )


def read_answer(sock: socket.socket) -> Mapping[str, object]:
    """Reads the other side's only message. Raises ValueError, RecursionError, OSError, EOFError."""
    (length,) = wire.LENGTH.unpack(sock.recv(wire.LENGTH.size, socket.MSG_WAITALL).ljust(wire.LENGTH.size, b"\0"))
    if length > 4096:
        raise ValueError("the answer is too long")
    answer: object = json.loads(sock.recv(length, socket.MSG_WAITALL))
    if not isinstance(answer, dict):
        raise ValueError("the answer is not an object")
    return cast(Mapping[str, object], answer)


def input_file(data: Any) -> int:
    """Returns an open file in memory with the input in PyTorch's format. The judge writes it; only the sandbox reads
    it."""
    buffer = io.BytesIO()
    torch.save(data, buffer)
    file = os.memfd_create("input", os.MFD_CLOEXEC)
    os.pwrite(file, buffer.getbuffer(), 0)
    return file


def start(tool: DeviceProfiler, sock: socket.socket, config: Config) -> "subprocess.Popen[bytes]":
    """Starts the sandbox with `launched.main`, which starts the tool."""
    launch = Launch(str(native_library.build()), config.accelerator, [installation(tool.program)])
    options = launch.options(config.worker_environment())
    # Each worker has a /tmp of limited size; here the limit applies to the sandbox's own.
    place = options.index("--tmpfs")
    options[place:place] = ["--size", str(SCRATCH_BYTES)]
    code = profiled_program.start(f"main({sock.fileno()})", INSIDE, package_folders())
    try:
        return subprocess.Popen(
            ["bwrap", *options, "--", sys.executable, "-I", "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[sock.fileno()],
            preexec_fn=launch.become_nobody,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NotJudged(f"a sandbox for {tool.name} cannot be started: {start_failure(error)}") from None


def installation(program: str) -> str:
    """Returns the installation folder of a tool: its program's folder, or the parent of `bin`."""
    folder = Path(program).parent
    return str(folder.parent if folder.name == "bin" else folder)
