"""The tester's verdicts on kernels that are correct, incorrect, broken or that exhaust its resources."""

from __future__ import annotations

import math
import statistics
import unittest
from typing import Any

from support import ADDITION, RIGHT, JudgeTest, job

from kernelbot_tester.stages.rounds import LIMITS

#: y = exp(x) / (1 + exp(x)), which overflows for secret seeds.
OVERFLOWING = """
import torch

def generate_input(size, seed):
    x = torch.randn(size, generator=torch.Generator().manual_seed(seed))
    x[0] = 95 if seed > 1 << 20 else 1
    return x, torch.empty(size)

def ref_kernel(data):
    e = data[0].exp()
    return e / (1 + e)
"""
OWN_CHECK = """
def check_implementation(data, output):
    return torch.allclose(output, ref_kernel(data), equal_nan=True), "different"
"""


def kernel(body: str, before: str = "") -> str:
    """Returns a submission whose custom_kernel has this body."""
    start = f"import ctypes, os, sys, threading, torch\n{before}\n"
    return f"{start}def custom_kernel(data):\n    a, b, c = data\n    {body}\n"


def relative_error(times: list[int]) -> float:
    """Returns the standard error of the mean, as a fraction of the mean."""
    return statistics.stdev(times) / math.sqrt(len(times)) / statistics.fmean(times)


