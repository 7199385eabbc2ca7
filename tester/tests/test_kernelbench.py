"""Problems of KernelBench: the code between a suite's file, a submission's ModelNew and the judge."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from support import Event, JudgeTest, job

from kernelbot_tester.kernelbench.checkout import origin_of

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "suites" / "kernelbench-mini"
NODE = ROOT / "node_modules" / ".bin" / "node"

#: A model whose error exceeds the tolerance: the mean of the squares minus the square of the mean.
ROUGH = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return (x * x).mean(1) - x.mean(1) ** 2

def get_inputs():
    return [100 + torch.rand(16, 4096)]

def get_init_inputs():
    return []
"""


def problem_of(source: str, precision: str = "fp32", **inspection: Any) -> dict:
    """Returns the problem that core derives from a suite's file."""
    found = {"outputs": 1, "isRandom": False, "degenerate": None, "forwardS": 0.001, "shrunk": {}, **inspection}
    sizes = {"inputBytes": 0, "parameterBytes": 0, "outputBytes": 0}
    one = {"level": 1, "problem": 1, "fileName": "1_One.py", "source": source, "inspection": {**sizes, **found}}
    return problems_of({"problems": [one], "precision": precision})["level_1_problem_1"]


def problems_of(upload: dict) -> dict[str, dict]:
    """Returns the problems that core derives from a suite, by key."""
    whole = {"name": "mini", "profile": "smoke", "origin": "here", "targets": ["cpu"], **upload}
    made = subprocess.run(
        [NODE, ROOT / "scripts" / "suite-problems.ts"], input=json.dumps(whole).encode(), capture_output=True
    )
    assert made.returncode == 0, made.stderr.decode()
    return json.loads(made.stdout)


@functools.cache
def mini(level: int, number: int) -> dict:
    """Returns a problem of the small suite."""
    (path,) = (SUITE / "KernelBench" / f"level{level}").glob(f"{number}_*.py")
    outputs = 2 if path.stem.endswith("Attention") else 1
    return problem_of(path.read_text(), outputs=outputs, isRandom="Dropout" in path.stem)


def kernel(level: int, number: int) -> str:
    """Returns the kernel that is shipped with the small suite for a problem."""
    return (SUITE / f"runs/mini_level{level}/level_{level}_problem_{number}_sample_0_kernel.py").read_text()


def forward(body: str, before: str = "") -> str:
    """Returns a ModelNew without weights, with one input."""
    return (
        f"import torch\nimport torch.nn as nn\n{before}\n"
        f"class ModelNew(nn.Module):\n    def forward(self, x):\n        {body}\n"
    )


class KernelBenchTest(JudgeTest):
    def on(self, problem: dict, source: str, mode: str = "benchmark") -> dict:
        """Returns the job of a kernel for a problem."""
        return {**job(source, mode), "problem": problem}

    def passes(self, problem: dict, source: str, mode: str = "benchmark") -> list[Event]:
        """Returns the cases of a kernel that must pass."""
        events = self.judge(self.on(problem, source, mode))
        self.assertEqual("passed", events[-1]["verdict"], events[-1])
        return [event for event in events if event["type"] == "case_finished"]

    def fails(self, problem: dict, source: str, failure: str, sentence: str, mode: str = "benchmark") -> Event:
        """Checks that a kernel fails in this way."""
        return self.refuse(self.on(problem, source, mode), failure, sentence)


class Origin(unittest.TestCase):
    def test_without_git_it_is_the_name_of_the_folder(self) -> None:
        with mock.patch.dict("os.environ", PATH="/nonexistent"):
            self.assertEqual("kernelbench-mini", origin_of(SUITE))


