"""Descriptions of a problem's inputs, from which definitions are derived."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import unittest
from typing import Any

from support import TESTER, job

REFERENCE = """
import torch

def generate_input(size, seed):
    generator = torch.Generator().manual_seed(seed)
    print("printed")
    normal = torch.randn(size, generator=generator)
    return normal, normal.sort()[0], torch.rand(size, generator=generator), torch.arange(2), 1.0, seed, None, torch.empty(size)

def ref_kernel(data):
    return data[0]
"""


def described(reference: str, cases: list[dict[str, int]]) -> Any:
    """Returns the answer for a problem."""
    request = json.dumps({"problem": job("", reference=reference)["problem"], "cases": cases})
    command = [sys.executable, "-B", "-m", "kernelbot_tester.input_values"]
    done = subprocess.run(command, input=f"{request}\n".encode(), cwd=TESTER, stdout=subprocess.PIPE, timeout=120)
    return json.loads(done.stdout)


class InputValuesTest(unittest.TestCase):
    def test_tensors_and_numbers_are_described_and_only_independent_normal_numbers_are_random(self) -> None:
        ((normal, ordered, uniform, indices, number, seed, missing, _),) = described(REFERENCE, [{"size": 8192, "seed": 7}])["cases"]
        self.assertEqual({"dtype": "float32", "shape": [8192], "isNormal": True, "base64": None}, normal)
        self.assertEqual([False, False], [ordered["isNormal"], uniform["isNormal"]])
        self.assertEqual(4 * 8192, len(base64.b64decode(ordered["base64"])))
        content = base64.b64encode(bytes([0] * 8 + [1] + [0] * 7)).decode()
        self.assertEqual({"dtype": "int64", "shape": [2], "isNormal": False, "base64": content}, indices)
        self.assertEqual({"scalar": "float", "text": "1.0"}, number)
        self.assertEqual({"scalar": "int", "text": None}, seed)
        self.assertEqual({"other": "None"}, missing)

    def test_a_small_tensor_is_stored_and_a_failure_is_reported(self) -> None:
        small = described(REFERENCE, [{"size": 16, "seed": 7}])["cases"][0][0]
        self.assertIsNotNone(small["base64"])
        self.assertIn("generate_input raised", described(REFERENCE, [{"width": 1, "seed": 1}])["failed"])


if __name__ == "__main__":
    unittest.main()
