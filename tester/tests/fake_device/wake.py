"""A tester in which stopped workers are woken while an input is generated, in the first CALLS calls: wake.py CALLS. A
process inside a cell cannot do that."""

from __future__ import annotations

import gc
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kernelbot_tester.judge.serve import serve
from kernelbot_tester.problem.problem import Case
from kernelbot_tester.processes.problem_process import ProblemProcess
from kernelbot_tester.processes.worker_process import Worker

inputs = ProblemProcess.inputs
calls = 0


def waking(self: ProblemProcess, case: Case, secret_seed: int | None = None) -> Any:
    """Generates an input while stopped workers are made to run."""
    global calls
    stopped = [one for one in gc.get_objects() if type(one) is Worker and one.stopped_at_ns is not None]
    calls += bool(stopped)
    woken = stopped if calls <= float(sys.argv[1]) else []
    for worker in woken:
        signal.pidfd_send_signal(worker.pidfd, signal.SIGCONT)
    while woken and all(one.processor_time_ns() < (one.stopped_at_ns or 0) + 1_000_000 for one in woken):
        pass
    return inputs(self, case, secret_seed)


if __name__ == "__main__":
    ProblemProcess.inputs = waking
    sys.exit(serve(True))