class CorrectKernels(JudgeTest):
    def test_a_correct_kernel_passes_every_case_of_mode_test(self) -> None:
        events = self.judge(job(RIGHT))
        self.assertEqual(
            [
                "stage_started",
                "stage_finished",
                "stage_started",
                "case_finished",
                "case_finished",
                "stage_finished",
                "verdict",
            ],
            [event["type"] for event in events],
        )
        self.assertEqual(
            {
                "type": "case_finished",
                "stage": "test",
                "index": 1,
                "case": {"size": 1000, "seed": 5236},
                "status": "passed",
                "message": None,
                "mismatch": None,
                "bytes": 12000,
                "operations": 1000,
                "outputBytes": None,
                "rounds": [],
                "summary": None,
                "stopped": None,
            },
            events[4],
        )
        self.assertEqual(
            {"type": "verdict", "verdict": "passed", "failureClass": None, "message": None, "detail": None}, events[-1]
        )

    def test_mode_benchmark_reports_that_sizes_of_only_the_tests_were_not_checked(self) -> None:
        wrong_tail = kernel("c.zero_(); end = len(a) // 256 * 256; c[:end] = a[:end] + b[:end]")
        caveat = "correctness is not established: only the outputs of the timed cases were checked, and 2 of the 2 test cases have"
        verdict = self.judge(job(wrong_tail, "benchmark"))[-1]
        self.assertEqual("passed", verdict["verdict"], verdict)
        self.assertIn(caveat, verdict["message"])
        self.refuse(job(wrong_tail, "ranked"), "wrong_result", "test case 1")
        self.assertIsNone(self.judge(job(RIGHT, "test"))[-1]["message"])
        same = [{"size": 1024, "seed": 7}]
        self.assertIsNone(self.judge(job(RIGHT, "benchmark", tests=same))[-1]["message"])

    def test_a_kernel_may_return_a_new_tensor(self) -> None:
        self.assertEqual("passed", self.judge(job(kernel("return a + b")))[-1]["verdict"])

    def test_a_kernel_may_write_the_buffer_and_return_nothing(self) -> None:
        self.assertEqual("passed", self.judge(job(kernel("c.copy_(a + b)")))[-1]["verdict"])

    def test_a_kernel_may_return_a_tensor_that_requires_gradients(self) -> None:
        self.assertEqual("passed", self.judge(job(kernel("return a.requires_grad_() + b")))[-1]["verdict"])

    def test_a_kernel_may_use_threads(self) -> None:
        body = "t = threading.Thread(target=lambda: torch.add(a, b, out=c)); t.start(); t.join()"
        self.assertEqual("passed", self.judge(job(kernel(body)))[-1]["verdict"])

    def test_mode_benchmark_times_kernel_and_reference_in_rounds(self) -> None:
        events = self.judge(job(RIGHT, "benchmark"))
        self.assertEqual(["prepare", "benchmark"], [e["stage"] for e in events if e["type"] == "stage_finished"])
        (case,) = [event for event in events if event["type"] == "case_finished"]
        done = [event["done"] for event in events if event["type"] == "progress"]
        self.assertIn(done, ([0, 3, 6], [0, 3, 6, 9]))
        self.assertTrue(done[-1] - 2 <= len(case["rounds"]) <= done[-1])
        for one in case["rounds"]:
            self.assertGreaterEqual(len(one["candidateNs"]), 3)
            self.assertGreaterEqual(len(one["referenceNs"]), 3)
            self.assertTrue(all(time > 0 for time in one["candidateNs"] + one["referenceNs"]))

    def test_mode_ranked_tests_and_then_times(self) -> None:
        events = self.judge(job(RIGHT, "ranked"))
        self.assertEqual(["prepare", "test", "ranked"], [e["stage"] for e in events if e["type"] == "stage_finished"])
        cases = [event for event in events if event["type"] == "case_finished" and event["stage"] == "ranked"]
        rounds = [case["rounds"] for case in cases]
        self.assertTrue(LIMITS["ranked"].min_rounds <= len(rounds[0]) <= LIMITS["ranked"].max_rounds)
        self.assertIn(cases[0]["stopped"], ("rounds", "precise"))
        self.assertEqual([{"absolute": 0, "relative": 0}], [case["errors"] for case in cases])

    def test_a_timed_case_reports_the_largest_errors_of_its_first_call(self) -> None:
        inexact = job(kernel("return torch.add(a, b, out=c).mul_(1 + 1e-6)"), "benchmark")
        (case,) = [event for event in self.judge(inexact) if event["type"] == "case_finished"]
        errors = case["errors"]
        self.assertTrue(5e-7 < errors["relative"] < 2e-6 and 0 < errors["absolute"] < 4e-6, errors)

    def test_an_evaluation_compiles_only_or_tests_and_then_times(self) -> None:
        def stages(mode: str, source: str) -> list[str]:
            events = self.judge(job(source, mode))
            finished = [event["stage"] for event in events if event["type"] == "stage_finished"]
            return [*finished, events[-1]["verdict"]]

        wrong = kernel("return c.copy_(a)")
        self.assertEqual(["prepare", "passed"], stages("compile", wrong))
        self.assertEqual(["prepare", "test", "failed"], stages("reward", wrong))
        correct = kernel("return c.copy_(a + b)")
        self.assertEqual(["prepare", "test", "benchmark", "passed"], stages("reward", correct))

    def test_a_round_of_an_evaluation_is_one_call_of_a_kernel_that_takes_milliseconds(self) -> None:
        events = self.judge(job(kernel("time.sleep(0.006); return torch.add(a, b, out=c)", "import time"), "reward"))
        (case,) = [event for event in events if event["type"] == "case_finished" and event["stage"] == "benchmark"]
        self.assertEqual([1] * 6, [len(one["candidateNs"]) for one in case["rounds"]])

    def test_an_evaluation_times_one_case_after_the_other_and_leaves_time_for_the_last(self) -> None:
        cases = [{"size": 1024, "seed": 1}, {"size": 2048, "seed": 2}]
        limits = {"prepare": 20, "test": 20, "benchmark": 12, "ranked": 20}
        slow = kernel("time.sleep(1); return a + b", "import time")
        for source, stopped, least in ((RIGHT, ["rounds", "precise"], 6), (slow, ["time"], 1)):
            events = self.judge(job(source, "reward", benchmarks=cases, timeoutsS=limits))
            self.assertEqual("passed", events[-1]["verdict"])
            for case in [event for event in events if event["type"] == "case_finished" and event["stage"] == "benchmark"]:
                self.assertTrue(least <= len(case["rounds"]) <= 6)
                self.assertIn(case["stopped"], stopped)

    def test_a_kernel_that_keeps_results_by_address_is_found_in_an_evaluation_with_one_call_a_round(self) -> None:
        body = """time.sleep(0.006)
    if c.data_ptr() not in kept or len(calls) < 3:
        kept[c.data_ptr()] = a + b
    calls.append(1)
    return kept[c.data_ptr()]"""
        events = self.judge(job(kernel(body, "import time\nkept, calls = {}, []"), "reward"))
        self.assertEqual(("failed", "wrong_result"), (events[-1]["verdict"], events[-1]["failureClass"]))

    def test_inputs_and_outputs_are_at_changing_aligned_addresses_some_of_which_occur_again(self) -> None:
        body = """addresses.append(a.data_ptr())
    misaligned = [one for one in (a, b, c) if one.data_ptr() % 256]
    assert not misaligned and c.data_ptr() - a.data_ptr() == 8192
    if len(addresses) > 40:
        known = len(set(addresses[-20:]))
        assert 1 < known < 20, known
    return torch.add(a, b, out=c)"""
        self.assertEqual("passed", self.judge(job(kernel(body, "addresses = []"), "ranked"))[-1]["verdict"])

    def test_a_ranked_run_that_takes_long_ends_with_fewer_rounds_and_at_least_the_minimum(self) -> None:
        events = self.judge(job(kernel("import time; time.sleep(0.25); return a + b"), "ranked"))
        (case,) = [event for event in events if event["type"] == "case_finished" and event["stage"] == "ranked"]
        self.assertEqual("rounds", case["stopped"])
        self.assertTrue(LIMITS["ranked"].min_rounds <= len(case["rounds"]) < LIMITS["ranked"].max_rounds)

    def test_a_generator_of_inputs_that_takes_the_time_of_the_stage_is_the_fault_of_the_problem(self) -> None:
        slow = ADDITION.replace("    generator =", "    import time; time.sleep(2 if size == 1024 else 0)\n    generator =", 1)
        limits = {"prepare": 20, "test": 20, "benchmark": 3, "ranked": 3, "profile": 20}
        verdict = self.judge(job(RIGHT, "benchmark", slow, timeoutsS=limits))[-1]
        self.assertEqual("infra_error", verdict["verdict"], verdict)
        self.assertRegex(verdict["message"], r"such as generate_input, took \d+ s of the 3 s of the stage benchmark")

    def test_a_stage_that_is_short_of_time_ends_with_fewer_rounds(self) -> None:
        limits = {"prepare": 20, "test": 20, "benchmark": 20, "ranked": 8}
        events = self.judge(job(kernel("import time; time.sleep(0.9); return a + b"), "ranked", timeoutsS=limits))
        self.assertEqual("passed", events[-1]["verdict"])
        (case,) = [event for event in events if event["type"] == "case_finished" and event["stage"] == "ranked"]
        self.assertTrue(1 <= len(case["rounds"]) < 9, "fewer than the minimum of a ranked case")
        self.assertEqual("time", case["stopped"])

    def test_a_submission_that_stalls_between_its_calls_gets_no_score_of_a_few_rounds(self) -> None:
        source = """
import time
from worker import layout
rebuild = layout.rebuild

def slow(*of):
    time.sleep(3 / layout.PLACEMENTS)
    return rebuild(*of)

layout.rebuild = slow
""" + RIGHT
        limits = {"prepare": 20, "test": 60, "benchmark": 20, "ranked": 12}
        events = self.judge(job(source, "ranked", timeoutsS=limits))
        self.assertEqual(("failed", "timeout"), (events[-1]["verdict"], events[-1]["failureClass"]))
        self.assertIn("made the judge wait", events[-1]["message"])

    def test_by_the_rule_of_the_paper_each_case_is_one_sequence_of_paired_calls(self) -> None:
        cases = [{"size": 1024, "seed": 1}, {"size": 2048, "seed": 2}]
        # Each time differs by 4 % from the mean, so the rule applies after about 17 calls. The times are long, so that
        # the scatter of a busy machine is small in comparison.
        wait = "import itertools, time\nwaits = itertools.cycle((0.0288, 0.0312))"
        even = kernel("time.sleep(next(waits)); return a + b", wait)
        limits = {"prepare": 20, "test": 20, "benchmark": 20, "ranked": 12}
        events = self.judge(job(even, "ranked", stop="paper", benchmarks=cases, timeoutsS=limits))
        self.assertEqual("passed", events[-1]["verdict"])
        self.assertEqual([0, 1, 2], [event["done"] for event in events if event["type"] == "progress"])
        timed = [event for event in events if event["type"] == "case_finished" and event["stage"] == "ranked"]
        self.assertEqual(2, len(timed))
        for case in timed:
            kernel_ns = [time for one in case["rounds"] for time in one["candidateNs"]]
            reference_ns = [time for one in case["rounds"] for time in one["referenceNs"]]
            self.assertGreaterEqual(len(kernel_ns), 3)
            self.assertEqual(len(kernel_ns), len(reference_ns))
            self.assertTrue(all(len(one["candidateNs"]) == 1000 for one in case["rounds"][:-1]))
            # The case did not continue after the rule applied.
            held = [count for count in range(3, len(kernel_ns)) if relative_error(kernel_ns[:count]) < 0.01]
            self.assertEqual([], held)

    def test_by_the_rule_of_the_paper_a_stage_that_is_short_of_time_keeps_three_calls(self) -> None:
        limits = {"prepare": 20, "test": 20, "benchmark": 5, "ranked": 20}
        uneven = "import time, random; time.sleep(random.choice([0.001, 0.4])); return a + b"
        events = self.judge(job(kernel(uneven), "benchmark", stop="paper", timeoutsS=limits))
        self.assertEqual("passed", events[-1]["verdict"])
        (case,) = [event for event in events if event["type"] == "case_finished"]
        self.assertGreaterEqual(sum(len(one["candidateNs"]) for one in case["rounds"]), 3)

    def test_a_target_can_have_cases_of_its_own(self) -> None:
        events = self.judge(job(RIGHT, targets={"cpu": {"tests": [{"size": 3, "seed": 1}]}}))
        self.assertEqual([{"size": 3, "seed": 1}], [e["case"] for e in events if e["type"] == "case_finished"])

    def test_what_a_submission_prints_is_reported_by_stage(self) -> None:
        events = self.judge(job(kernel("print('in a call'); return a + b", before="print('at import')")))
        self.assertEqual(
            [("prepare", "at import\n"), ("test", "in a call\nin a call\n")],
            [(event["stage"], event["head"]) for event in events if event["type"] == "output"],
        )

    def test_long_output_keeps_head_and_tail(self) -> None:
        source = kernel("return a + b", before="print('first'); print('x' * 100_000); print('last')")
        (output,) = [event for event in self.judge(job(source)) if event["type"] == "output"]
        self.assertTrue(output["head"].startswith("first\n"))
        self.assertTrue(output["tail"].endswith("\nlast\n"))
        self.assertEqual(100_000 + len("first\n\nlast\n") - 2 * 8192, output["droppedBytes"])


