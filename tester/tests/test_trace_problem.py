"""The reference that every imported FlashInfer Trace definition has: its inputs and its tolerances."""

from __future__ import annotations

import json
import math
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

import support  # noqa: F401  makes the tester importable
import torch

from kernelbot_tester.problem.modules import import_reference

REFERENCE = Path(__file__).resolve().parents[1] / "trace_problem" / "reference.py"
TENSORS = {
    "x": "float32",
    "norm_weight": "float16",
    "rstd": "float32",
    "causal_mask": "float32",
    "weight": "float32",
    "small": "int8",
    "number": "int64",
    "flag": "bool",
}

reference: ModuleType


def setUpModule() -> None:
    """Imports the reference with two workloads of one definition."""
    inputs = {name: {"shape": ["n", "n"], "dtype": dtype} for name, dtype in TENSORS.items()}
    definition = {"inputs": inputs, "outputs": {"y": {"shape": ["n", "n"], "dtype": "float32"}}}
    workload = {"uuid": "w", "inputs": {"x": {}}}
    tolerance = {"max_atol": 0.1, "max_rtol": 0, "required_matched_ratio": 0.9, "max_error_cap": 2, "allow_negative_inf": True}
    cases = {
        "bare": {"line": 0, "form": "bare", "axes": {"n": 64}, "tensors": {}},
        "trace": {"line": 1, "form": "trace", "axes": {"n": 64}, "tensors": {}},
        "own": {"line": 2, "form": "bare", "axes": {"n": 64}, "tensors": {}},
        "strict": {"line": 3, "form": "trace", "axes": {"n": 64}, "tensors": {}},
    }
    lines = [workload, {"workload": workload}, {**workload, "tolerance": tolerance}]
    lines += [{"workload": {**workload, "tolerance": {"max_atol": 0, "max_rtol": 0, "required_matched_ratio": 1}}}]
    files = {
        "reference.py": REFERENCE.read_text(),
        "definition.py": "def run(*inputs): return inputs[0]",
        "task.py": f"INPUTS = {tuple(TENSORS)!r}\nOUTPUTS = ('y',)\nDTYPES = {({**TENSORS, 'y': 'float32'})!r}",
        "definition.json": json.dumps(definition),
        "workloads.jsonl": "\n".join(json.dumps(line) for line in lines),
        "cases.json": json.dumps(cases),
    }
    global reference
    reference = import_reference(files)


def fault(got: torch.Tensor, expected: torch.Tensor, workload: str) -> str | None:
    """Returns why an output is incorrect by the tolerance of a workload."""
    return reference.difference(got, expected, reference.tolerance_of(workload))


def inputs(workload: str, seed: int = 1) -> dict[str, Any]:
    """Returns the inputs by name."""
    return dict(zip(TENSORS, reference.generate_input(workload, seed)))


class InputsTest(unittest.TestCase):
    def test_inputs_have_the_declared_dtypes_and_differ_between_seeds(self) -> None:
        one, other, again = inputs("bare"), inputs("bare", 2**63 - 1), inputs("bare")
        for name, dtype in TENSORS.items():
            self.assertEqual(one[name].dtype, getattr(torch, dtype))
            self.assertTrue(torch.equal(one[name], again[name]))
            self.assertEqual(torch.equal(one[name], other[name]), name == "causal_mask", name)

    def test_names_tell_the_distribution_in_bare_workloads_only(self) -> None:
        bare, trace = inputs("bare"), inputs("trace")
        self.assertGreater(float(bare["rstd"].min()), 0.0999)
        self.assertLess(float(trace["rstd"].min()), 0)
        self.assertAlmostEqual(float(bare["norm_weight"].float().mean()), 1, delta=0.02)
        self.assertAlmostEqual(float(bare["weight"].std()), 1 / 8, delta=0.01)
        self.assertEqual(bare["causal_mask"][1, 0], 0)
        self.assertEqual(bare["causal_mask"][0, 1], torch.finfo(torch.float32).min)
        self.assertLess(int(bare["small"].min()), -100)
        self.assertGreater(int(bare["number"].max()), 900)

    def test_numbers_of_four_bits_are_packed_in_pairs(self) -> None:
        values = torch.tensor([[0.0, -6.9, 0.3, 2.6], [1.0, 1.6, -0.1, 4.9]])
        self.assertEqual(reference.packed(values).tolist(), [[0xF0, 0x51], [0x32, 0x68]])


class ToleranceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.expected = torch.randn(100, 100, generator=torch.Generator().manual_seed(1))

    def test_either_bound_suffices_for_traces_and_the_sum_counts_for_bare_workloads(self) -> None:
        expected = self.expected.sign() * (self.expected.abs() + 1)
        near = expected * 1.012
        self.assertIsNone(fault(near, expected, "bare"))
        self.assertRegex(fault(near, expected, "trace") or "", "within the tolerance; the largest error is")
        self.assertIsNone(fault(expected * 1.0099, expected, "trace"))
        self.assertRegex(fault(expected * 1.0099, expected, "strict") or "", "0 % of the elements are within the tolerance")
        self.assertIsNone(fault(expected, expected, "strict"))

    def test_the_share_of_correct_elements_counts_but_no_part_may_be_left_out(self) -> None:
        got = self.expected.clone()
        got.view(-1)[:90] += 0.2
        self.assertIsNone(fault(got, self.expected, "bare"))
        self.assertIsNotNone(fault(got, self.expected, "trace"))
        got = self.expected.clone()
        got.view(-1)[:99] = 0
        self.assertRegex(fault(got, self.expected, "bare") or "", "root mean square of its errors")

    def test_small_outputs_are_not_within_an_absolute_tolerance(self) -> None:
        small = 1e-3 * self.expected
        self.assertIsNotNone(fault(torch.full_like(small, 1e-4), small, "trace"))
        self.assertEqual(fault(torch.zeros_like(small), small, "trace"), "all elements are 0")
        self.assertIsNone(fault(torch.zeros_like(small), torch.zeros_like(small), "trace"))

    def test_no_error_may_exceed_the_cap(self) -> None:
        got = self.expected.clone()
        got[0, 0] += 3
        self.assertRegex(fault(got, self.expected, "own") or "", "more than 2$")

    def test_infinity_is_correct_only_where_the_tolerance_allows_it(self) -> None:
        expected = self.expected.clone()
        expected[0, 0] = -math.inf
        self.assertIsNone(fault(expected, expected, "own"))
        self.assertEqual(fault(self.expected, expected, "own"), "the reference has NaN or infinity, which the tolerance does not allow")
        self.assertEqual(fault(expected, expected, "bare"), "it has NaN or infinity")

    def test_integers_and_booleans_must_be_equal(self) -> None:
        expected = torch.arange(1000)
        self.assertIsNotNone(fault(torch.where(expected > 900, expected + 1, expected), expected, "bare"))
        self.assertIsNone(fault(torch.where(expected > 995, expected + 1, expected), expected, "bare"))
        flags = torch.ones(8, dtype=torch.bool)
        other = torch.full((8,), 2, dtype=torch.uint8).view(torch.bool)
        self.assertIsNotNone(fault(other, flags, "bare"))


if __name__ == "__main__":
    unittest.main()
