"""What all checks share: the tester, started when the first of them needs it, and the time that is left."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any, Sequence

from ..device.find import FoundAccelerator
from .load import Load
from .tester import Event, NoTester, Tester

@dataclass
class Session:
    """Use as a context manager, so that no tester outlives it."""

    #: How busy the machine was before we were.
    load: Load
    #: When the check at work has to be done, by time.monotonic.
    deadline: float
    #: What kernels run on; None: the processor.
    accelerator: FoundAccelerator | None = None
    #: Starts another tester than that of this package.
    command: Sequence[str] | None = None
    _tester: Tester | None = None
    _refusal: str | None = None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        if self._tester is not None:
            self._tester.close()

    @property
    def device(self) -> str:
        """The kind of device, in PyTorch's words."""
        return "cpu" if self.accelerator is None else "cuda"

    @property
    def tensors(self) -> str:
        """PyTorch's device for the problem's tensors."""
        return "cpu" if self.accelerator is None else self.accelerator.choice.tensors

    @property
    def target(self) -> str:
        """The target of jobs."""
        return "cpu" if self.device == "cpu" else "accelerator"

    @property
    def remaining_s(self) -> float:
        """Seconds that the check at work still has."""
        return max(0.0, self.deadline - time.monotonic())

    def tester(self) -> Tester:
        """The tester. Raises NoTester; one that has refused once is not asked again."""
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

    def machine(self) -> dict[str, Any] | None:
        """Core's `Machine`, if a tester has described it."""
        return None if self._tester is None else self._tester.machine

    def run(self, job: dict[str, Any]) -> list[Event]:
        """The events of a job. Raises NoTester, OutOfTime."""
        return self.tester().run(job, self.deadline)
