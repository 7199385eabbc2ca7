"""State that all checks share: the tester, started on first use, and the remaining time."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Literal, Sequence

from ..device.find import FoundAccelerator
from ..messages import Job, JudgeEvent, Machine
from .load import Load
from .tester import NoTester, Tester

@dataclass
class Session:
    """Shared state of one qualification. Use as a context manager, so that no tester outlives it."""

    #: Load of the machine before the qualification.
    load: Load
    #: End of the current check's time, as a value of time.monotonic.
    deadline: float
    #: Accelerator on which kernels run; None: the processor.
    accelerator: FoundAccelerator | None = None
    #: Command that starts another tester than this package's.
    command: Sequence[str] | None = None
    _tester: Tester | None = None
    _refusal: str | None = None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        if self._tester is not None:
            self._tester.close()

    @property
    def device(self) -> Literal["cpu", "cuda"]:
        """PyTorch's name of the device type."""
        return "cpu" if self.accelerator is None else "cuda"

    @property
    def tensors(self) -> str:
        """PyTorch's device for the problem's tensors."""
        return "cpu" if self.accelerator is None else self.accelerator.choice.tensors

    @property
    def target(self) -> str:
        """Target of jobs."""
        return "cpu" if self.device == "cpu" else "accelerator"

    @property
    def remaining_s(self) -> float:
        """Seconds left for the current check."""
        return max(0.0, self.deadline - time.monotonic())

    def tester(self) -> Tester:
        """Returns the tester. Raises NoTester; after a refusal it is not started again."""
        if self._refusal is not None:
            raise NoTester(self._refusal)
        if self._tester is None:
            try:
                self._tester = Tester(self.command or self._serve())
            except NoTester as error:
                self._refusal = str(error)
                raise
        return self._tester

    def _serve(self) -> list[str]:
        return [sys.executable, "-m", "kernelbot_tester", "serve", *([] if self.accelerator is None else ["--accelerator"])]

    def machine(self) -> Machine | None:
        """Returns core's `Machine`; None before a tester has started."""
        return None if self._tester is None else self._tester.machine

    def run(self, job: Job) -> list[JudgeEvent]:
        """Returns the events of a job. Raises NoTester, OutOfTime."""
        return self.tester().run(job, self.deadline)
