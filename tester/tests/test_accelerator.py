"""Judging on an accelerator, as far as it can be tested without one: a fake device replaces the device and its driver."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from typing import Any

from fake_device import SERVE, shared_accelerated_tester, shared_fake_device
from test_ranks import ALL_REDUCE
from test_ranks import RIGHT as SUM_OF_RANKS
from support import ADDITION, PATIENT, RIGHT, Event, job, shared_tester

#: A submission's access to the device; `add` starts its only kernel.
KERNELS = """
import ctypes, time, torch
import worker.device, worker.driver
library = ctypes.CDLL(LIBRARY)

def add(data, stream=0, delay_ms=0, watch=0):
    a, b, c = data
    places = [ctypes.c_uint64(tensor.data_ptr()) for tensor in (a, b, c)]
    library.fake_device_add(stream, *places, ctypes.c_uint64(a.numel()), ctypes.c_uint64(int(delay_ms * 1e6)), watch)
"""

NEVER_WAIT = "worker.driver.Driver.synchronize = lambda self: None\n"
#: Each call ends with work on the device for which it does not wait.
LEAVE_WORK = """
latest = []
end = worker.device.Device.end

def kept(data):
    latest[:] = [data]
    return data

def leave(self):
    end(self)
    add(latest[0], delay_ms={})

worker.device.Device.end = leave
"""
FIGURE = "worker.device.Device.took_ns = property(lambda self: {}, lambda self, value: None)\n"


def on_device(source: str, mode: str = "test", **spec: Any) -> dict:
    """Returns a job for the fake device."""
    message = job(source, mode, targets={"FAKE_DEVICE": {}}, **spec)
    return {**message, "target": "FAKE_DEVICE"}


def kernel(body: str, before: str = "") -> str:
    """Returns a submission that uses the fake device."""
    return f"LIBRARY = {shared_fake_device().library!r}\n{KERNELS}\n{before}\ndef custom_kernel(data):\n    {body}\n"


class AcceleratorTest(unittest.TestCase):
    maxDiff = None

    def judge(self, message: dict) -> list[Event]:
        """Returns the events of a job; then checks that a correct kernel still passes."""
        tester = shared_accelerated_tester()
        events = tester.run(message)
        verdict = tester.run(on_device(RIGHT))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)
        return events

    def times(self, events: list[Event], who: str = "candidateNs") -> list[int]:
        """Returns the times of the only timed case, in nanoseconds, sorted."""
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        (case,) = [event for event in events if event["type"] == "case_finished"]
        return sorted(time for one in case["rounds"] for time in one[who])


class Kernels(AcceleratorTest):
    def test_a_kernel_on_the_device_passes_and_is_timed(self) -> None:
        events = self.judge(on_device(kernel("add(data, delay_ms=2)"), "benchmark"))
        self.assertGreaterEqual(self.times(events)[0], 1_900_000)

    def test_a_kernel_of_the_processor_may_work_on_device_memory_that_it_can_address(self) -> None:
        self.assertEqual("passed", self.judge(on_device(RIGHT, "ranked"))[-1]["verdict"])

    def test_calls_without_a_pause_are_timed_by_the_clock_of_the_device(self) -> None:
        source = kernel("add(data, delay_ms=2)")
        events = self.judge(on_device(source, "benchmark", regime="sustained", timeoutsS=PATIENT))
        times = self.times(events)
        self.assertGreaterEqual(times[0], 1_900_000)
        self.assertLess(times[0], 16_000_000, "the time of all calls")

    def test_work_on_another_stream_belongs_to_the_call(self) -> None:
        events = self.judge(on_device(kernel("add(data, stream=5, delay_ms=20)"), "benchmark"))
        self.assertGreater(self.times(events)[0], 10_000_000)

    def test_an_input_may_lie_partly_in_the_hosts_memory(self) -> None:
        scaled = """
import torch

def generate_input(size, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(size, generator=generator), torch.rand((), generator=generator), torch.empty(size)

def ref_kernel(data):
    return data[0] * data[1]
"""
        source = "def custom_kernel(data):\n    return data[0] * data[1]\n"
        self.assertEqual("passed", self.judge(on_device(source, "ranked", reference=scaled))[-1]["verdict"])

    def test_a_wrong_result_is_found_and_reported(self) -> None:
        verdict = self.judge(on_device("def custom_kernel(data): return data[0]"))[-1]
        self.assertEqual("wrong_result", verdict["failureClass"], verdict)

    def test_the_rule_of_the_paper_applies_to_a_device_too(self) -> None:
        limits = {"prepare": 20, "test": 20, "benchmark": 3, "ranked": 3}
        events = self.judge(on_device(kernel("add(data, delay_ms=5)"), "benchmark", stop="paper", timeoutsS=limits))
        self.assertGreaterEqual(len(self.times(events)), 3)

    def test_the_problem_creates_its_tensors_on_the_named_device(self) -> None:
        reported = ADDITION + "\nimport os\nassert os.environ['KERNELBOT_DEVICE'] == 'cpu'\n"
        self.assertEqual("passed", self.judge(on_device(RIGHT, reference=reported))[-1]["verdict"])

    def test_memory_ends_at_the_limit_though_addresses_do_not(self) -> None:
        source = """
import mmap, torch
reserved = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0)
kept = []
while True:
    kept.append(torch.empty(1 << 28))
