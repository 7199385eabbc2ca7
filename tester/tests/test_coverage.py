"""The message on limitations of a passed run, derived from its cases."""

from __future__ import annotations

import unittest
from typing import cast

from support import job

from kernelbot_tester.judge.coverage import untested
from kernelbot_tester.messages import Job


def of(tests: list[dict], benchmarks: list[dict], mode: str = "benchmark", own: dict | None = None) -> str | None:
    return untested(cast(Job, job("", mode, tests=tests, benchmarks=benchmarks, targets={"cpu": own or {}})))


class Untested(unittest.TestCase):
    def test_sizes_that_only_the_tests_have_are_counted(self) -> None:
        statement = of([{"n": 8, "seed": 1}, {"n": 7, "seed": 1}, {"n": 9, "seed": 1}], [{"n": 8, "seed": 2}])
        self.assertIn("2 of the 3 test cases have other parameters", statement or "")
        self.assertIn("1 of the 1 test cases has", of([{"n": 7, "seed": 1}], [{"n": 8, "seed": 2}]) or "")

    def test_no_message_where_only_the_drawn_values_differ(self) -> None:
        self.assertIsNone(of([{"n": 8, "seed": 1}], [{"seed": 2, "n": 8}]))
        self.assertIsNone(of([{"weights": 1, "seed": 1}], [{"weights": 2, "seed": 2}]))

    def test_modes_that_run_the_tests_leave_nothing_out(self) -> None:
        for mode in ("test", "ranked", "duel", "profile"):
            self.assertIsNone(of([{"n": 7, "seed": 1}], [{"n": 8, "seed": 2}], mode))

    def test_the_cases_of_the_target_count(self) -> None:
        own = {"tests": [{"n": 8, "seed": 1}]}
        self.assertIsNone(of([{"n": 7, "seed": 1}], [{"n": 8, "seed": 2}], own=own))


if __name__ == "__main__":
    unittest.main()
