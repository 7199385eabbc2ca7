"""What all cases of a timed stage have in common."""

from __future__ import annotations

import contextlib
import time
from typing import Generator

from ..messages import Stage
from ..processes.problem_process import ProblemProcess
from ..worker.machine_turns import Turn


class TimedStage:
    """A timed stage. `turn`: the run's turn on its machine, in which the stage is timed; `limit_s`: time limit in seconds.
    The time for which the run waits for the calls of other runs does not count."""

    def __init__(self, name: Stage, problem: ProblemProcess, turn: Turn, limit_s: float) -> None:
        self.name: Stage = name
        self.problem = problem
        self.turn = turn
        self._started = self.now()
        self._end = self._started + limit_s

    def now(self) -> float:
        """Returns the time in seconds, without the time for which the run has waited for its turn."""
        return time.monotonic() - self.turn.waited_s

    def elapsed_s(self) -> float:
        """Returns how many seconds the stage has taken."""
        return self.now() - self._started

    def left_s(self) -> float:
        """Returns how many seconds are left."""
        return self._end - self.now()

    @contextlib.contextmanager
    def calls(self) -> Generator[None, None, None]:
        """Context manager for the timed calls of a turn, beside which no other run does anything. Raises NotJudged."""
        awake = self.problem.config.awake_core() if self.turn.is_call_by_call else contextlib.nullcontext()
        with self.turn.alone(), awake:
            yield

    @property
    def deadline(self) -> float:
        """Returns the end of the stage (time.monotonic) if the run waits no more."""
        return self._end + self.turn.waited_s
