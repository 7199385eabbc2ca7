"""Runs the tester as a runner does: a process that reads jobs and writes events."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Mapping, Sequence

from ..messages import Job, JudgeEvent, Machine, TesterLineReady, TesterLineRefused

#: Parent folder of the package.
PACKAGES = Path(__file__).resolve().parents[2]
#: Timeouts in seconds: for importing PyTorch twice from a cold disk, for a cancelled job to end, and for a tester to
#: end.
START_S, CANCEL_S, END_S = 900.0, 10.0, 0.5
#: Variable in the environment of the tester, which must be invisible to submissions.
MARK = "KERNELBOT_QUALIFYING"


class NoTester(Exception):
    """The tester does not start, or has ended; the message says why."""


class OutOfTime(Exception):
    """The time of a check was up before it was done."""


class Tester:
    """One `serve` process in its own session, so that Ctrl-C does not reach it directly. Raises NoTester."""

    def __init__(self, command: Sequence[str]) -> None:
        self.log = tempfile.TemporaryFile()
        self.rest = b""
        # Signals are blocked until the process is known, so that an interrupt can end it.
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        self.process = subprocess.Popen(
            command,
            cwd=PACKAGES,
            env={**os.environ, MARK: "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            start_new_session=True,
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, heard),
        )
        first: TesterLineReady | TesterLineRefused
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)
            first = self._line(time.monotonic() + START_S)
        except OutOfTime:
            first = {"type": "refused", "reason": f"the tester was not ready in {START_S:.0f} s"}
        except BaseException:
            self.close()
            raise
        if first["type"] != "ready":
            self.close()
            raise NoTester(first["reason"])
        self.machine: Machine = first["machine"]

    def run(self, job: Job, deadline: float) -> list[JudgeEvent]:
        """Returns the events of a job, the verdict last. Raises OutOfTime, after the job was cancelled."""
        self._send(job)
        try:
            return self._until_verdict(job["id"], deadline)
        except OutOfTime:
            self._send({"type": "cancel", "id": job["id"]})
            with contextlib.suppress(OutOfTime):
                self._until_verdict(job["id"], time.monotonic() + CANCEL_S)
            raise

    def _until_verdict(self, job_id: str, deadline: float) -> list[JudgeEvent]:
        events: list[JudgeEvent] = []
        while not events or events[-1]["type"] != "verdict":
            line = self._line(deadline)
            if line["id"] == job_id:
                events.append(line["event"])
        return events

    def _send(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise NoTester(self._death()) from None

    def _line(self, deadline: float) -> Any:
        assert self.process.stdout is not None
        out = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            if not select.select([out], [], [], max(0, deadline - time.monotonic()))[0]:
                raise OutOfTime
            data = os.read(out, 1 << 20)
            if not data:
                raise NoTester(self._death())
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def _death(self) -> str:
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "replace").strip().splitlines()
        return f"the tester has ended: {lines[-1] if lines else 'it did not say why'}"

    def close(self) -> None:
        """Ends the tester by closing its input, or by SIGKILL, with all processes of its group."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(END_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.log.close()