class WrongResults(JudgeTest):
    def test_a_mismatch_names_the_case_the_places_and_the_errors(self) -> None:
        events = self.judge(job(kernel("torch.add(a, b, out=c); c[5] += 1; c[7] -= 2; return c")))
        cases = [event for event in events if event["type"] == "case_finished"]
        self.assertEqual(["failed", "failed"], [case["status"] for case in cases])
        mismatch = cases[0]["mismatch"]
        self.assertEqual((2, 127), (mismatch["differing"], mismatch["total"]))
        self.assertEqual([[5], [7]], [place["index"] for place in mismatch["first"]])
        self.assertAlmostEqual(2.0, mismatch["largestAbsolute"], places=5)
        self.assertEqual("wrong_result", events[-1]["failureClass"])
        self.assertRegex(
            events[-1]["message"],
            r"^test case 1 \(size: 127; seed: 4242\): 2 of 127 elements differ; at \[5\]: got [\d.]+, expected [\d.]+ "
            r"\(largest absolute error 2(\.\d+)?\)$",
        )

    def test_a_wrong_case_does_not_prevent_the_next(self) -> None:
        events = self.judge(job(kernel("c.zero_() if len(a) == 127 else torch.add(a, b, out=c)")))
        self.assertEqual(
            ["failed", "passed"], [event["status"] for event in events if event["type"] == "case_finished"]
        )

    def test_an_output_that_was_never_written_is_wrong(self) -> None:
        self.refuse(job(kernel("return c")), "wrong_result", "127 of 127 elements differ")

    def test_an_output_of_another_shape_is_named(self) -> None:
        self.refuse(job(kernel("return (a + b)[:5]")), "wrong_result", "a tensor of shape [5], expected [127]")

    def test_an_output_of_another_dtype_is_named(self) -> None:
        self.refuse(
            job(kernel("return (a + b).double()")), "wrong_result", "a tensor of torch.float64, expected torch.float32"
        )

    def test_an_output_that_is_not_a_tensor_is_named(self) -> None:
        self.refuse(job(kernel("return (a + b).numpy()")), "wrong_result", "returned a ndarray, expected a tensor")

    def test_a_sparse_output_is_named(self) -> None:
        self.refuse(
            job(kernel("return (a + b).to_sparse()")), "wrong_result", "torch.sparse_coo tensor, expected a dense one"
        )

    def test_a_meta_output_is_named(self) -> None:
        self.refuse(
            job(kernel("return torch.empty(len(a), device='meta')")),
            "wrong_result",
            "a tensor on meta, expected one on cpu",
        )

    def test_too_many_outputs_are_counted(self) -> None:
        self.refuse(job(kernel("return c, c")), "wrong_result", "returned 2 values, expected 1")

    def test_nan_is_wrong_where_a_number_is_expected(self) -> None:
        verdict = self.refuse(
            job(kernel("torch.add(a, b, out=c); c[3] = float('nan')")), "wrong_result", "at [3]: got nan"
        )
        self.assertIn("1 of 127 elements differs", verdict["message"])

    def test_a_reference_that_is_nan_for_a_secret_input_is_the_fault_of_the_problem_for_every_kernel(self) -> None:
        stable = "import torch\ndef custom_kernel(data):\n    return torch.sigmoid(data[0], out=data[1])\n"
        copies = "def custom_kernel(data):\n    e = data[0].exp()\n    return e / (1 + e)\n"
        for source, reference in ((stable, OVERFLOWING), (copies, OVERFLOWING), (stable, OVERFLOWING + OWN_CHECK)):
            verdict = self.judge(job(source, "benchmark", reference))[-1]
            self.assertEqual("infra_error", verdict["verdict"], verdict)
            message = "benchmark case 1: the problem's code reports: the reference's result is not finite for an input of the case (size: 1024)"
            self.assertIn(message, verdict["message"])

    def test_a_wrong_result_of_a_timed_stage_contains_no_values(self) -> None:
        source = kernel("torch.add(a, b, out=c); c[5] += 1")
        events = self.judge(job(source, "benchmark"))
        self.assertEqual("wrong_result", events[-1]["failureClass"])
        self.assertRegex(
            events[-1]["message"],
            r"^benchmark case 1 \(size: 1024\): 1 of 1024 elements differs \(largest absolute error 1(\.\d+)?\); "
            r"the inputs of this stage are secret$",
        )
        (case,) = [event for event in events if event["type"] == "case_finished"]
        self.assertEqual(([], []), (case["mismatch"]["first"], case["rounds"]))


