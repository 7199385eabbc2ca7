"""How long calls waited for other processes, which is reported with their times."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator

from support import RIGHT, JudgeTest, job

from kernelbot_tester.processes.core_waits import CoreWaits
from kernelbot_tester.sandbox.config import configure

#: Works for 20 ms.
WORKS = RIGHT.replace("    a, b", "    end = time.thread_time_ns() + 20_000_000\n    while time.thread_time_ns() < end: pass\n    a, b")
SLEEPS = RIGHT.replace("    a, b", "    time.sleep(0.02)\n    a, b")


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
        self.assertLess(self.share(f"import time\n{SLEEPS}"), 0.5)


class Bounds(unittest.TestCase):
    """With files in place of those of /proc: two threads, and a call of 1,000 ns."""

    def waited_ns(self, main: str, other: str, process_ns: int, waited_ns: int) -> int:
        """Returns the waits of a call after which the threads have these times, and the process this one."""
        with tempfile.TemporaryDirectory() as folder:
            times = {"schedstat": main, "task/1/schedstat": main, "task/2/schedstat": other}
            for name in times:
                os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
                Path(f"{folder}/{name}").write_text("0 0 0")
            process = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            self.addCleanup(os.close, process)
            waits = CoreWaits(process)
            self.addCleanup(waits.close)
            waits.begin(0)
            for name, text in times.items():
                Path(f"{folder}/{name}").write_text(text)
            return waits.end(1_000, process_ns, waited_ns)

    def test_the_main_thread_waits_for_others(self) -> None:
        self.assertEqual(600, self.waited_ns("300 600 1", "0 0 0", 300, 600))

    def test_so_do_threads_that_have_worked(self) -> None:
        self.assertEqual(700, self.waited_ns("100 200 1", "100 500 1", 200, 200))

    def test_a_thread_that_waits_for_one_of_its_own_does_not_count(self) -> None:
        self.assertEqual(100, self.waited_ns("100 800 1", "800 0 1", 900, 800))


if __name__ == "__main__":
    unittest.main()