"""
        self.assertEqual("out_of_memory", self.judge(on_device(source))[-1]["failureClass"])


    def test_a_kernel_that_takes_the_memory_that_the_judge_needs_is_out_of_memory(self) -> None:
        hoard = """
_driver = ctypes.CDLL(LIBRARY)
_size, _handle = 1 << 40, ctypes.c_uint64()
assert _driver.cuInit(0) == 0
while _size >= 1 << 16:
    if _driver.cuMemCreate(ctypes.byref(_handle), ctypes.c_size_t(_size), None, ctypes.c_ulonglong(0)) != 0:
        _size //= 2
"""
        verdict = self.judge(on_device(kernel("add(data)", before=hoard)))[-1]
        self.assertEqual("out_of_memory", verdict["failureClass"], verdict)
        self.assertIn("the submission left too little of the device's memory for the judge", verdict["message"])

    def test_a_problem_that_needs_more_memory_than_the_device_has_is_at_fault(self) -> None:
        large = ADDITION.replace("return a, b, torch.empty(size)", "raise RuntimeError('out of memory')")
        verdict = self.judge(on_device(RIGHT, reference=large))[-1]
        self.assertEqual("infra_error", verdict["verdict"], verdict)


class Conditions(AcceleratorTest):
    def test_a_throttled_round_is_marked_and_repeated(self) -> None:
        events = self.judge(on_device(RIGHT, "benchmark", timeoutsS=PATIENT))
        (case,) = [event for event in events if event["type"] == "case_finished"]
        marks = [one["conditions"]["mark"] for one in case["rounds"]]
        self.assertEqual([None, "power brake"], marks[:2])
        self.assertEqual({None}, set(marks[2:]))
        self.assertTrue(6 <= len(marks) - 1 <= 9, "the rounds of a benchmark, and that one")
        self.assertEqual(
            {"smMhz": 1980, "memoryMhz": 2619, "temperatureC": 60, "powerW": 400, "throttled": [], "mark": None},
            case["rounds"][0]["conditions"],
        )


class Attacks(AcceleratorTest):
    def refuse(self, message: dict, *failures: str) -> Event:
        """Checks that the job fails with one of these classes."""
        verdict = self.judge(message)[-1]
        self.assertEqual("failed", verdict["verdict"], verdict)
        self.assertIn(verdict["failureClass"], failures, verdict)
        return verdict

    def test_done_before_the_device_is_done_is_too_early(self) -> None:
        for stream in (0, 3):
            source = kernel(f"add(data, stream={stream}, delay_ms=3)", NEVER_WAIT)
            self.refuse(on_device(source, "benchmark"), "rejected", "wrong_result")

    def test_work_that_starts_before_the_clock_does_has_wrong_inputs(self) -> None:
        # Each call leaves a kernel on the device that starts when the next call's inputs appear at the address where they
        # may be, and does nothing if the call before has left one for its address.
        before = """
import gc
expected = []

def data_after(data):
    bindings = next(one for one in gc.get_objects() if type(one).__name__ == "Bindings").bindings
    numbers = sorted(bindings)
    number = next(number for number in numbers if bindings[number].data is data)
    return bindings[numbers[(numbers.index(number) + 1) % len(numbers)]].data