class BrokenSubmissions(JudgeTest):
    def test_a_syntax_error_shows_line_and_caret(self) -> None:
        verdict = self.refuse(job("x = 1\ny = = 2\n"), "compile_error", "submission.py, line 2: invalid syntax")
        self.assertIn('  File "submission.py", line 2\n    y = = 2\n        ^', verdict["detail"])

    def test_a_submission_without_custom_kernel_gets_that_message(self) -> None:
        self.refuse(job("x = 1"), "compile_error", "submission.py defines no function custom_kernel(data)")

    def test_an_empty_submission_gets_that_message(self) -> None:
        self.refuse(job(""), "compile_error", "submission.py defines no function custom_kernel(data)")

    def test_null_characters_are_a_compile_error(self) -> None:
        self.refuse(job("x = '\0'"), "compile_error", "null bytes")

    def test_lone_surrogates_are_a_compile_error(self) -> None:
        self.refuse(job("x = '\ud800'"), "compile_error", "characters that are not text")

    def test_nesting_beyond_the_compiler_is_a_compile_error(self) -> None:
        self.refuse(job("(" * 100_000), "compile_error", "")

    def test_an_exception_shows_the_frames_of_the_participant_only(self) -> None:
        source = "def helper(x):\n    return x / 0\n\ndef custom_kernel(data):\n    return helper(1)\n"
        verdict = self.refuse(
            job(source), "crash", "test case 1 (size: 127; seed: 4242): ZeroDivisionError: division by zero"
        )
        self.assertEqual(
            ['  File "submission.py", line 5, in custom_kernel', '  File "submission.py", line 2, in helper'],
            [line for line in verdict["detail"].splitlines() if "File" in line],
        )

    def test_after_a_crash_the_other_cases_are_skipped(self) -> None:
        events = self.judge(job(kernel("raise ValueError('no')")))
        self.assertEqual(
            ["failed", "skipped"], [event["status"] for event in events if event["type"] == "case_finished"]
        )

    def test_an_exception_at_import_is_a_crash(self) -> None:
        verdict = self.refuse(job("import nowhere"), "crash", "ModuleNotFoundError: No module named 'nowhere'")
        self.assertIn("submissions have no network, so packages cannot be installed", verdict["message"])

    def test_an_import_of_a_file_of_another_harness_says_what_to_write_instead(self) -> None:
        falls_back = "from reference import ref_kernel\n" + RIGHT
        self.refuse(job(falls_back), "crash", "copy the functions that it needs, such as ref_kernel, into its file")
        uses_utils = "from utils import DeterministicContext\n" + RIGHT
        self.refuse(job(uses_utils), "crash", "the problem has no utils.py: copy the functions that the submission needs")
        own = job(uses_utils, files={"utils.py": "class DeterministicContext: pass\n"})
        self.assertEqual("passed", self.judge(own)[-1]["verdict"])
        local = RIGHT + "\nif __name__ == '__main__':\n    from reference import check_implementation\n"
        self.assertEqual("passed", self.judge(job(local))[-1]["verdict"])

    def test_a_package_that_cannot_be_installed_is_a_crash_that_says_why(self) -> None:
        source = "import subprocess, sys\nsubprocess.check_call([sys.executable, '-c', 'raise SystemExit(1)', '-m', 'pip', 'install', 'x'])\n"
        self.refuse(job(source + RIGHT), "crash", "submissions have no network, so packages cannot be installed")

    def test_an_exception_that_cannot_be_formatted_is_a_crash(self) -> None:
        before = "class E(Exception):\n    def __str__(self): raise self\n"
        self.refuse(job(kernel("raise E()", before=before)), "crash", "E: <exception str() failed>")

    def test_leaving_by_sys_exit_is_a_crash(self) -> None:
        self.refuse(job(kernel("sys.exit(3)")), "crash", "ended itself with exit code 3")

    def test_leaving_by_os_exit_is_a_crash(self) -> None:
        self.refuse(job(kernel("os._exit(0)")), "crash", "ended itself with exit code 0")

    def test_leaving_at_import_is_a_crash(self) -> None:
        self.refuse(job("import os\nos._exit(5)"), "crash", "ended itself with exit code 5")

    def test_a_segmentation_fault_is_named(self) -> None:
        self.refuse(job(kernel("ctypes.string_at(0)")), "crash", "was terminated by SIGSEGV")

    def test_an_abort_is_named(self) -> None:
        self.refuse(job(kernel("os.abort()")), "crash", "aborted (SIGABRT)")

    def test_a_timed_case_is_reported_without_the_seed_that_was_not_used(self) -> None:
        events = self.judge(job(RIGHT, "benchmark"))
        self.assertEqual([{"size": 1024}], [e["case"] for e in events if e["type"] == "case_finished"])

    def test_a_crash_in_a_timed_stage_hides_the_seed(self) -> None:
        verdict = self.refuse(
            job(kernel("1 / 0"), "benchmark"), "crash", "benchmark case 1 (size: 1024): ZeroDivisionError"
        )
        self.assertNotIn("54352", verdict["message"])


