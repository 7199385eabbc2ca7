"""Duels: two submissions in one session, each in its own cell."""

from __future__ import annotations

import itertools
import unittest
from typing import Any
from unittest import mock

from support import RIGHT, Event, JudgeTest, job

from kernelbot_tester.stages.rounds import LIMITS
from kernelbot_tester.stages.timed_case import TimedCase, TimedSubmission

#: Repeats the work.
REPEATED = """
import torch

def custom_kernel(data):
    a, b, c = data
    for _ in range({times}):
        torch.add(a, b, out=c)
    return c
"""
CRASHING = "def custom_kernel(data):\n    raise ValueError('no')\n"
WRONG = "def custom_kernel(data):\n    data[2].fill_(0)\n"
ENDLESS = "def custom_kernel(data):\n    while True: pass\n"


def duel(a: str, b: str, **spec: Any) -> dict:
    """Returns a job with two submissions in Python, whose stage `duel` is short."""
    limits = {"prepare": 20, "test": 20, "benchmark": 30, "ranked": 15, "profile": 30}
    return {**job(a, "duel", **{"timeoutsS": limits, **spec}), "rival": {"source": b, "language": "py"}}


def rounds_of(events: list[Event]) -> list[dict[str, list[int]]]:
    """Returns the rounds of the first timed case."""
    return next(event["rounds"] for event in events if event["type"] == "case_finished" and event["stage"] == "duel")


class Duels(JudgeTest):
    def test_both_are_tested_and_timed_in_the_rounds_of_one_stage(self) -> None:
        events = self.judge(duel(RIGHT, RIGHT))
        stages = [event["stage"] for event in events if event["type"] == "stage_finished" and event["passed"]]
        self.assertEqual(["prepare", "test", "duel"], stages)
        self.assertEqual("passed", events[-1]["verdict"])
        self.assertNotIn("rival", events[-1])
        rounds = rounds_of(events)
        self.assertTrue(rounds)
        for one in rounds:
            self.assertTrue(all(min(one[who]) > 0 for who in ("candidateNs", "rivalNs", "referenceNs")), one)

    def test_the_kernel_that_does_the_work_many_times_takes_longer(self) -> None:
        slow, fast = REPEATED.format(times=20), REPEATED.format(times=1)
        events = self.judge(duel(slow, fast, benchmarks=[{"size": 1 << 16, "seed": 54352}]))
        self.assertEqual(("passed", None), (events[-1]["verdict"], events[-1].get("rival")), events[-1])
        rounds = rounds_of(events)
        self.assertGreater(min(min(one["candidateNs"]) for one in rounds), min(min(one["rivalNs"]) for one in rounds))

    def test_the_order_of_the_calls_favours_neither_side(self) -> None:
        a, b = (TimedSubmission(mock.Mock(), mock.Mock()) for _ in range(2))
        orders = list(itertools.islice(TimedCase(0, {}, [a, b], mock.Mock(), mock.Mock(), 7).orders, 6))
        for place in range(3):
            self.assertEqual([2, 2, 2], [sum(order[place] is one for order in orders) for one in (a, b, None)])
        after = [(order[place], order[place + 1]) for order in orders for place in range(2)]
        for pair in itertools.permutations((a, b, None), 2):
            self.assertEqual(2, sum(one is pair[0] and other is pair[1] for one, other in after))

    def test_a_side_that_fails_loses_by_name_and_the_other_is_still_timed(self) -> None:
        for source, failure in ((WRONG, "wrong_result"), ("def", "compile_error")):
            with self.subTest(failure):
                events = self.judge(duel(RIGHT, source))
                verdict = events[-1]
                self.assertEqual("passed", verdict["verdict"], verdict)
                self.assertEqual(failure, verdict["rival"]["failureClass"])
                self.assertTrue(verdict["rival"]["message"].startswith("B: "), verdict)
                self.assertTrue(all(one["candidateNs"] and not one["rivalNs"] for one in rounds_of(events)))
                totals = {event["total"] for event in events if event["type"] == "progress" and event["stage"] == "duel"}
                self.assertEqual({LIMITS["ranked"].max_rounds}, totals)

    def test_where_the_first_fails_the_rival_is_still_timed(self) -> None:
        events = self.judge(duel(CRASHING, RIGHT))
        verdict = events[-1]
        self.assertEqual(("failed", "crash"), (verdict["verdict"], verdict["failureClass"]))
        self.assertTrue(verdict["message"].startswith("A: "), verdict)
        self.assertNotIn("rival", verdict)
        self.assertTrue(all(one["rivalNs"] and not one["candidateNs"] for one in rounds_of(events)))

    def test_where_both_fail_both_are_reported(self) -> None:
        verdict = self.judge(duel(CRASHING, WRONG))[-1]
        self.assertEqual(("crash", "wrong_result"), (verdict["failureClass"], verdict["rival"]["failureClass"]))

    def test_a_kernel_that_never_ends_leaves_time_for_the_other(self) -> None:
        limits = {"prepare": 20, "test": 3, "benchmark": 30, "ranked": 15, "profile": 30}
        events = self.judge(duel(ENDLESS, RIGHT, timeoutsS=limits))
        self.assertEqual("timeout", events[-1]["failureClass"])
        self.assertIn("(limit of the stage test: 6 s)", events[-1]["message"])
        self.assertTrue(all(one["rivalNs"] for one in rounds_of(events)))

    def test_a_kernel_that_is_wrong_only_where_it_is_timed_loses_there(self) -> None:
        source = "def custom_kernel(data):\n    a, b, c = data\n    c.copy_(a + b if len(a) < 1024 else a)\n"
        events = self.judge(duel(RIGHT, source))
        self.assertEqual("wrong_result", events[-1]["rival"]["failureClass"])
        self.assertIn("B: duel case 1", events[-1]["rival"]["message"])
        self.assertTrue(all(one["candidateNs"] for one in rounds_of(events)))

    def test_by_the_rule_of_the_paper_they_alternate_in_one_sequence(self) -> None:
        # Slow enough that the rule applies after a few calls.
        slow = RIGHT.replace("    torch.add", "    import time; time.sleep(0.02)\n    torch.add")
        (sequence,) = rounds_of(self.judge(duel(slow, slow, stop="paper")))[:1]
        self.assertEqual(len(sequence["candidateNs"]), len(sequence["rivalNs"]))

    def test_neither_submission_sees_the_other(self) -> None:
        looking = """
import os, torch
open("/tmp/mark", "w").write("here")
def custom_kernel(data):
    others = [pid for pid in os.listdir("/proc") if pid.isdigit()]
    print(len(others), os.listdir("/tmp").count("{other}"))
    torch.add(data[0], data[1], out=data[2])
"""
        a, b = looking.replace('"/tmp/mark"', '"/tmp/a"'), looking.replace('"/tmp/mark"', '"/tmp/b"')
        events = self.judge(duel(a.replace("{other}", "b"), b.replace("{other}", "a")))
        printed = [event["head"] for event in events if event["type"] == "output" and event["stage"] == "test"]
        lines = printed[0].split("\n")
        self.assertEqual(["[A]", "[B]"], [line for line in lines if line.startswith("[")])
        # Each worker sees only itself.
        self.assertEqual({"1 0"}, {line for line in lines if line and not line.startswith("[")})


if __name__ == "__main__":
    unittest.main()
