"""The processes of a run, and those that the next run of the same problem uses again."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from ..failures import NotJudged
from ..processes.problem_process import ProblemProcess
from ..review.review_process import ReviewProcess
from ..stages.checked_calls import Workers
from ..stages.submissions import Submission

RunProcess = Submission | ProblemProcess | Workers


@dataclass
class KeptProcesses:
    """Processes that wait, stopped, for another run of their problem. `calibrator`: a worker that has imported the
    reference, None where no run has timed anything."""

    problem: ProblemProcess
    calibrator: Workers | None


class RunProcesses(contextlib.ExitStack):
    """The processes of a run. At its end all of them are killed, before the end of each is awaited; except those that
    are kept. In a kept worker the reference is about 1 % faster than in a new one, and no kernel gains by that."""

    def __init__(self, reviewer: ReviewProcess | None = None, kept: KeptProcesses | None = None) -> None:
        super().__init__()
        #: None: nothing is reviewed.
        self.reviewer = reviewer
        self.problem = None if kept is None else kept.problem
        self.keeps_problem = False
        #: Worker of the reference, and whether it is as after a run that passed: stopped, without memory of a case.
        self.calibrator = None if kept is None else kept.calibrator
        self.keeps_calibrator = self.calibrator is not None
        self._started: list[RunProcess] = []

    def start(self, process: RunProcess) -> None:
        """Adds a process."""
        self._started.append(process)
        self.enter_context(process)

    def pause(self) -> None:
        """Stops the process of the problem where it is kept, or no longer keeps it; and drops what the reference has
        printed."""
        if self.problem is not None and self.keeps_problem:
            try:
                self.problem.pause()
            except NotJudged:
                self.keeps_problem = False
        if self.calibrator is not None and self.keeps_calibrator:
            self.calibrator.take_printed()

    def kept(self) -> KeptProcesses | None:
        """Returns the processes for the next run, or None. At the end of this run they are not killed."""
        if self.problem is None or not self.keeps_problem:
            return None
        return KeptProcesses(self.problem, self.calibrator if self.keeps_calibrator else None)

    def __exit__(self, *details: Any) -> bool | None:
        kept = self.kept()
        if self.problem is not None and kept is None:
            self.start(self.problem)
            self.problem = None
        if self.calibrator is not None and (kept is None or kept.calibrator is None):
            self.start(self.calibrator)
            self.calibrator = None
        for process in self._started:
            process.kill()
        return super().__exit__(*details)
