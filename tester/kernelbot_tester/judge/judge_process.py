"""A judge: a fork of the host that waits for its job, so that a job does not wait for a fork.

Runs without a rank, which models are trained on by the thousand, mostly come in series for one problem. Their judge keeps
the processes of the problem and of its reference, and waits for the next of them.
"""

from __future__ import annotations

import gc
import json
import math
import os
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

from ..messages import Job
from ..processes.zygote_requests import folder_prefix
from ..review.review_process import ReviewProcess
from ..sandbox.config import Config
from ..sandbox.native_library import native
from ..sandbox.sandbox import Zygote
from .report import Reporter
from .run import judge, needs_new_processes
from .run_processes import KeptProcesses

#: Maximum number of jobs of a judge.
MOST_JOBS = 100
#: Line of a judge that waits for another job.
KEPT = b"kept"


class JudgeProcess:
    """A judge, in the host."""

    def __init__(self, zygote: Zygote, config: Config) -> None:
        #: Its last job, and when the host ends it (`time.monotonic`), once it waits for another job.
        self.last: Job | None = None
        self.until = math.inf
        job_there, self.job = os.pipe()
        self.events, events_there = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.job)
            os.close(self.events)
            be_judge(job_there, zygote, config, events_there, parent)
        os.close(job_there)
        os.close(events_there)

    def suits(self, job: Job) -> bool:
        """Whether it can judge this job after its last one."""
        last = self.last
        if last is None or needs_new_processes(job):
            return False
        return all(last.get(name) == job.get(name) for name in ("problem", "target", "language"))

    def start(self, job: Job) -> None:
        """Gives it its job. Raises OSError where it has ended."""
        try:
            write(self.job, json.dumps(job).encode() + b"\n")
        except OSError:
            self.close()
            raise
        self.last = job

    def close(self) -> int:
        """Kills it where it has not ended, and returns its wait status."""
        os.close(self.job)
        os.close(self.events)
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        native().kb_keep_awake(False)
        # A judge that is killed cannot remove the folders of unconfined workers.
        for left in Path(tempfile.gettempdir()).glob(f"{folder_prefix(self.pid)}*"):
            shutil.rmtree(left, ignore_errors=True)
        return status


def be_judge(job_file: int, zygote: Zygote, config: Config, events: int, parent: int) -> None:
    """Waits for its job and judges it, and then others of the same problem while its process can be kept, in the forked
    child. Exits."""
    report: Reporter | None = None
    try:
        if native().kb_guard(parent) != 0:
            raise OSError("the judge cannot guard its memory")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        reviewer = ReviewProcess()
        kept: KeptProcesses | None = None
        for count, line in enumerate(open(job_file, "rb"), 1):
            job: Job = json.loads(line)
            report = Reporter(events, job["id"])
            kept = judge(job, zygote.control, config, report, reviewer, kept)
            if kept is None or count == MOST_JOBS:
                break
            # A failed run leaves cycles that hold memory.
            gc.collect()
            write(events, KEPT + b"\n")
    except BaseException as error:
        traceback.print_exc()
        if report is not None:
            report.not_judged(f"the judge failed: {type(error).__name__}: {error}")
    finally:
        sys.stderr.flush()
        os._exit(0)


def write(file: int, data: bytes) -> None:
    """Writes all bytes."""
    while data:
        data = data[os.write(file, data) :]
