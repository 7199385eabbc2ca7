"""Problems for several devices, on the processor: one worker for each rank, which can reach only each other."""

from __future__ import annotations

import unittest
from typing import Any

from support import Event, JudgeTest, job

#: Each rank computes the sum over all ranks.
ALL_REDUCE = """
import torch
import torch.distributed as dist

def generate_input(size, world_size, seed, rank):
    generator = torch.Generator().manual_seed(seed * world_size + rank)
    return torch.rand(size, generator=generator), torch.empty(size)

def ref_kernel(data):
    data[1].copy_(data[0])
    dist.all_reduce(data[1])
    return data[1]
"""

RIGHT = """
import torch
import torch.distributed as dist

def custom_kernel(data):
    total = data[0].clone()
    dist.all_reduce(total)
    return total
"""

BY_HAND = """
import torch
import torch.distributed as dist

def custom_kernel(data):
    mine, out = data
    other = torch.empty_like(mine)
    if dist.get_rank() == 0:
        dist.send(mine, 1)
        dist.recv(other, 1)
    else:
        dist.recv(other, 0)
        dist.send(mine, 0)
    torch.add(mine, other, out=out)
"""


def ranked(source: str, mode: str = "test", **spec: Any) -> dict:
    """Returns a job for two ranks."""
    cases = [{"size": 1000, "world_size": 2, "seed": 1}]
    defaults = {"worldSize": 2, "tests": cases, "benchmarks": cases}
    return job(source, mode, **{"reference": ALL_REDUCE, **defaults, **spec})


