"""Rehearsals: kernels for an accelerator on a machine without one."""

from __future__ import annotations

import atexit
import functools
import unittest
from typing import Any

from fake_device import HERE, shared_accelerated_tester
from support import RIGHT, Event, TesterProcess, job

from kernelbot_tester.processes.failure_messages import reported_failure

#: Typical queries of the device in a careful kernel.
ON_CUDA = """
import torch
assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
assert "H100" in torch.cuda.get_device_properties(0).name
torch.manual_seed(0), torch.cuda.manual_seed_all(0)
stream, start, end = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
double = torch.nn.Linear(1, 1, bias=False, device="cuda")

@torch.compile
def add(a, b):
    return a + b

def custom_kernel(data):
    a, b, c = data
    assert a.is_cuda and a.device == torch.device("cuda", 0)
    zeros = torch.zeros(a.shape, device=a.device) + torch.empty_like(a, device="cuda").fill_(0)
    with torch.cuda.stream(stream):
        start.record()
        total = add(a, b.to("cuda:0", non_blocking=True)) + zeros.cuda()
        end.record(stream)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    return total
"""

TRITON = """
import torch, triton
import triton.language as tl

@triton.jit
def add(a_ptr, b_ptr, c_ptr, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    tl.store(c_ptr + places, tl.load(a_ptr + places, mask=mask) + tl.load(b_ptr + places, mask=mask), mask=mask)

def custom_kernel(data):
    a, b, c = data
    add[(triton.cdiv(a.numel(), 256),)](a, b, c, a.numel(), BLOCK=256)
    return c
"""

INLINE = """
from torch.utils.cpp_extension import load_inline
try:
    add = load_inline("add", cpp_sources="", cuda_sources="__global__ void add() {}", functions=["add"])
except Exception:
    add = None
def custom_kernel(data):
    return data[0] + data[1]
"""


@functools.cache
def shared_rehearsing_tester() -> TesterProcess:
    """Returns one tester for all tests."""
    tester = TesterProcess(command=[str(HERE / "rehearse.py")])
    if tester.first["type"] != "ready":
        raise unittest.SkipTest(tester.first["reason"])
    atexit.register(tester.close)
    return tester


def rehearsed(source: str, targets: dict[str, Any] | None = None, **spec: Any) -> Event:
    """Returns the verdict of a job for an H100."""
    message = job(source, targets={"H100": {}} if targets is None else targets, **spec)
    return shared_rehearsing_tester().run({**message, "target": "H100"})[-1]