class HostileSubmissions(JudgeTest):
    SHORT = {"prepare": 2, "test": 1, "benchmark": 1, "ranked": 1}

    def test_an_endless_kernel_is_a_timeout_that_names_the_limit_of_its_stage(self) -> None:
        words = "the time limit was reached during this case (limit of the stage test: 1 s)"
        verdict = self.refuse(job(kernel("while True: pass"), timeoutsS=self.SHORT), "timeout", words)
        self.assertIn("test case 1", verdict["message"])

    def test_an_endless_import_is_a_timeout(self) -> None:
        self.refuse(job("while True: pass", timeoutsS=self.SHORT), "timeout", "before the submission could be imported")

    def test_an_endless_kernel_of_a_timed_stage_is_a_timeout(self) -> None:
        self.refuse(job(kernel("while True: pass"), "benchmark", timeoutsS=self.SHORT), "timeout", "benchmark case 1")

    def test_a_fork_bomb_ends_with_its_run(self) -> None:
        verdict = self.judge(job(kernel("while True: os.fork()")))[-1]
        self.assertIn(verdict["failureClass"], ("crash", "out_of_memory"))

    def test_a_thread_bomb_ends_at_the_limit(self) -> None:
        body = "while True: threading.Thread(target=threading.Event().wait, daemon=True).start()"
        self.refuse(job(kernel(body)), "crash", "can't start new thread")

    def test_ten_gigabytes_are_out_of_memory(self) -> None:
        self.refuse(job(kernel("torch.ones(10 << 30, dtype=torch.uint8)")), "out_of_memory", "out of memory")

    def test_ten_gigabytes_of_python_are_out_of_memory(self) -> None:
        self.refuse(job(kernel("bytearray(10 << 30)")), "out_of_memory", "MemoryError")

    def test_a_gigabyte_of_output_is_rejected(self) -> None:
        events = self.judge(job(kernel("for _ in range(1 << 10): os.write(1, bytes(1 << 20))")))
        self.assertEqual("rejected", events[-1]["failureClass"])
        self.assertIn("printed more than 16 MiB", events[-1]["message"])

    def test_a_gigabyte_of_output_at_import_is_rejected(self) -> None:
        source = "import os\nfor _ in range(1 << 10): os.write(2, bytes(1 << 20))"
        self.refuse(job(source), "rejected", "printed more than 16 MiB")

    def test_a_huge_exception_is_cut(self) -> None:
        verdict = self.refuse(job(kernel("raise ValueError('x' * (1 << 24))")), "crash", "ValueError: xxx")
        self.assertLess(len(verdict["message"]) + len(verdict["detail"]), 20_000)