class Ranks(JudgeTest):
    def printed_by(self, source: str) -> str:
        events = self.judge(ranked(source))
        return "".join(event["head"] + event["tail"] for event in events if event["type"] == "output")

    def test_ranks_reach_each_other_and_are_checked_and_timed_together(self) -> None:
        for source, mode in ((RIGHT, "ranked"), (BY_HAND, "benchmark")):
            events = self.judge(ranked(source, mode))
            self.assertEqual("passed", events[-1]["verdict"], events[-1])
            timed = [event for event in events if event["type"] == "case_finished" and event["stage"] == mode]
            self.assertGreaterEqual(len(timed[0]["rounds"]), 6)

    def test_a_target_may_have_another_number_of_ranks_than_the_problem(self) -> None:
        for world_size, targets in ((8, {"cpu": {"worldSize": 2}}), (2, {"H100": {"worldSize": 8}})):
            verdict = self.judge(ranked(RIGHT, worldSize=world_size, targets=targets))[-1]
            self.assertEqual("passed", verdict["verdict"], verdict)

    def test_the_output_of_every_rank_is_checked(self) -> None:
        for rank in (0, 1):
            source = RIGHT.replace("    return total", f"    return total + (dist.get_rank() == {rank})")
            verdict = self.refuse(ranked(source), "wrong_result", f"rank {rank}: 1000 of 1000 elements differ")
            self.assertEqual("failed", verdict["verdict"])

    def test_a_rank_that_answers_without_the_others_is_wrong(self) -> None:
        self.refuse(ranked("def custom_kernel(data):\n    return 2 * data[0]\n", "benchmark"), "wrong_result", "elements differ")

    def test_a_rank_that_fails_is_named_though_the_other_waits_for_it(self) -> None:
        source = RIGHT.replace("    total =", "    assert dist.get_rank() == 0, 'rank one will not'\n    total =")
        self.refuse(ranked(source), "crash", "rank 1: AssertionError: rank one will not")

    def test_a_rank_that_dies_is_named(self) -> None:
        source = RIGHT.replace("    total =", "    import os; dist.get_rank() == 0 or os._exit(7)\n    total =")
        self.refuse(ranked(source), "crash", "rank 1: the submission ended itself with exit code 7")

    def test_a_failure_of_every_rank_is_reported_for_its_own_case_only(self) -> None:
        cases = [{"size": size, "world_size": 2, "seed": 1} for size in (10, 11, 12)]
        source = RIGHT.replace("    return total", "    return total[1:] if len(total) < 12 else total")
        events = self.judge(ranked(source, tests=cases))
        reported = [(event["status"], event.get("message")) for event in events if event["type"] == "case_finished"]
        message = "rank 0: custom_kernel returned a tensor of shape [%d], expected [%d]"
        self.assertEqual([("failed", message % (9, 10)), ("failed", message % (10, 11)), ("passed", None)], reported)

    def test_a_wrong_output_for_which_another_rank_waits_ends_the_run(self) -> None:
        cases = [{"size": size, "world_size": 2, "seed": 1} for size in (10, 11)]
        source = RIGHT.replace("    total =", "    if dist.get_rank() == 1: return data[0][1:]\n    total =")
        events = self.judge(ranked(source, tests=cases))
        reported = [event["status"] for event in events if event["type"] == "case_finished"]
        self.assertEqual(["failed", "skipped"], reported)
        self.assertRegex(events[-1]["message"], r"rank 1: .* returned a tensor of shape \[9\], .* other ranks did not end")

    def test_an_output_of_ranks_passes_that_is_as_near_to_the_oracle_as_the_reference(self) -> None:
        rounding = ALL_REDUCE.replace("    return data[1]", "    data[1].copy_(data[1].half())")
        oracle = "\ndef oracle(data):\n    return [sum(one[0].double() for one in data)] * len(data)\n"
        self.assertEqual("wrong_result", self.judge(ranked(RIGHT, reference=rounding))[-1]["failureClass"])
        for source, verdict in ((RIGHT, "passed"), (RIGHT.replace("return total", "return total + 0.01"), "failed")):
            events = self.judge(ranked(source, "benchmark", reference=rounding + oracle))
            self.assertEqual(verdict, events[-1]["verdict"], events[-1])

    def test_a_case_for_another_number_of_ranks_is_the_fault_of_the_problem(self) -> None:
        verdict = self.judge(ranked(RIGHT, worldSize=4))[-1]
        self.assertEqual("infra_error", verdict["verdict"])
        self.assertIn("a case's world_size is 2, and its target has 4 ranks", verdict["message"])

    def test_the_slowest_rank_sets_the_time(self) -> None:
        source = RIGHT.replace("    return total", "    import time; time.sleep(0.02 * dist.get_rank())\n    return total")
        events = self.judge(ranked(source, "benchmark"))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        times = [t for e in events if e["type"] == "case_finished" for one in e["rounds"] for t in one["candidateNs"]]
        self.assertGreaterEqual(min(times), 20_000_000)

    def test_the_network_of_the_ranks_reaches_nothing_else(self) -> None:
        source = """
import socket
for family, kind in ((socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_NETLINK, socket.SOCK_RAW), (38, 5), (40, 1)):
    try:
        socket.socket(family, kind, 2)
        print("opened")
    except OSError as error:
        print(type(error).__name__)
try:
    socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as error:
    print(error.strerror)
print(*(name for _, name in socket.if_nameindex()))
"""
        expected = "[rank 0]\n" + "PermissionError\n" * 4 + "Network is unreachable\nlo\n"
        self.assertIn(expected, self.printed_by(source + RIGHT))

    def test_ranks_share_memory_and_no_other_group_sees_it(self) -> None:
        source = """
import os
import torch.distributed as dist
open(f"/dev/shm/of-rank-{dist.get_rank()}", "w").close()
dist.barrier()
print(*sorted(name for name in os.listdir("/dev/shm") if name.startswith("of-rank")))
"""
        self.assertEqual(2, self.printed_by(source + RIGHT).count("of-rank-0 of-rank-1\n"))
        self.assertNotIn("of-rank-0\n", self.printed_by(source.replace("of-rank-{", "other-{") + RIGHT))


if __name__ == "__main__":
    unittest.main()
