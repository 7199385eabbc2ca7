"""The regime `sustained`: several calls without a pause, each on another input."""

from __future__ import annotations

import itertools
import unittest
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from support import RIGHT, JudgeTest, job

from kernelbot_tester.device.accelerator import Accelerator
from kernelbot_tester.stages.ring import MOST_CALLS, MOST_MEMORIES, sizes_of_turns


def sustained(source: str, mode: str = "benchmark", **spec: Any) -> dict:
    """Returns a job whose calls are timed without a pause."""
    return job(source, mode, regime="sustained", **spec)


def kernel(body: str, before: str = "") -> str:
    """Returns a submission whose custom_kernel has this body."""
    return f"import ctypes, sys, time, torch\n{before}\ndef custom_kernel(data):\n    a, b, c = data\n    {body}\n"


class Sustained(JudgeTest):
    def times(self, message: dict) -> list[int]:
        """Returns the times of the only timed case, in nanoseconds."""
        events = self.judge(message)
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        (case,) = [event for event in events if event["type"] == "case_finished" and event["stage"] != "test"]
        return [time for one in case["rounds"] for time in one["candidateNs"]]

    def test_a_correct_kernel_passes(self) -> None:
        self.times(sustained(RIGHT, "ranked"))

    def test_a_sample_is_the_time_of_one_call(self) -> None:
        times = self.times(sustained(kernel("time.sleep(0.002); return a + b")))
        self.assertTrue(all(2_000_000 <= time for time in times), times)
        self.assertLess(min(times), MOST_CALLS * 2_000_000, "the time of all calls")

    def test_the_calls_of_a_turn_have_different_inputs(self) -> None:
        body = "seen.append(float(a[0])); print(len(seen), len(set(seen)), flush=True); return a + b"
        events = self.judge(sustained(kernel(body, "seen = []")))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        printed = "".join(event["head"] + event["tail"] for event in events if event["type"] == "output").split()
        self.assertEqual(printed[0::2], printed[1::2])
        self.assertGreater(len(printed), 2 * MOST_CALLS)

    def test_every_output_is_checked(self) -> None:
        source = kernel(f"count[0] += 1; return c.zero_() if count[0] % {MOST_CALLS} == 3 else a + b", "count = [0]")
        self.refuse(sustained(source), "wrong_result", "1024 of 1024 elements differ")

    def test_a_call_must_be_complete_before_the_next_input_is_named(self) -> None:
        # Signals completion first and works afterwards, which would let it see all inputs before it works on any.
        before = """
def find(name):
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals:
            return frame.f_locals[name]
        frame = frame.f_back

native, words = find("native"), find("words")
"""
        body = "native.kb_say_done(words, ctypes.c_uint32.from_address(words).value, 0); return torch.add(a, b, out=c)"
        verdict = self.judge(sustained(kernel(body, before), benchmarks=[{"size": 1 << 20, "seed": 1}]))[-1]
        self.assertIn(verdict["failureClass"], ("rejected", "wrong_result"), verdict)

    def test_an_exception_in_the_middle_is_reported(self) -> None:
        source = kernel(f"count[0] += 1; assert count[0] % {MOST_CALLS} != 3, 'third'; return a + b", "count = [0]")
        self.refuse(sustained(source), "crash", "third")

    def test_a_call_that_does_not_return_ends_at_the_limit(self) -> None:
        source = kernel("count[0] += 1; time.sleep(100 if count[0] > 11 else 0); return a + b", "count = [0]")
        limits = {"prepare": 20, "test": 20, "benchmark": 2, "ranked": 2}
        self.refuse(sustained(source, timeoutsS=limits), "timeout", "limit")

    def test_inputs_whose_shapes_depend_on_the_seed_are_the_problems_fault(self) -> None:
        reference = """
import torch

def generate_input(size, seed):
    size += seed % 7
    return torch.rand(size), torch.rand(size), torch.empty(size)

def ref_kernel(data):
    return data[0] + data[1]
"""
        verdict = self.judge(sustained(RIGHT, reference=reference))[-1]
        self.assertEqual("infra_error", verdict["verdict"], verdict)
        self.assertIn("the same shapes for every seed", verdict["message"])


class Sizes(unittest.TestCase):
    def sizes(self, memory_bytes: int, regime: str = "sustained") -> tuple[int, int]:
        """Returns the number of memories and of calls for inputs of 1 MiB on a device with this memory."""
        data = torch.zeros(1 << 18)
        problem: Any = SimpleNamespace(spec={"regime": regime}, inputs=lambda case, seed: (data,))
        device = mock.Mock(spec=Accelerator, memory_bytes=memory_bytes, memory_of=lambda tensor: "device")
        return sizes_of_turns(problem, device, {}, itertools.count(), 2)

    def test_small_inputs_have_all_memories(self) -> None:
        self.assertEqual((MOST_MEMORIES, MOST_CALLS), self.sizes(1 << 30))

    def test_large_inputs_leave_half_of_the_devices_memory(self) -> None:
        self.assertEqual((6, 4), self.sizes(80 << 20), "6 memories in 2 workers, each three times: 36 MiB")

    def test_there_are_always_several_inputs(self) -> None:
        self.assertEqual((3, 2), self.sizes(1 << 20))

    def test_an_isolated_call_has_one_memory(self) -> None:
        self.assertEqual((1, 1), self.sizes(1 << 30, "isolated"))


if __name__ == "__main__":
    unittest.main()
