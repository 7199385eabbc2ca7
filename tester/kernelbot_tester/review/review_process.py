"""The static review in a process of its own, so that no source can occupy the judge."""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import select
import signal
import socket
import time
import traceback

from .. import messages
from ..sandbox.native_library import native
from ..worker.zygote import keep_only
from . import review, unread

#: Limits of a review. It ends itself earlier (`source.MAX_S`), except within one step of a rule. The memory is in
#: addition to what the judge has mapped.
PROCESSOR_S = 2
MEMORY_BYTES = 512 << 20
#: Timeout in seconds of a review that gets no processor time. It fails no submission, so it may be short.
STARVED_S = 60.0


class ReviewProcess:
    """Reviews one source after another, in a fork of the judge that is made before the first is known: a fork takes
    20 ms, for which no job should wait. Use as a context manager."""

    def __init__(self) -> None:
        self._fork()

    def _fork(self) -> None:
        self.channel, there = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            review_sources(there)
        there.close()

    def __enter__(self) -> "ReviewProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.channel.close()
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def start(self, source: str) -> None:
        """Starts the review of a source, after the findings of the one before were read."""
        # Readable between two reviews: it exceeded a limit and has ended.
        if select.select([self.channel], [], [], 0)[0]:
            self.__exit__()
            self._fork()
        with contextlib.suppress(OSError):
            self.channel.sendall(json.dumps(source).encode() + b"\n")

    def findings(self) -> list[messages.ReviewFinding]:
        """Waits for the findings. A review that did not end within its limits is itself a finding."""
        data, deadline = bytearray(), time.monotonic() + STARVED_S
        while select.select([self.channel], [], [], max(0.0, deadline - time.monotonic()))[0]:
            part = self.channel.recv(1 << 16)
            data += part
            if data.endswith(b"\n"):
                return json.loads(data)
            if not part:
                break
        # One that is late must not answer for the next source.
        os.kill(self.pid, signal.SIGKILL)
        why = f"it takes more than {PROCESSOR_S} s of processor time or too much memory, or this machine is very busy"
        return [unread(why).document()]


def review_sources(channel: socket.socket) -> None:
    """Reviews sources until the judge ends, in the forked child. Exits."""
    try:
        native().kb_follow_parent()
        keep_only([0, 1, 2, channel.fileno()])
        limit_memory()
        for line in channel.makefile("rb"):
            used_s = math.ceil(time.process_time())
            resource.setrlimit(resource.RLIMIT_CPU, (used_s + PROCESSOR_S, resource.RLIM_INFINITY))
            findings = [finding.document() for finding in review(json.loads(line))]
            channel.sendall(json.dumps(findings).encode() + b"\n")
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def limit_memory() -> None:
    """Limits the memory of this process, and leaves no dump of it."""
    with open("/proc/self/statm") as file:
        mapped_bytes = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped_bytes + MEMORY_BYTES, mapped_bytes + MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
