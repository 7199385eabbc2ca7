"""The time limit of a cell of several processes, from a /proc and a clock of the test's own."""

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import support  # noqa: F401  makes the tester importable

from kernelbot_tester.processes.cell_time_limit import TICKS_PER_S, CellTimeLimit

#: Process IDs of the cell's first process, its child, and a process outside.
HARNESS, CHILD, STRANGER = 70, 71, 72


class Limits(unittest.TestCase):
    def setUp(self) -> None:
        self.proc = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.proc)
        clock = patch("kernelbot_tester.processes.cell_time_limit.time.monotonic", lambda: self.now)
        clock.start()
        self.addCleanup(clock.stop)
        self.now = 1000.0
        self.process(HARNESS, 1)
        # Like the first process of a machine, it has no parent that can be seen.
        self.process(STRANGER, 0, waited_s=100)

    def process(self, pid: int, parent: int, used_s: float = 0, waited_s: float = 0) -> None:
        """Writes a process of one thread with its processor time and the time that it has waited for a core."""
        thread = self.proc / str(pid) / "task" / str(pid)
        thread.mkdir(parents=True, exist_ok=True)
        ticks = int(used_s * TICKS_PER_S)
        (self.proc / str(pid) / "stat").write_text(f"{pid} (a) b) S {parent} {' 0' * 9} {ticks} 0 0 0 20 0 1\n")
        (thread / "schedstat").write_text(f"0 {int(waited_s * 1e9)} 7\n")

    def limit(self, cores: int = 2) -> CellTimeLimit:
        return CellTimeLimit(10, HARNESS, cores, self.proc)

    def ends_after(self, limit: CellTimeLimit) -> float:
        """Waits as the judge does and returns after how many seconds the time is up."""
        started = limit.started
        while (left_s := limit.left_s()) > 0:
            self.now += left_s
        return self.now - started

    def test_a_cell_that_never_waits_ends_at_its_limit(self) -> None:
        self.process(HARNESS, 1, used_s=9)
        self.assertAlmostEqual(10, self.ends_after(self.limit()))

    def test_waits_of_all_its_processes_extend_the_limit(self) -> None:
        self.process(HARNESS, 1, used_s=3, waited_s=2)
        self.process(CHILD, HARNESS, used_s=2, waited_s=4)
        self.assertAlmostEqual(16, self.ends_after(self.limit()))

    def test_the_wait_of_a_process_that_has_ended_counts(self) -> None:
        self.process(CHILD, HARNESS, waited_s=4)
        limit = self.limit()
        limit.left_s()
        self.now += 5
        self.assertGreater(limit.left_s(), 0)
        shutil.rmtree(self.proc / str(CHILD))
        self.assertAlmostEqual(14, self.ends_after(limit))

    def test_three_times_the_limit_is_never_exceeded(self) -> None:
        self.process(HARNESS, 1, waited_s=1000)
        self.assertAlmostEqual(30, self.ends_after(self.limit()))

    def test_processes_that_use_all_cores_and_wait_for_each_other_extend_nothing(self) -> None:
        self.process(HARNESS, 1, used_s=10, waited_s=50)
        self.process(CHILD, HARNESS, used_s=10, waited_s=50)
        self.assertAlmostEqual(10, self.ends_after(self.limit(cores=2)))

    def test_processes_on_several_cores_are_given_what_they_waited(self) -> None:
        self.process(HARNESS, 1, used_s=5, waited_s=2)
        self.process(CHILD, HARNESS, used_s=5, waited_s=1)
        self.assertAlmostEqual(13, self.ends_after(self.limit(cores=2)))


if __name__ == "__main__":
    unittest.main()