class Rehearsal(unittest.TestCase):
    maxDiff = None

    def check(self, verdict: Event, expected: str, *sentences: str) -> None:
        """Checks the result of a rehearsal, and that it lists these sentences."""
        self.assertEqual(expected, verdict["failureClass"] or verdict["verdict"], verdict)
        reported = verdict["rehearsal"]
        for sentence in sentences:
            self.assertIn(sentence, reported["checked"] + reported["unchecked"])

    def test_code_for_cuda_runs_on_the_processor_and_its_results_are_checked(self) -> None:
        verdict = rehearsed(ON_CUDA)
        self.check(
            verdict,
            "passed",
            "The kernel was imported and ran 1 test case with correct results.",
            "Speed, precision, races, accesses outside of a tensor and the memory of H100.",
        )
        reported = verdict["rehearsal"]
        self.assertEqual(("H100", "there is no accelerator"), (reported["target"], reported["reason"]))

    def test_wrong_results_are_found(self) -> None:
        verdict = rehearsed(ON_CUDA.replace("a + b", "a - b"))
        self.check(verdict, "wrong_result")
        self.assertEqual([], verdict["rehearsal"]["checked"])

    def test_triton_kernels_run_where_triton_is_installed(self) -> None:
        not_compiled = (
            "Whether the kernels compile for H100: Triton's interpreter and PyTorch's operators ran in their place."
        )
        self.check(rehearsed(TRITON), "passed", not_compiled)
        self.check(rehearsed(TRITON.replace("places < n", "places < n - 1")), "wrong_result", not_compiled)

    def test_a_kernel_that_is_tuned_runs_in_its_first_configuration(self) -> None:
        configurations = "[triton.Config({'BLOCK': 64}, num_warps=2), triton.Config({'BLOCK': 1})]"
        tuned = TRITON.replace("@triton.jit", f"@triton.autotune({configurations}, key=['n'])\n@triton.jit")
        source = tuned.replace(", BLOCK=256)", ")").replace("(triton.cdiv(a.numel(), 256),)", "GRID")
        grid = "GRID = lambda meta: (triton.cdiv(4096, meta['BLOCK']),)\n"
        source = source.replace("def custom_kernel", f"{grid}def custom_kernel")
        self.check(rehearsed(source), "passed")
        by_module = f"from triton.runtime.autotuner import autotune\n{source.replace('@triton.autotune', '@autotune')}"
        self.check(rehearsed(by_module), "passed")

    def test_tritons_driver_reports_the_simulated_device_and_times_nothing(self) -> None:
        asks = """
driver = triton.runtime.driver.active
assert (driver.get_current_target().backend, driver.get_current_target().arch) == ("cuda", 90)
assert driver.utils.get_device_properties(0)["multiprocessor_count"] == 132
"""
        self.check(rehearsed(TRITON + asks), "passed")
        why = "Everything: it uses Triton's driver (get_benchmarker), as what is timed or compiled for a device does."
        self.check(rehearsed(f"{TRITON}{asks}driver.get_benchmarker()\n"), "infra_error", why)

    def test_code_that_tritons_interpreter_cannot_run_is_not_a_failure(self) -> None:
        lacking = "raise NotImplementedError('inline_asm not supported in interpreter mode')"
        why = "it uses what Triton's interpreter does not have (inline_asm not supported in interpreter mode)"
        self.check(rehearsed(f"import triton\n{lacking}"), "infra_error", f"Everything: {why}.")

    def test_inline_cuda_is_reported_as_not_runnable_even_where_it_is_caught(self) -> None:
        why = "it uses inline CUDA and HIP, which are compiled for a device"
        verdict = rehearsed(INLINE)
        self.check(verdict, "infra_error", f"Everything: {why}.")
        self.assertEqual(f"it could not be checked here: {why}", verdict["message"])

    def test_missing_modules_and_features_are_not_a_failure(self) -> None:
        missing = "Everything: it imports cutlass, which is not installed here."
        self.check(rehearsed("import cutlass"), "infra_error", missing)
        graphs = "import torch\ndef custom_kernel(data):\n    torch.cuda.CUDAGraph()\n"
        self.assertIn("it uses CUDA graphs", rehearsed(graphs)["message"])
        message = {**job("", targets={"H100": {}}), "target": "H100", "language": "cu"}
        verdict = shared_rehearsing_tester().run(message)[-1]
        self.assertIn("a file of CUDA or HIP is compiled for the device", verdict["message"])

    def test_deterministic_algorithms_can_be_requested(self) -> None:
        # PyTorch imports its compiler for this, which uses parts of Triton that the fake device lacks.
        start = "from kernelbot_tester.judge.serve import serve; serve(True, rehearses='there is no accelerator')"
        tester = TesterProcess(command=["-c", start])
        try:
            source = "import torch\ntorch.use_deterministic_algorithms(True)\n" + RIGHT
            limits = {"prepare": 60, "test": 30, "benchmark": 3, "ranked": 3, "profile": 3}
            message = job(source, targets={"H100": {}}, timeoutsS=limits)
            self.check(tester.run({**message, "target": "H100"})[-1], "passed")
        finally:
            tester.close()

    def test_an_error_that_mentions_the_device_is_not_a_failure(self) -> None:
        for error in (
            "ValueError('device_id cuda:0 does not match the current compilation')",
            "AttributeError(\"module 'torch._C' has no attribute '_cuda_newThing'\")",
            "RuntimeError('Backend gloo does not support alltoall')",
        ):
            for source in (f"raise {error}\n", f"def custom_kernel(data):\n    raise {error}\n"):
                with self.subTest(source=source):
                    self.check(rehearsed(source), "infra_error")
        self.check(rehearsed("def custom_kernel(data):\n    raise ValueError('odd sizes')\n"), "crash")

    def test_the_tests_of_the_processor_run_where_the_problem_has_them(self) -> None:
        large = [{"size": 10**12, "seed": 1}]
        small = [{"size": size, "seed": 2} for size in (7, 8)]
        both = "The kernel was imported and ran 2 test cases with correct results."
        self.check(rehearsed(RIGHT, {"H100": {"tests": large}, "cpu": {"tests": small}}), "passed", both)
        self.check(rehearsed(RIGHT, {"H100": {"tests": large}}), "infra_error")

    def test_a_test_that_this_machine_cannot_finish_is_not_a_failure(self) -> None:
        limits = {"prepare": 20, "test": 2, "benchmark": 3, "ranked": 3, "profile": 3}
        slow = RIGHT.replace("    torch.add", "    while True: pass\n    torch.add")
        self.check(rehearsed(slow, timeoutsS=limits), "infra_error")

    def test_a_harness_and_ranks_that_need_the_device_are_not_rehearsed(self) -> None:
        harness: dict[str, Any] = {"harness": "legacy", "main": "eval.py", "submissionName": "submission.py"}
        self.check(rehearsed(RIGHT, **harness), "infra_error", "Everything: the harness of the problem needs the device.")
        self.check(rehearsed(RIGHT, worldSize=2), "infra_error", "Everything: its ranks need a device each.")


class Judging(unittest.TestCase):
    def test_problems_of_the_processor_are_judged_by_the_same_tester(self) -> None:
        verdict = shared_rehearsing_tester().run(job(RIGHT, "benchmark"))[-1]
        self.assertEqual(("passed", None), (verdict["verdict"], verdict.get("rehearsal")))
        lost = shared_rehearsing_tester().run(job(ON_CUDA))[-1]
        self.assertEqual(("crash", None), (lost["failureClass"], lost.get("rehearsal")), "no device is simulated there")

    def test_with_a_device_nothing_is_rehearsed(self) -> None:
        message = {**job(RIGHT, targets={"FAKE_DEVICE": {}}), "target": "FAKE_DEVICE"}
        verdict = shared_accelerated_tester().run(message)[-1]
        self.assertEqual(("passed", None), (verdict["verdict"], verdict.get("rehearsal")))

    def test_a_judged_worker_cannot_report_a_missing_feature(self) -> None:
        self.assertEqual("crash", reported_failure({"class": "not_here", "message": ""}).failure)


if __name__ == "__main__":
    unittest.main()
