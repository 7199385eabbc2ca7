"""The judge's side of a problem's own harness: a program in a cell that reports text through a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass

from ..failures import Failed, NotJudged
from ..sandbox.config import Config
from ..sandbox.memory_groups import MemoryGroup
from ..untrusted_text import HeadAndTail
from ..worker import wire
from ..worker.protocol import HarnessRequest, ProcessRequest
from .cell_time_limit import CellTimeLimit
from .failure_messages import memory_failure
from .sandboxed_process import OWN_CODE_S, PRINTED_KEPT_BYTES, PRINTED_LIMIT_BYTES, TOO_MUCH_MEMORY
from .zygote_requests import KEEPER_REPORT, open_memory_group, read_first_message

#: Maximum size of a harness's report in bytes; a larger one stops the run.
REPORT_LIMIT = 16 << 20
#: Seconds to read what is left in the pipes once every process of the cell has ended.
REST_S = 5.0


@dataclass
class HarnessOutcome:
    """Outcome of a harness: its report, the printed output, and how it ended.

    `end` is {code, status} as of waitid(2); None when its time was up."""

    report: bytes
    printed: HeadAndTail
    end: tuple[int, int] | None


class HarnessProcess:
    """One run of a harness. Use as a context manager, so that none of its processes outlives its judge."""

    def __init__(self, control: socket.socket, config: Config, network: bool = False) -> None:
        """`network`: whether its processes can reach each other through a loopback network of their own."""
        self.folder = "/tmp/job" if config.sandboxed else tempfile.mkdtemp(prefix="kernelbot-")
        self.temporary = not config.sandboxed
        self.config = config
        self.group: MemoryGroup | None = None
        self.messages, messages_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.messages.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.keeper, keeper_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.output, output_end = os.pipe()
        self.report, report_end = os.pipe()
        request: ProcessRequest = {
            "role": "harness",
            "cores": config.worker_cores,
            "threads": len(config.worker_cores),
            "devices": [],
            "network": network,
        }
        socket.send_fds(control, [json.dumps(request).encode()], [messages_end.fileno(), keeper_end.fileno(), output_end, report_end])
        messages_end.close()
        keeper_end.close()
        os.close(output_end)
        os.close(report_end)

    def __enter__(self) -> "HarnessProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for file in (self.output, self.report):
            os.close(file)
        self.messages.close()
        self.keeper.close()
        if self.group is not None:
            self.group.close()
        if self.temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        """Kills every process of the cell and waits until process 1, with which all others end, is gone."""
        with contextlib.suppress(OSError):
            self.keeper.shutdown(socket.SHUT_WR)
            self.keeper.settimeout(OWN_CODE_S)
            while self.keeper.recv(64):
                pass

    def run(
        self, files: dict[str, str], main: str, mode: str, cases: str, environment: dict[str, str], limit_s: float
    ) -> HarnessOutcome:
        """Starts the main file and reads its report until it ends. Raises Failed when the report or the output is too
        long."""
        outcome = HarnessOutcome(b"", HeadAndTail(PRINTED_KEPT_BYTES), None)
        report = bytearray()
        pid = self._start(files, main, mode, cases, environment)
        limit = CellTimeLimit(limit_s, pid, len(self.config.worker_cores))
        rest_until: float | None = None
        poll = select.poll()
        for file in (self.output, self.report, self.keeper.fileno()):
            poll.register(file, select.POLLIN)
        opened = {self.output, self.report}
        while opened or rest_until is None:
            remaining = limit.left_s() if rest_until is None else rest_until - time.monotonic()
            ready = [file for file, _ in poll.poll(max(0.0, remaining * 1e3))]
            if not ready and remaining <= 0:
                break
            for file in opened.intersection(ready):
                data = os.read(file, 1 << 20)
                if not data:
                    opened.discard(file)
                    poll.unregister(file)
                elif file == self.output:
                    outcome.printed.add(data)
                else:
                    report += data
            if len(report) > REPORT_LIMIT:
                raise Failed("rejected", f"the harness reported more than {REPORT_LIMIT >> 20} MiB")
            if outcome.printed.total > PRINTED_LIMIT_BYTES:
                raise Failed("rejected", f"the submission printed more than {PRINTED_LIMIT_BYTES >> 20} MiB in one stage")
            if self.keeper.fileno() in ready:
                poll.unregister(self.keeper)
                outcome.end = self._end()
                rest_until = time.monotonic() + REST_S
        outcome.report = bytes(report)
        return outcome

    def _start(self, files: dict[str, str], main: str, mode: str, cases: str, environment: dict[str, str]) -> int:
        """Starts the main file and returns the process ID of the harness. Raises NotJudged."""
        self.messages.settimeout(OWN_CODE_S)
        message: HarnessRequest = {
            "folder": self.folder,
            "files": files,
            "main": main,
            "mode": mode,
            "cases": cases,
            "environment": environment,
        }
        try:
            pid, _ = read_first_message(self.messages)
            self.group = open_memory_group(pid, self.config, self.config.cell_bytes)
            wire.send(self.messages, message)
            return pid
        except (OSError, StopIteration, ValueError) as error:
            raise NotJudged(f"a cell for the harness could not be made: {error or type(error).__name__}") from None

    def _end(self) -> tuple[int, int]:
        """Reads the keeper's report of the end. Raises Failed where the cell was killed because of its memory."""
        data = self.keeper.recv(KEEPER_REPORT.size)
        if len(data) != KEEPER_REPORT.size:
            raise NotJudged("the supervisor of the harness's cell ended before the harness")
        code, status = KEEPER_REPORT.unpack(data)
        if code == TOO_MUCH_MEMORY or (self.group is not None and self.group.ran_out()):
            raise memory_failure(self.config.cell_bytes)
        return code, status
