"""Rehearsals: kernels for an accelerator on a machine without one."""

from __future__ import annotations

import atexit
import functools
import unittest
from typing import Any

from fake_device import HERE, shared_accelerated_tester
from support import RIGHT, Event, TesterProcess, job
from test_legacy import HARNESS
from test_legacy import RIGHT as DOUBLE
from test_ranks import ALL_REDUCE
from test_ranks import RIGHT as SUM_OF_RANKS

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
            "2 test cases of H100: right results, computed by this machine's processor.",
            "Speed: no kernel was timed, so the run has no score.",
            "torch.compile: the code ran as it is written.",
        )
        reported = verdict["rehearsal"]
        self.assertEqual(("H100", "there is no accelerator"), (reported["target"], reported["reason"]))

    def test_wrong_results_are_found(self) -> None:
        verdict = rehearsed(ON_CUDA.replace("a + b", "a - b"))
        self.check(verdict, "wrong_result", "Speed: no kernel was timed, so the run has no score.")
        self.assertEqual([], verdict["rehearsal"]["checked"])

    def test_triton_kernels_run_where_triton_is_installed(self) -> None:
        interpreted = "The Triton kernels, by Triton's interpreter."
        not_compiled = "Whether Triton compiles the kernels for H100: its interpreter compiles nothing."
        adjacent = "Accesses outside of a tensor: Triton's interpreter reads and writes adjacent memory."
        self.check(rehearsed(TRITON), "passed", interpreted, not_compiled, adjacent)
        self.check(rehearsed(TRITON.replace("places < n", "places < n - 1")), "wrong_result", not_compiled)

    def test_a_kernel_that_is_tuned_runs_in_its_first_configuration(self) -> None:
        configurations = "[triton.Config({'BLOCK': 64}, num_warps=2), triton.Config({'BLOCK': 1})]"
        tuned = TRITON.replace("@triton.jit", f"@triton.autotune({configurations}, key=['n'])\n@triton.jit")
        source = tuned.replace(", BLOCK=256)", ")").replace("(triton.cdiv(a.numel(), 256),)", "GRID")
        grid = "GRID = lambda meta: (triton.cdiv(4096, meta['BLOCK']),)\n"
        source = source.replace("def custom_kernel", f"{grid}def custom_kernel")
        first_only = "Triton's autotuning: only the first configuration was run."
        self.check(rehearsed(source), "passed", first_only)
        by_module = f"from triton.runtime.autotuner import autotune\n{source.replace('@triton.autotune', '@autotune')}"
        self.check(rehearsed(by_module), "passed", first_only)

    def test_tritons_driver_reports_the_simulated_device_and_times_nothing(self) -> None:
        asks = """
driver = triton.runtime.driver.active
assert (driver.get_current_target().backend, driver.get_current_target().arch) == ("cuda", 90)
assert driver.get_active_torch_device() == torch.device("cuda", 0)
assert driver.utils.get_device_properties(0)["multiprocessor_count"] == 132
"""
        self.check(rehearsed(TRITON + asks), "passed")
        why = "Everything: it uses Triton's driver (get_benchmarker), as what is timed or compiled for a device does."
        self.check(rehearsed(f"{TRITON}{asks}driver.get_benchmarker()\n"), "infra_error", why)

    def test_code_that_tritons_interpreter_cannot_run_is_not_a_failure(self) -> None:
        lacking = "raise NotImplementedError('inline_asm not supported in interpreter mode')"
        why = "it uses what Triton's interpreter does not have (inline_asm not supported in interpreter mode)"
        self.check(rehearsed(f"import triton\n{lacking}"), "infra_error", f"Everything: {why}.")

    def test_an_interpreter_that_is_too_slow_for_the_cases_of_the_target_begins_with_those_of_the_processor(self) -> None:
        slow = RIGHT.replace("    torch.add", "    while a.numel() > 500: pass\n    torch.add")
        targets = {"H100": {"tests": [{"size": 1000, "seed": 1}]}, "cpu": {"tests": [{"size": 7, "seed": 2}]}}
        limits = {"prepare": 20, "test": 2, "benchmark": 3, "ranked": 3, "profile": 3}
        self.check(
            rehearsed(f"import triton\n{slow}", targets, timeoutsS=limits),
            "passed",
            "1 test case of cpu: right results, computed by this machine's processor.",
        )

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

    def test_cases_that_are_too_large_are_replaced_by_those_of_the_processor(self) -> None:
        large, small = {"size": 10**12, "seed": 1}, {"size": 100, "seed": 1}
        targets = {"H100": {"tests": [large, small]}, "cpu": {"tests": [{"size": 7, "seed": 2}]}}
        self.check(
            rehearsed(RIGHT, targets),
            "passed",
            "2 test cases of H100 and cpu: right results, computed by this machine's processor.",
            "1 of 2 test cases: too large for here.",
        )
        self.check(rehearsed(RIGHT, {"H100": {"tests": [large]}}, tests=[large]), "infra_error")

    def test_classes_of_pytorch_stay_classes(self) -> None:
        source = """
generator = torch.Generator(device="cuda").manual_seed(1)
assert isinstance(generator, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
assert generator.device.type == "cuda" and torch.Generator().device.type == "cpu"
assert not isinstance(generator, torch.cuda.CUDAGraph) and not isinstance(generator, (torch.cuda.Stream, torch.cuda.device))
def annotated(a: "torch.Generator | None", b: torch.cuda.device, c: torch.cuda.graph) -> None: ...
first, again = torch.rand(3, generator=generator, device="cuda"), torch.rand(3, generator=torch.Generator("cuda:0").manual_seed(1))
assert torch.equal(first, again)
with torch.cuda.device(0):
    torch.cuda.set_device(torch.device("cuda", 0))
assert torch.cuda.current_device() == 0
"""
        self.check(rehearsed(RIGHT + source), "passed")

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

    def test_ranks_can_request_nccl_and_a_device_each(self) -> None:
        source = """
import torch, torch.distributed as dist
dist.barrier(device_ids=[0])
some = dist.new_group([0, 1], backend="nccl", device_id=torch.device("cuda", 0))
assert dist.is_nccl_available()

def custom_kernel(data):
    total = data[0].clone()
    dist.all_reduce(total, group=some)
    return total
"""
        cases = [{"size": 100, "world_size": 2, "seed": 1}]
        self.check(rehearsed(source, worldSize=2, tests=cases, benchmarks=cases, reference=ALL_REDUCE), "passed")

    def test_a_harness_of_several_ranks_finds_a_device_for_each(self) -> None:
        main = """
import multiprocessing, os
import torch, torch.distributed as dist

def work(rank, size, results):
    assert torch.cuda.device_count() == size
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    where = dict(init_method="tcp://127.0.0.1:12356", rank=rank, world_size=size)
    dist.init_process_group("nccl", device_id=device, **where)
    mine = torch.ones(4, device=device)
    assert mine.device == device and torch.cuda.current_device() == rank
    dist.all_reduce(mine)
    results.put(mine.sum().item())
    dist.destroy_process_group()

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    ranks = [context.Process(target=work, args=(rank, 2, results)) for rank in range(2)]
    for one in ranks: one.start()
    for one in ranks: one.join()
    status = "pass" if [results.get(timeout=5) for _ in ranks] == [8.0, 8.0] else "fail"
    os.write(int(os.environ["POPCORN_FD"]), f"test.0.status: {status}\\ncheck: {status}\\n".encode())
"""
        cases = [{"world_size": 2, "seed": 1}]
        spec: dict[str, Any] = {"harness": "legacy", "main": "eval.py", "submissionName": "submission.py", "worldSize": 2}
        limits = {"prepare": 20, "test": 60, "benchmark": 3, "ranked": 3, "profile": 3}
        message = {**job("", targets={"H100": {}}, tests=cases, timeoutsS=limits, **spec), "target": "H100"}
        message["problem"]["files"] = {"eval.py": main}
        self.check(shared_rehearsing_tester().run(message)[-1], "passed")

    def test_a_case_that_this_machine_cannot_finish_is_skipped_and_its_stage_has_not_failed(self) -> None:
        slow = RIGHT.replace("    torch.add", "    while a.numel() > 127: pass\n    torch.add")
        limits = {"prepare": 20, "test": 2, "benchmark": 3, "ranked": 3, "profile": 3}
        by_us = job(slow, targets={"H100": {}}, timeoutsS=limits)
        limits = {**limits, "test": 20}
        main = "import os, time\nos.write(int(os.environ['POPCORN_FD']), b'test.0.status: pass\\n')\ntime.sleep(60)\n"
        by_harness = job("", targets={"H100": {}}, timeoutsS=limits, harness="legacy", main="eval.py", submissionName="s.py")
        by_harness["problem"]["files"] = {"eval.py": main}
        for message in (by_us, by_harness):
            events = shared_rehearsing_tester().run({**message, "target": "H100"})
            self.assertEqual("passed", events[-1]["verdict"], events[-1])
            statuses = [each["status"] for each in events if each["type"] == "case_finished"]
            self.assertEqual(["passed", "skipped"], statuses)
            (stage,) = [each for each in events if each["type"] == "stage_finished" and each["stage"] == "test"]
            self.assertTrue(stage["passed"])

    def test_a_case_that_takes_too_long_here_is_left_unchecked(self) -> None:
        slow = RIGHT.replace("    torch.add", "    while a.numel() > 127: pass\n    torch.add")
        limits = {"prepare": 20, "test": 2, "benchmark": 3, "ranked": 3, "profile": 3}
        verdict = rehearsed(slow, timeoutsS=limits)
        self.check(verdict, "passed", "1 test case of H100: right results, computed by this machine's processor.")
        self.assertIn("test case 2 (size: 1000; seed: 5236)", verdict["rehearsal"]["unchecked"][0])

    def test_a_harness_of_the_problems_own_finds_a_device_in_each_of_its_processes(self) -> None:
        on_cuda = HARNESS["reference.py"].replace("import random", "import random\nimport torch\ntorch.ones(1).cuda()")
        source = "import torch\ntorch.empty(1, device='cuda')\n" + DOUBLE
        for source, expected in ((source, "passed"), (source.replace("2 *", "3 *"), "wrong_result")):
            spec: dict[str, Any] = {"harness": "legacy", "main": "eval.py", "submissionName": "submission.py"}
            # Each of its processes imports PyTorch.
            spec["timeoutsS"] = {"prepare": 20, "test": 60, "benchmark": 3, "ranked": 3, "profile": 3}
            message = {**job(source, targets={"H100": {}}, **spec), "target": "H100"}
            message["problem"]["files"] = {**HARNESS, "reference.py": on_cuda}
            self.check(shared_rehearsing_tester().run(message)[-1], expected)

    def test_a_harness_for_several_devices_gets_the_targets_number_of_them(self) -> None:
        main = """
import os
status = "pass" if os.environ.get("POPCORN_GPUS") == "8" else "fail"
os.write(int(os.environ["POPCORN_FD"]), f"test.0.status: {status}\\ncheck: {status}\\n".encode())
"""
        cases = [{"world_size": 8, "seed": 1}]
        spec: dict[str, Any] = {"harness": "legacy", "main": "eval.py", "submissionName": "submission.py", "worldSize": 8}
        message = {**job("", targets={"H100": {}}, tests=cases, **spec), "target": "H100"}
        message["problem"]["files"] = {"eval.py": main}
        self.check(shared_rehearsing_tester().run(message)[-1], "passed")

    def test_ranks_are_rehearsed_too(self) -> None:
        cases = [{"size": 100, "world_size": 2, "seed": 1}]
        self.check(rehearsed(SUM_OF_RANKS, worldSize=2, tests=cases, benchmarks=cases, reference=ALL_REDUCE), "passed")

    def test_where_cpu_has_fewer_ranks_only_its_cases_are_rehearsed(self) -> None:
        few, many = ([{"size": 100, "world_size": ranks, "seed": 1}] for ranks in (2, 8))
        targets = {"cpu": {"tests": few, "benchmarks": few, "worldSize": 2}, "H100": {}}
        spec = {"worldSize": 8, "tests": many, "benchmarks": many, "reference": ALL_REDUCE}
        self.check(
            rehearsed(SUM_OF_RANKS, targets, **spec),
            "passed",
            "1 test case of cpu: right results, computed by this machine's processor.",
            "1 of 1 test cases: too large for here.",
        )


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
