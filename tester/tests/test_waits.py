"""How long calls waited for other processes, which is reported with their times."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import unittest
from typing import Any, Iterator

from support import RIGHT, JudgeTest, job

from kernelbot_tester.sandbox.config import configure

#: Works for 20 ms.
WORKS = RIGHT.replace("    a, b", "    end = time.thread_time_ns() + 20_000_000\n    while time.thread_time_ns() < end: pass\n    a, b")
SLEEPS = RIGHT.replace("    a, b", "    time.sleep(0.02)\n    a, b")
#: Its main thread waits for four others of its own, on the same core.
COMPETES = """import hashlib, threading
DATA = bytes(16 << 20)

def work(): # without Python's lock
    hashlib.sha256(DATA)

def custom_kernel(data):
    a, b, c = data
    others = [threading.Thread(target=work) for _ in range(4)]
    for other in others: other.start()
    work()
    for other in others: other.join()
    return a + b
"""


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
    def share(self, source: str) -> float:
        """Returns the share of the time of all calls for which they waited."""
        events = self.judge(job(source, "benchmark", benchmarks=[{"size": 1024, "seed": 1}]))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        rounds: list[Any] = [one for event in events if event["type"] == "case_finished" for one in event["rounds"]]
        self.assertTrue(all(0 <= one["candidateWaitedNs"] <= sum(one["candidateNs"]) for one in rounds), rounds)
        return sum(one["candidateWaitedNs"] for one in rounds) / sum(sum(one["candidateNs"]) for one in rounds)

    def test_a_call_beside_a_busy_process_waits_for_its_core(self) -> None:
        (core,) = configure(sandboxed=True).worker_cores
        with busy(core):
            self.assertGreater(self.share(f"import time\n{WORKS}"), 0.1)

    def test_a_call_that_sleeps_does_not_wait(self) -> None:
        self.assertLess(self.share(f"import time\n{SLEEPS}"), 0.3)

    def test_a_call_does_not_wait_for_the_kernels_own_threads(self) -> None:
        # They take four fifths of its time; other work on the machine may take half.
        # Its main thread waits for them for 0.6 of its time.
        self.assertLess(self.share(COMPETES), 0.4)


if __name__ == "__main__":
    unittest.main()