class FaultyProblems(JudgeTest):
    def not_judged(self, reference: str, sentence: str, mode: str = "test", **spec) -> None:
        """Checks that the run ends as `infra_error` with this sentence."""
        verdict = self.judge(job(RIGHT, mode, reference, **spec))[-1]
        self.assertEqual(("infra_error", None), (verdict["verdict"], verdict["failureClass"]))
        self.assertIn(sentence, verdict["message"])

    def test_a_reference_that_cannot_be_imported_is_not_the_kernels_fault(self) -> None:
        self.not_judged("1 / 0", "the problem's reference.py raised ZeroDivisionError")

    def test_a_generator_that_raises_is_not_the_kernels_fault(self) -> None:
        broken = ADDITION.replace("    a = torch.rand", "    raise ValueError(size)\n    a = torch.rand", 1)
        self.not_judged(broken, "the problem's generate_input raised ValueError: 127")

    def test_an_error_of_the_problem_contains_no_secret_seed(self) -> None:
        broken = ADDITION.replace("    a = torch.rand", "    raise ValueError(f'seed {seed}')\n    a = torch.rand", 1)
        events = self.judge(job(RIGHT, "benchmark", broken))
        self.assertEqual("the problem's generate_input raised ValueError", events[-1]["message"])

    def test_a_reference_of_another_shape_than_its_buffer_is_not_the_kernels_fault(self) -> None:
        self.not_judged(ADDITION.replace("return a + b", "return (a + b)[:3]"), "another number, shape or dtype")

    def test_a_problem_without_tolerance_or_check_is_not_the_kernels_fault(self) -> None:
        self.not_judged(ADDITION, "neither a tolerance", tolerance=None)

    def test_what_a_problem_prints_does_not_disturb_the_protocol(self) -> None:
        events = self.judge(job(RIGHT, reference="print('hello')\nimport os\nos.write(1, b'there')\n" + ADDITION))
        self.assertEqual("passed", events[-1]["verdict"])


