"""The host: reads jobs from standard input, runs one judge at a time, and writes every event to standard output.

The host imports no problem and runs no user code, so it survives whatever happens to a job. Lines in: core's `Job`,
and `{"type": "cancel", "id": ...}`. Lines out: core's `TesterLine`. The host exits when its input ends.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import selectors
import signal
import sys
import time
from typing import cast

import torch

from ..messages import Job, ProblemSpec
from ..problem.problem import application_s
from ..processes.processor_time_limit import WALL_FACTOR
from ..sandbox.config import Config
from ..sandbox.sandbox import SandboxError, Zygote, start_zygote
from ..stages.build_cache import compiling_environment
from ..worker.protocol import PREPARE_CELLS
from .awake import start_awake
from .judge_process import KEPT, JudgeProcess, write
from .report import Reporter

#: Seconds between attempts to start a job while another tester of this machine times a run.
BUSY_S = 0.02
#: Seconds that a judge may take beyond the limits of its job's stages, for its own work.
MARGIN_S = 600.0
#: How long a judge waits for another job of its problem, in seconds.
KEPT_S = 10.0


class Running:
    """A job with its judge."""

    def __init__(self, job: Job, judge: JudgeProcess) -> None:
        self.id: str = job["id"]
        self.judge = judge
        self.rest = b""
        self.has_verdict = False
        #: Why the host killed the judge, or None.
        self.killed: str | None = None
        submissions = 2 if "rival" in job else 1
        self.deadline = time.monotonic() + submissions * longest_s(job["problem"]["spec"]) + MARGIN_S


def longest_s(spec: ProblemSpec) -> float:
    """Returns the maximum duration of the stages of one submission, in any mode, in seconds. Each stage of a harness that
    is compiled compiles it anew, and a failed stage of a harness may be repeated without the submission."""
    limits = spec["timeoutsS"]
    compilations_s = (len(limits) - 1) * limits["prepare"] if "build" in spec else 0
    stages_s = sum(cast("dict[str, float]", limits).values()) + compilations_s + application_s(spec)
    return WALL_FACTOR * (2 if spec.get("harness") == "legacy" else 1) * stages_s


class Host:
    """The host's event loop. `out` is an open file for the protocol, written only by the host."""

    def __init__(self, config: Config, zygote: Zygote, out: int) -> None:
        self.config = config
        self.zygote = zygote
        self.out = out
        self.waiting: collections.deque[Job] = collections.deque()
        self.running: Running | None = None
        self.turn = config.turns.open()
        #: Judge of the next job; None while one is running, and where its start would have disturbed another tester.
        self.next_judge: JudgeProcess | None = None
        #: Judge of the last job, which waits for another one of its problem.
        self.kept_judge: JudgeProcess | None = None
        self.selector = selectors.PollSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serves until the input ends."""
        # Judges inherit both. On a machine with other load, threads that wait for each other cost more than they save: 63 ms
        # instead of 1.4 ms for an input of 262,144 elements.
        torch.set_num_threads(1)
        compiling_environment()
        start_awake()
        self._prepare()
        rest = b""
        while True:
            timeout = BUSY_S if self.waiting else self._end_kept_judge()
            if self.running is not None:
                timeout = max(0.0, self.running.deadline - time.monotonic())
            ready = [key.fd for key, _ in self.selector.select(timeout)]
            if self.running is not None and self.running.judge.events in ready:
                self._forward(self.running)
            elif self.running is not None and not ready:
                self._kill(self.running, "the judge took longer than the job's stages may")
            if 0 in ready:
                data = os.read(0, 1 << 20)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\n")
                for line in filter(bytes.strip, lines):
                    self._hear(line)
            if self.running is None and self.waiting:
                with self.turn.untimed_if_free() as is_free:
                    if is_free:
                        self._start(self.waiting.popleft())
        if self.running is not None:
            os.kill(self.running.judge.pid, signal.SIGKILL)
        self.zygote.close()

    def _hear(self, line: bytes) -> None:
        try:
            message = json.loads(line)
            kind, job_id = message["type"], message["id"]
            if kind not in ("run", "cancel") or not isinstance(job_id, str):
                raise ValueError("its type is neither run nor cancel")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            print(f"a line of the input was ignored: {error}", file=sys.stderr)
            return
        if kind == "run":
            self.waiting.append(message)
        elif self.running is not None and self.running.id == job_id:
            self._kill(self.running, "the run was cancelled")
        elif any(job["id"] == job_id for job in self.waiting):
            self.waiting = collections.deque(job for job in self.waiting if job["id"] != job_id)
            Reporter(self.out, job_id).not_judged("the run was cancelled")

    def _end_kept_judge(self) -> float | None:
        """Ends the kept judge when its time is up. Returns the seconds until then, or None."""
        if self.kept_judge is None:
            return None
        left_s = self.kept_judge.until - time.monotonic()
        if left_s > 0:
            return left_s
        self.kept_judge.close()
        self.kept_judge = None
        return None

    def _start(self, job: Job) -> None:
        """Gives the job to a judge."""
        report = Reporter(self.out, job["id"])
        try:
            if self.zygote.process.poll() is not None:
                for judge in filter(None, (self.next_judge, self.kept_judge)):
                    judge.close()
                self.next_judge = self.kept_judge = None
                self.zygote = start_zygote(self.config)
            self.running = self._started_by_kept_judge(job) or self._started_by_new_judge(job)
            self.selector.register(self.running.judge.events, selectors.EVENT_READ)
        except (SandboxError, OSError) as error:
            report.not_judged(f"no judge could be started: {error}")
        except (KeyError, TypeError, AttributeError) as error:
            report.not_judged(f"the job is incomplete: {type(error).__name__}: {error}")

    def _started_by_kept_judge(self, job: Job) -> Running | None:
        """Gives the job to the kept judge. Returns None where that does not suit or has ended."""
        judge, self.kept_judge = self.kept_judge, None
        if judge is None:
            return None
        if not judge.suits(job):
            judge.close()
            return None
        running = Running(job, judge)
        try:
            judge.start(job)
        except OSError:
            return None
        return running

    def _started_by_new_judge(self, job: Job) -> Running:
        """Gives the job to the next judge. Raises OSError."""
        if self.next_judge is None:
            self.next_judge = JudgeProcess(self.zygote, self.config)
        running = Running(job, self.next_judge)
        self.next_judge = None
        running.judge.start(job)
        return running

    def _prepare(self) -> None:
        """Forks the judge of the next job, and makes the zygote create its cells."""
        # Where there is no memory or zygote, the next job says so.
        with contextlib.suppress(OSError), self.turn.untimed_if_free() as is_free:
            if is_free:
                if self.next_judge is None:
                    self.next_judge = JudgeProcess(self.zygote, self.config)
                self.zygote.control.send(PREPARE_CELLS)

    def _forward(self, running: Running) -> None:
        """Forwards complete lines only, so that a judge that dies while writing leaves no fragment."""
        data = os.read(running.judge.events, 1 << 20)
        if not data:
            self._finish(running)
            return
        *lines, running.rest = (running.rest + data).split(b"\n")
        for line in lines:
            if line == KEPT:
                self._keep(running)
                return
            # A judge that fails while it cleans up reports a second verdict.
            if running.killed is None and not running.has_verdict:
                running.has_verdict = json.loads(line)["event"]["type"] == "verdict"
                write(self.out, line + b"\n")

    def _kill(self, running: Running, why: str) -> None:
        running.killed = running.killed or why
        running.deadline = time.monotonic() + MARGIN_S
        os.kill(running.judge.pid, signal.SIGKILL)

    def _keep(self, running: Running) -> None:
        """Keeps the judge of a run with a verdict, unless it was killed meanwhile."""
        if running.killed is not None:
            return
        self.selector.unregister(running.judge.events)
        self.running = None
        self.kept_judge = running.judge
        self.kept_judge.until = time.monotonic() + KEPT_S
        self._prepare()

    def _finish(self, running: Running) -> None:
        """Cleans up after the judge has ended; reports `infra_error` for a run without a verdict."""
        self.selector.unregister(running.judge.events)
        self.running = None
        status = running.judge.close()
        if not running.has_verdict:
            code = os.waitstatus_to_exitcode(status)
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            Reporter(self.out, running.id).not_judged(running.killed or f"the judge {how} before it reached a verdict")
        self._prepare()
