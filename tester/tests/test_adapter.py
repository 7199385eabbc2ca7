"""A problem's extensions of checking: an adapter between judge and submission, and an oracle."""

from __future__ import annotations

import unittest
from typing import Any

from support import ADDITION, Event, JudgeTest, job

#: Submissions define `add(a, b)`.
ADAPTER = """
import submission

if not hasattr(submission, "add"):
    raise ImportError("submission.py defines no function add(a, b)")

def custom_kernel(data):
    a, b, c = data
    c.copy_(submission.add(a, b))
"""

#: The mean of the squares minus the square of the mean, in float32: the difference has few correct digits.
VARIANCE = """
import torch

def generate_input(size, seed):
    generator = torch.Generator().manual_seed(seed)
    return 100 + torch.rand(16, size, generator=generator), torch.empty(16)

def ref_kernel(data):
    x, _ = data
    result = (x * x).mean(1) - x.mean(1) ** 2
    x.zero_()
    return result

def oracle(data):
    return data[0].double().var(1, unbiased=False)
"""
FINE = "def custom_kernel(data):\n    return data[0].var(1, unbiased=False)\n"
CASES = {
    "tests": [{"size": 4096, "seed": 1}],
    "benchmarks": [{"size": 4096, "seed": 2}],
    "tolerance": {"rtol": 1e-4, "atol": 1e-4, "reason": "for the test"},
}


def adapted(source: str, mode: str = "test", adapter: str = ADAPTER) -> dict:
    """Returns a job for a problem with an adapter."""
    return job(source, mode, files={"adapter.py": adapter})


def variance(body: str, mode: str = "test", **spec: Any) -> dict:
    """Returns a job for the variance problem."""
    return job(f"import torch\ndef custom_kernel(data):\n    x = data[0]\n    return {body}\n", mode, VARIANCE, **{**CASES, **spec})


class Adapters(JudgeTest):
    def test_a_submission_is_called_through_the_adapter(self) -> None:
        events = self.judge(adapted("def add(a, b):\n    return a + b\n", "benchmark"))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])

    def test_a_function_missing_for_the_adapter_is_a_compile_error_with_its_message(self) -> None:
        self.refuse(adapted("def sub(a, b): ..."), "compile_error", "submission.py defines no function add(a, b)")

    def test_an_import_that_fails_in_the_submission_is_a_crash(self) -> None:
        self.refuse(adapted("import nothing_of_that_name"), "crash", "nothing_of_that_name")

    def test_mistakes_are_found_in_the_submission_and_not_in_the_adapter(self) -> None:
        self.refuse(adapted("def add(a, b:\n"), "compile_error", "submission.py, line 1")
        verdict = self.refuse(adapted("def add(a, b):\n    return a / None\n"), "crash", "TypeError")
        self.assertIn('File "submission.py", line 2', verdict["detail"])
        self.assertNotIn("adapter.py", verdict["detail"])

    def test_a_submission_that_rewrites_the_adapter_file_changes_nothing(self) -> None:
        source = "open('adapter.py', 'w').write('custom_kernel = print')\ndef add(a, b):\n    return a + b\n"
        self.assertEqual("passed", self.judge(adapted(source))[-1]["verdict"])

    def test_without_an_adapter_there_is_no_module_of_that_name(self) -> None:
        self.refuse(job("import adapter"), "crash", "No module named 'adapter'")

    def test_the_reference_does_not_use_the_adapter(self) -> None:
        reference = "import importlib.util\nassert importlib.util.find_spec('adapter') is None\n" + ADDITION
        message = job("def add(a, b):\n    return a + b\n", "benchmark", reference, {"adapter.py": ADAPTER})
        self.assertEqual("passed", self.judge(message)[-1]["verdict"])


class Oracles(JudgeTest):
    def cases(self, message: dict) -> list[Event]:
        """Returns the cases of a job that must pass."""
        events = self.judge(message)
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        return [event for event in events if event["type"] == "case_finished"]

    def test_an_output_that_is_nearer_to_float64_than_the_reference_passes_with_its_mismatch(self) -> None:
        (case,) = self.cases(variance("x.var(1, unbiased=False)"))
        self.assertEqual("passed", case["status"])
        self.assertEqual(16, case["mismatch"]["total"])
        self.assertTrue(case["mismatch"]["first"])
        self.assertIn("as near to float64 as the reference", case["message"])

    def test_in_timed_stages_the_mismatch_contains_no_values(self) -> None:
        (case,) = self.cases(variance("x.var(1, unbiased=False)", "benchmark"))
        self.assertGreater(case["mismatch"]["differing"], 0)
        self.assertEqual([], case["mismatch"]["first"])
        self.assertNotIn("expected", case["message"])
        self.assertTrue(case["rounds"])

    def test_an_output_within_the_tolerance_has_no_mismatch(self) -> None:
        (case,) = self.cases(variance("(x * x).mean(1) - x.mean(1) ** 2"))
        self.assertEqual((None, None), (case["mismatch"], case["message"]))

    def test_zeros_a_lower_precision_and_nan_do_not_pass_by_the_oracle(self) -> None:
        for body in ("torch.zeros(16)", "x.bfloat16().float().var(1)", "x.var(1) * float('nan')", "x.var(1) * 100"):
            with self.subTest(body):
                self.refuse(variance(body), "wrong_result", "elements differ")

    def test_one_wrong_element_fails_among_others_that_are_right(self) -> None:
        self.refuse(
            variance("torch.cat([x.var(1, unbiased=False)[:15], torch.zeros(1)])"), "wrong_result", "elements differ"
        )

    def test_in_a_duel_the_mismatch_is_that_of_a(self) -> None:
        exact = "def custom_kernel(data):\n    x = data[0]\n    return (x * x).mean(1) - x.mean(1) ** 2\n"
        limits = {"prepare": 20, "test": 20, "benchmark": 30, "ranked": 10, "profile": 30}
        for a, b, differs in ((FINE, exact, True), (exact, FINE, False)):
            message = {**job(a, "duel", VARIANCE, timeoutsS=limits, **CASES), "rival": {"source": b, "language": "py"}}
            for case in self.cases(message):
                with self.subTest(stage=case["stage"], differs=differs):
                    self.assertEqual("passed", case["status"])
                    self.assertEqual(differs, case["mismatch"] is not None)
                    self.assertIn("A: " if differs else "B: ", case["message"])


if __name__ == "__main__":
    unittest.main()