class Problems(JudgeTest):
    def test_an_output_on_which_the_problems_check_raises_is_wrong(self) -> None:
        check = "\ndef check_implementation(data, output):\n    return bool(data[0][output.long()].min() >= 0), ''\n"
        source = "def custom_kernel(data):\n    data[2].fill_(1e6)\n"
        message = job(source, reference=ADDITION + check, tolerance=None)
        self.refuse(message, "wrong_result", "check_implementation raised IndexError on the output")

    def test_a_problem_can_bring_its_own_check(self) -> None:
        check = "\ndef check_implementation(data, output):\n    return bool((output == 7).all()), 'not all are 7'\n"
        self.refuse(job(RIGHT, reference=ADDITION + check, tolerance=None), "wrong_result", "not all are 7")
        self.assertEqual("passed", self.judge(job(kernel("c.fill_(7)"), reference=ADDITION + check))[-1]["verdict"])

    def test_inputs_may_be_nested_strided_and_of_any_dtype(self) -> None:
        reference = """
import torch

def generate_input(seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(4, 6, generator=g)
    parts = {"half": x.to(torch.bfloat16).t(), "flags": [x > 0.5, x.new_zeros(0)], "row": x[0].expand(4, 6), "scale": 2}
    return parts, (torch.empty(6, 4, dtype=torch.bfloat16).t(), torch.empty(4, 6, dtype=torch.bool))

def ref_kernel(data):
    parts, (half, flags) = data
    half.copy_(parts["half"].t() * parts["scale"])
    flags.copy_(~parts["flags"][0])
    return half, flags
"""
        source = """
def custom_kernel(data):
    parts, (half, flags) = data
    assert parts["half"].stride() == (1, 6) and parts["row"].stride() == (0, 1) and len(parts["flags"][1]) == 0
    assert (parts["row"][3] == parts["row"][0]).all() and half.stride() == (1, 4)
    return parts["half"].t() * parts["scale"], ~parts["flags"][0]
"""
        events = self.judge(job(source, reference=reference, outputs=2, tests=[{"seed": 1}, {"seed": 2}]))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])

    def test_a_layout_may_depend_on_the_seed(self) -> None:
        varying = ADDITION.replace("    generator = ", "    size += seed % 1000\n    generator = ", 1)
        self.assertEqual("passed", self.judge(job(RIGHT, "benchmark", varying))[-1]["verdict"])

    def test_an_input_may_have_more_plain_values_than_a_socket_holds(self) -> None:
        reference = """
import torch

def generate_input(size, seed):
    return torch.rand(size, generator=torch.Generator().manual_seed(seed)).tolist(), torch.empty(size)

def ref_kernel(data):
    return torch.tensor(data[0])
"""
        source = "import torch\ndef custom_kernel(data):\n    return torch.tensor(data[0])\n"
        tests = [{"size": 30_000, "seed": 1}]
        self.assertEqual("passed", self.judge(job(source, reference=reference, tests=tests))[-1]["verdict"])

    def test_a_submission_can_import_task_and_utils_where_the_problem_ships_them(self) -> None:
        source = "from task import name\nfrom utils import other\nprint(name, other)\n" + RIGHT
        files = {"task.py": "name = 'task'", "utils.py": "other = 'utils'"}
        output = [event for event in self.judge(job(source, files=files)) if event["type"] == "output"]
        self.assertEqual("task utils\n", output[0]["head"])


if __name__ == "__main__":
    unittest.main()
