"""Limits of a stage on a machine whose cores other processes use."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import unittest
from typing import Iterator

from support import RIGHT, JudgeTest, job

from kernelbot_tester.sandbox.config import configure

#: Works for 1.6 s: longer than its limit beside two others on its core, within three times its limit beside six.
WORKS = "import time\n" + RIGHT.replace(
    "    a, b", "    end = time.thread_time_ns() + 1_600_000_000\n    while time.thread_time_ns() < end: pass\n    a, b"
)


@contextlib.contextmanager
def busy(core: int) -> Iterator[None]:
    """Keeps a core busy in its body."""
    source = f"import os; os.sched_setaffinity(0, {{{core}}}); print(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


@unittest.skipIf(len(os.sched_getaffinity(0)) != 2, "workers have several cores, or share the judge's")
class Waits(JudgeTest):
    def test_the_time_for_which_a_call_waits_does_not_count_for_the_limit_of_its_stage(self) -> None:
        (core,) = configure(sandboxed=True).worker_cores
        limits = {"prepare": 20, "test": 4, "benchmark": 20, "ranked": 20}
        with busy(core), busy(core):
            verdict = self.judge(job(WORKS, tests=[{"size": 64, "seed": 1}], timeoutsS=limits))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)

    def test_a_call_that_never_ends_is_a_timeout_beside_busy_processes(self) -> None:
        (core,) = configure(sandboxed=True).worker_cores
        limits = {"prepare": 20, "test": 2, "benchmark": 20, "ranked": 20}
        with busy(core), busy(core):
            self.refuse(job("def custom_kernel(data):\n    while True: pass\n", timeoutsS=limits), "timeout", "during this case")


if __name__ == "__main__":
    unittest.main()
