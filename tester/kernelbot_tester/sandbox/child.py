"""Runs work in a child process: so that its side effects (such as a CUDA context) do not stay in the host, or so that a
hostile input can use only bounded processor time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import time
import traceback
from dataclasses import dataclass
from typing import Callable, Generic, TypeVar

from ..worker.zygote import keep_only
from .native_library import native

#: Timeout in seconds, for a driver that hangs. CUDA's initialisation takes some seconds, and many on a busy machine.
LIMIT_S = 180.0

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class ChildLimits:
    """Limits of a child that has no use for the files of its parent. `memory_bytes`: in addition to what the parent
    has mapped."""

    processor_s: int
    memory_bytes: int


class Child(Generic[Answer]):
    """A forked child that computes a JSON document. Use as a context manager, so that it does not outlive its parent's
    interest."""

    def __init__(self, work: Callable[[], Answer], limits: ChildLimits | None = None) -> None:
        self.answers, there = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                if limits is not None:
                    keep_only([0, 1, 2, there])
                    apply_limits(limits)
                data = json.dumps(work()).encode()
                while data:
                    data = data[os.write(there, data) :]
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(there)

    def __enter__(self) -> "Child[Answer]":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.answers)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def answer(self, limit_s: float) -> Answer | None:
        """Returns the result of the work; None where it failed, exceeded its limits, or takes longer than `limit_s` from
        now."""
        data, deadline = bytearray(), time.monotonic() + limit_s
        while select.select([self.answers], [], [], max(0.0, deadline - time.monotonic()))[0]:
            part = os.read(self.answers, 1 << 16)
            if not part:
                break
            data += part
        with contextlib.suppress(ValueError):  # incomplete
            return json.loads(data)
        return None


def apply_limits(limits: ChildLimits) -> None:
    """Sets the limits of this process, which ends with its parent."""
    native().kb_follow_parent()
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor_s, limits.processor_s))
    with open("/proc/self/statm") as file:
        mapped_bytes = int(file.read().split()[0]) * resource.getpagesize()
    memory_bytes = mapped_bytes + limits.memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def in_child(work: Callable[[], Answer], limit_s: float = LIMIT_S) -> Answer | None:
    """Returns the result of `work`, a JSON document that a forked child sends; None where it fails or takes longer than
    `limit_s`."""
    with Child(work) as child:
        return child.answer(limit_s)
