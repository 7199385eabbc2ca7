"""The probe's measurement of this machine: plausible values within a short time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import unittest
from typing import Any

from support import RIGHT, TESTER, JudgeTest, job, judge_by_shared_tester

from kernelbot_tester.device.probe import LONGEST_S, SETTLED_S, add_measured, best_rate
from kernelbot_tester.sandbox.child import in_child
from kernelbot_tester.sandbox.config import configure


class Samples(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        """Advances by 10 ms per call."""
        self.now += 0.01
        return self.now

    def test_the_best_of_many_counts(self) -> None:
        slow_but_once = iter([1.0, 5.0])
        self.assertEqual(5.0, best_rate(lambda: next(slow_but_once, 1.0), self.clock))

    def test_a_rate_that_does_not_grow_is_settled_soon(self) -> None:
        best_rate(lambda: 1.0, self.clock)
        self.assertAlmostEqual(SETTLED_S, self.now, delta=0.03)

    def test_a_rate_that_grows_is_measured_longer_up_to_a_limit(self) -> None:
        best_rate(lambda: 1 + 10 * self.now, self.clock)
        self.assertAlmostEqual(LONGEST_S, self.now, delta=0.03)


class Threads(unittest.TestCase):
    @unittest.skipIf(os.cpu_count() == 1, "a machine with one core has no other thread")
    def test_a_product_on_one_core_has_one_thread(self) -> None:
        product = """
import os
from kernelbot_tester.judge.serve import limit_threads
limit_threads(1)
import torch
torch.set_num_threads(1)
torch.ones(512, 512) @ torch.ones(512, 512)
print(len(os.listdir("/proc/self/task")))
"""
        command = [sys.executable, "-c", product]
        self.assertEqual("1", subprocess.run(command, cwd=TESTER, capture_output=True, text=True).stdout.strip())


class Children(unittest.TestCase):
    def test_a_measurement_runs_in_a_child_process_and_leaves_none(self) -> None:
        pid = in_child(os.getpid)
        assert pid is not None
        self.assertNotEqual(os.getpid(), pid)
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_a_measurement_that_fails_or_is_killed_returns_none(self) -> None:
        self.assertIsNone(in_child(lambda: os._exit(3)))
        self.assertIsNone(in_child(lambda: os.kill(os.getpid(), 9)))


class Machine(JudgeTest):
    def test_the_rates_of_a_processor_are_plausible(self) -> None:
        machine: Any = {"cpu": {}, "accelerators": []}
        threads = threading.active_count()
        add_measured(machine, configure(sandboxed=False))
        measured = machine["cpu"]["measured"]
        # From a slow core in a busy machine to a large server, in bytes and operations per second.
        self.assertTrue(1e8 < measured["memoryBytesPerS"] < 1e13, measured)
        self.assertTrue(1e8 < (measured["operationsPerS"] or 1e9) < 1e15, measured)
        self.assertEqual(threads, threading.active_count())

    def test_an_accelerator_that_cannot_be_measured_leaves_the_processor_measured(self) -> None:
        machine: Any = {"cpu": {}, "accelerators": [{"model": "missing"}]}
        add_measured(machine, configure(sandboxed=False))
        self.assertIsNotNone(machine["cpu"]["measured"])
        self.assertIsNone(machine["accelerators"][0]["measured"])

    def test_timed_cases_report_the_size_of_their_outputs(self) -> None:
        events = judge_by_shared_tester(job(RIGHT, mode="ranked"))
        reported = [(event["stage"], event["outputBytes"]) for event in events if event["type"] == "case_finished"]
        self.assertEqual([("test", None), ("test", None), ("ranked", 4 * 1024)], reported)

    def test_a_cost_that_is_not_a_number_is_the_problem_s_fault(self) -> None:
        for cost in ("3", '{"bytes": float("nan")}', '{"operations": -1}', '{"bytes": "many"}'):
            with self.subTest(cost):
                reference = job(RIGHT)["problem"]["files"]["reference.py"]
                events = judge_by_shared_tester(job(RIGHT, reference=f"{reference}\ndef cost(**case):\n    return {cost}\n"))
                self.assertEqual("infra_error", events[-1]["verdict"])
                self.assertIn("the problem's cost returns", events[-1]["message"])


if __name__ == "__main__":
    unittest.main()