class CorrectKernels(KernelBenchTest):
    def test_every_correct_kernel_of_the_small_suite_is_timed_next_to_its_model(self) -> None:
        for level, number in ((1, 1), (1, 2), (1, 4), (2, 2), (2, 3), (3, 2)):
            with self.subTest(level=level, number=number):
                (case,) = self.passes(mini(level, number), kernel(level, number))
                self.assertTrue(all(one["candidateNs"] and one["referenceNs"] for one in case["rounds"]))
                self.assertIsNone(case["mismatch"])

    @unittest.skipUnless(hasattr(torch, "compile"), "before PyTorch 2.0 there are no compiled models")
    @unittest.skipUnless(shutil.which("g++"), "PyTorch compiles for the processor by g++")
    def test_the_compiled_model_draws_the_random_numbers_of_the_model(self) -> None:
        self.passes(mini(2, 2), mini(2, 2)["files"]["compiled.py"])

    def test_weights_are_those_of_the_model_in_tests_and_timed_cases(self) -> None:
        model = mini(3, 1)["files"]["model.py"].replace("class Model(", "class ModelNew(")
        cases = self.passes(mini(3, 1), model, "ranked")
        self.assertEqual(["test"] * 5 + ["ranked"], [case["stage"] for case in cases])

    def test_the_first_call_builds_the_model_and_no_other_does(self) -> None:
        count = "print('built')\n        super().__init__()\n        self.norm"
        source = kernel(1, 4).replace("super().__init__()\n        self.norm", count)
        events = self.judge(self.on(mini(1, 4), source))
        (printed,) = [event for event in events if event["type"] == "output"]
        self.assertEqual("built\n", printed["head"])

    def test_weights_and_inputs_are_others_in_each_run(self) -> None:
        look = "print(float(self.linear.weight[0, 0]), float(x[0, 0]))\n        return F.dropout"
        source = kernel(2, 2).replace("return F.dropout", look)
        runs = [self.judge(self.on(mini(2, 2), source)) for _ in range(2)]
        printed = [next(event["head"] for event in events if event["type"] == "output") for events in runs]
        lines = [line.split() for head in printed for line in head.splitlines()[:20]]
        self.assertEqual(2, len({weight for weight, _ in lines}))
        self.assertEqual(len(lines), len({x for _, x in lines}))

    def test_scalars_integers_and_views_are_outputs_as_any_other(self) -> None:
        model = ROUGH.replace("(x * x).mean(1) - x.mean(1) ** 2", "x.mean(), x.argmax(1), x.t()[:100:3], {'sum': x.sum(0)}")
        problem = problem_of(model, outputs=4)
        self.passes(problem, model.replace("class Model(", "class ModelNew("))

    def test_inputs_and_weights_have_the_precision_of_the_suite(self) -> None:
        model = mini(3, 1)["files"]["model.py"]
        see = (
            "class ModelNew(Model):\n    def forward(self, x):\n        assert x.dtype == torch.bfloat16\n"
            "        return super().forward(x)\n"
        )
        self.passes(problem_of(model, "bf16"), f"{model}\n\n{see}", "test")

    def test_init_inputs_may_be_tensors_and_random(self) -> None:
        model = (
            "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n"
            "    def __init__(self, scale, names):\n        super().__init__()\n        self.scale = scale\n"
            "        self.offset = names['offset']\n\n"
            "    def forward(self, x, factor):\n        return x * self.scale * factor + self.offset\n\n"
            "def get_inputs():\n    return [torch.rand(1000), 3]\n\n"
            "def get_init_inputs():\n    return [torch.rand(1000), {'offset': 0.5}]\n"
        )
        self.passes(problem_of(model), model.replace("class Model(", "class ModelNew("))


    def test_models_may_be_built_by_positional_and_keyword_arguments(self) -> None:
        model = (
            "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n"
            "    def __init__(self, width, *, heads=2):\n        super().__init__()\n"
            "        self.heads = nn.ModuleList(nn.Linear(width, width) for _ in range(heads))\n"
            "        self.optimiser = torch.optim.SGD(self.parameters(), lr=0.1)\n\n"
            "    def forward(self, x):\n        return tuple(torch.tanh(head(x)) for head in self.heads)\n\n"
            "def get_inputs():\n    return [torch.rand([8, 16])]\n\n"
            "def get_init_inputs():\n    return [[16], {'heads': 3}]\n"
        )
        self.passes(problem_of(model, outputs=3), model.replace("class Model(", "class ModelNew("))

    def test_a_model_new_that_is_assigned_is_built(self) -> None:
        self.passes(mini(1, 2), forward("return torch.relu(x)").replace("class ModelNew", "class Fast") + "\nModelNew = Fast\n")