""" + NEVER_WAIT + FIGURE.format("float('nan')")
        body = """if not expected or expected[-1] is not data:
        add(data)
        library.cuCtxSynchronize()
    time.sleep(0.005)
    expected.append(data_after(data))
    add(expected[-1], stream=1 + len(expected) % 15, watch=1)
    time.sleep(0.005 + len(expected) % 2 / 10)"""
        source = kernel(body, before)
        case = {"size": 1 << 16, "seed": 1}
        # One of eight addresses is the expected one, so there must be many calls: this rule makes them, since times alternate.
        message = on_device(source, "benchmark", benchmarks=[case], stop="paper", timeoutsS=PATIENT)
        self.refuse(message, "wrong_result", "rejected")

    def test_a_device_time_that_is_too_short_gains_nothing(self) -> None:
        source = kernel("add(data, delay_ms=30)", FIGURE.format("1.0"))
        self.assertGreater(self.times(self.judge(on_device(source, "benchmark")))[0], 15_000_000)

    def test_a_device_time_that_is_not_a_number_gains_nothing(self) -> None:
        source = kernel("add(data, delay_ms=30)", FIGURE.format("float('nan')"))
        self.assertGreater(self.times(self.judge(on_device(source, "benchmark")))[0], 15_000_000)

    def test_a_kernel_that_skips_calls_of_a_burst_is_wrong(self) -> None:
        body = """now = time.monotonic()
    if now - latest[0] > 3e-4:
        add(data)
        library.cuCtxSynchronize()
    latest[0] = time.monotonic()"""
        self.refuse(on_device(kernel(body, "latest = [0.0]"), "benchmark"), "wrong_result")

    def test_a_burst_that_does_not_wait_for_its_inputs_is_wrong(self) -> None:
        before = "worker.device.Device.wait_at = lambda self, gate, number: None\n"
        # A worker that gets no processor until the gate opens is right and timed, so there are several bursts.
        cases = [{"size": size, "seed": 1} for size in (64, 128, 256, 512)]
        self.refuse(on_device(kernel("add(data)", before), "benchmark", benchmarks=cases), "wrong_result")

    def test_a_kernel_may_keep_something_for_each_address_in_a_burst(self) -> None:
        body = """if data[2].data_ptr() not in known:
        known.add(data[2].data_ptr())
        time.sleep(0.1)
    add(data)"""
        times = self.times(self.judge(on_device(kernel(body, "known = set()"), "benchmark")))
        self.assertLess(times[len(times) // 2], 50_000_000)

    def test_work_that_is_left_on_the_device_counts_for_the_kernel_that_left_it(self) -> None:
        # Its figures are right, and end before that work, which would slow down the call after it. Longer than a judge on a
        # busy machine waits for its core.
        source = kernel("add(kept(data))", LEAVE_WORK.format(120))
        self.assertGreater(self.times(self.judge(on_device(source, "benchmark")))[0], 15_000_000)

    def test_work_that_stays_on_the_device_is_rejected(self) -> None:
        # Much longer than the bound: the time for which the judge waits for a core does not count.
        source = kernel("add(kept(data))", LEAVE_WORK.format(6_000))
        verdict = self.refuse(on_device(source, "benchmark"), "rejected")
        self.assertIn("left work on the device", verdict["message"])

    def test_an_impossible_device_time_is_rejected(self) -> None:
        for lie in ("1e12", "-1.0", "float('inf')"):
            verdict = self.refuse(on_device(kernel("add(data)", FIGURE.format(lie)), "benchmark"), "rejected")
            self.assertIn("by the judge's clock", verdict["message"])

    def test_the_output_of_the_previous_call_is_wrong(self) -> None:
        body = "calls.append(0) or (len(calls) < 3 and add(data))"
        self.refuse(on_device(kernel(body, "calls = []\n"), "benchmark"), "wrong_result")


class Targets(unittest.TestCase):
    def test_a_tester_without_an_accelerator_judges_no_problem_of_one(self) -> None:
        verdict = shared_tester().run(on_device(RIGHT))[-1]
        self.assertEqual("infra_error", verdict["verdict"])
        self.assertIn("the target FAKE_DEVICE needs an accelerator", verdict["message"])

    def test_a_tester_with_an_accelerator_judges_problems_of_the_processor_too(self) -> None:
        self.assertEqual("passed", shared_accelerated_tester().run(job(RIGHT, "benchmark"))[-1]["verdict"])

    def test_a_worker_of_the_processor_gets_nothing_that_only_a_device_needs(self) -> None:
        probes = """
import socket
for probe in ("open('/proc/self/comm', 'w')", "socket.socket(socket.AF_UNIX)"):
    try:
        eval(probe)
        print("allowed", probe)
    except OSError:
        pass
"""
        events = shared_accelerated_tester().run(job(probes + RIGHT, "benchmark"))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        self.assertNotIn("allowed", str(events))


class Ranks(AcceleratorTest):
    def test_each_rank_has_a_device_of_its_own(self) -> None:
        cases = [{"size": 1000, "world_size": 2, "seed": 1}]
        spec = {"worldSize": 2, "tests": cases, "benchmarks": cases, "reference": ALL_REDUCE}
        self.assertEqual("passed", self.judge(on_device(SUM_OF_RANKS, "benchmark", **spec))[-1]["verdict"])
        wrong = SUM_OF_RANKS.replace("    return total", "    return total + dist.get_rank()")
        self.assertIn("rank 1: 1000 of 1000", self.judge(on_device(wrong, **spec))[-1]["message"])


class SmokeTest(unittest.TestCase):
    def test_the_smoke_test_exercises_every_operation_of_a_device(self) -> None:
        device = shared_fake_device()
        done = subprocess.run(
            [sys.executable, str(SERVE), device.library, device.node, "cu", "exercise"],
            env={**os.environ, "EXERCISE_LOG2_SIZE": "10"},
            capture_output=True,
            text=True,
        )
        self.assertEqual((0, 9), (done.returncode, done.stdout.count("ok  ")), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