class WrongKernels(KernelBenchTest):
    def test_the_failure_of_a_kernel_is_reported_with_its_class(self) -> None:
        relu, softmax = mini(1, 2), mini(1, 3)
        for problem, source, failure, sentence in (
            (softmax, kernel(1, 3), "wrong_result", "elements differ"),
            (relu, forward("return x.relu()[:, :10]"), "wrong_result", "shape [64, 10]"),
            (relu, forward("return x.relu().double()"), "wrong_result", "torch.float64"),
            (relu, forward("return x.relu(), x"), "wrong_result", "returned 2 values"),
            (relu, forward("return 3.0"), "wrong_result", "float"),
            (relu, forward("raise ValueError('no')"), "crash", "ValueError: no"),
            (relu, "import torch\nclass Model: ...\n", "compile_error", "defines no class ModelNew"),
            (mini(2, 1), kernel(2, 1), "compile_error", "submission.py, line 7"),
            (mini(3, 1), kernel(3, 1), "crash", "mat1 and mat2"),
        ):
            with self.subTest(source):
                self.fails(problem, source, failure, sentence)

    def test_a_kernel_that_never_ends_is_out_of_time(self) -> None:
        problem = mini(1, 2)
        spec = {**problem["spec"], "timeoutsS": {**problem["spec"]["timeoutsS"], "benchmark": 2}}
        self.fails({**problem, "spec": spec}, forward("while True: pass"), "timeout", "(limit of the stage benchmark: 2 s)")

    def test_half_precision_is_a_wrong_result_in_float32(self) -> None:
        source = kernel(1, 1).replace("torch.mm(a, b)", "torch.mm(a.half().float(), b.half().float())")
        self.fails(mini(1, 1), source, "wrong_result", "elements differ")

    def test_a_submission_cannot_access_the_model(self) -> None:
        rewriting = (
            "for name in ('model', 'reference', 'settings', '__main__'):\n    try:\n        module = __import__(name)\n"
            "    except ImportError:\n        continue\n    module.Model = None\n"
            "    module.ref_kernel = lambda data: (torch.zeros_like(data['inputs'][0]),)\n"
        )
        self.fails(mini(1, 2), forward("return torch.zeros_like(x)", rewriting), "wrong_result", "elements differ")
        self.fails(mini(1, 2), forward("import model"), "crash", "No module named 'model'")

    def test_random_models_are_compared_call_by_call_on_the_same_seed(self) -> None:
        source = kernel(2, 2).replace("return F.dropout", "x.new_zeros(1).uniform_()\n        return F.dropout")
        self.fails(mini(2, 2), source, "wrong_result", "elements differ")


class Precision(KernelBenchTest):
    def test_a_kernel_nearer_to_float64_than_its_model_passes_with_a_mismatch(self) -> None:
        (case,) = self.passes(problem_of(ROUGH), forward("return x.var(1, unbiased=False)"))
        self.assertEqual("passed", case["status"])
        self.assertGreater(case["mismatch"]["differing"], 0)

    def test_a_kernel_of_lower_precision_does_not_pass(self) -> None:
        self.fails(problem_of(ROUGH), forward("return x.bfloat16().float().var(1)"), "wrong_result", "elements differ")


if __name__ == "__main__":
    unittest.main()
