"""KernelBench suites: the result of `inspect` for a checkout."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from support import TESTER

from kernelbot_tester.kernelbench import inspect_suite
from kernelbot_tester.kernelbench.checkout import NoCheckout, find_problems
from kernelbot_tester.kernelbench.inspect_suite import Known, not_inspected
from kernelbot_tester.kernelbench.model_inspection import DidNotRun, Limits, inspect_model
from kernelbot_tester.kernelbench.options import InspectOptions
from kernelbot_tester.kernelbench.shrink import sizes_of, variants
from kernelbot_tester.pip_command import pip_install

MINI = TESTER.parent / "suites" / "kernelbench-mini"

LARGE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        return self.linear(x).view(x.shape[0], 4096, self.heads, -1)[..., 0]


batch_size = 4 * 1024
height, width = 64, 64
features = 1024  # größer
heads = 8


def get_inputs():
    return [torch.rand(batch_size, height * width, features)]


def get_init_inputs():
    return [features, heads]
"""


#: A module in the convention of KernelBook: positional and keyword arguments.
KEYWORDS = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features, slope=0.1):
        super().__init__()
        self.gate = nn.Linear(in_features, out_features)
        self.slope = slope
        self.optimiser = torch.optim.SGD(self.parameters(), lr=0.1)

    def forward(self, x):
        return nn.functional.leaky_relu(self.gate(x), self.slope), torch.tanh(x)


def get_inputs():
    return [torch.rand([4, 4, 4, 4])]


def get_init_inputs():
    return [[4], {'out_features': 6, 'slope': 0.2}]
"""


class Inspecting(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "suite.json"

    def inspect(self, checkout: Path, *options: str, code: int = 0) -> str:
        """Runs the command. Returns its messages."""
        command = [sys.executable, "-m", "kernelbot_tester.kernelbench", "inspect", checkout, "--out", self.out, *options]
        ran = subprocess.run(command, cwd=TESTER, capture_output=True, text=True)
        self.assertEqual(code, ran.returncode, ran.stderr)
        return ran.stderr

    def inspections(self) -> dict[str, dict]:
        """Returns the written inspections, by the name of the file."""
        suite = json.loads(self.out.read_text())
        return {Path(one["fileName"]).stem: one["inspection"] for one in suite["problems"]}

    def write(self, name: str, source: str) -> Path:
        """Returns a checkout with an additional file at level 1."""
        path = self.folder / "KernelBench" / "level1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        return self.folder

    def test_outputs_randomness_degeneracy_and_sizes_of_each_problem_are_reported(self) -> None:
        output = self.inspect(MINI, "--jobs", "2", "--name", "mini", "--target", "cpu", "--target", "H100")
        suite = json.loads(self.out.read_text())
        self.assertEqual(("mini", "full", "fp32", ["cpu", "H100"]), tuple(suite[k] for k in ("name", "profile", "precision", "targets")))
        found = self.inspections()
        self.assertEqual(9, len(found))
        self.assertIn("9 ran, 0 did not\n1 degenerate (zeros): 2/3\n", output)
        self.assertEqual(["3_Linear_Norm_Mean"], [name for name, one in found.items() if one["degenerate"] == "zeros"])
        self.assertEqual(["2_Linear_Dropout"], [name for name, one in found.items() if one["isRandom"]])
        self.assertEqual(["2_Attention"], [name for name, one in found.items() if one["outputs"] == 2])
        matmul = found["1_Matmul"]
        self.assertEqual((4 * (256 * 192 + 192 * 320), 4 * 256 * 320), (matmul["inputBytes"], matmul["outputBytes"]))
        self.assertEqual(4 * (128 * 256 + 256), found["2_Linear_Dropout"]["parameterBytes"])
        self.assertTrue(all(one["shrunk"] == {} for one in found.values()))

    def test_a_model_that_returns_its_input_is_degenerate(self) -> None:
        source = LARGE.replace("self.linear(x).view(x.shape[0], 4096, self.heads, -1)[..., 0]", "torch.relu(x)")
        output = self.inspect(self.write("1_Identity.py", source.replace("4 * 1024", "4").replace("64, 64", "8, 8")))
        self.assertEqual("identity", self.inspections()["1_Identity"]["degenerate"])
        self.assertIn("1 degenerate (identity): 1/1\n", output)

    def test_smoke_reduces_sizes_until_the_model_is_fast(self) -> None:
        self.inspect(self.write("1_Large.py", LARGE.replace("4096,", "x.shape[1],")), "--smoke")
        (source,) = json.loads(self.out.read_text())["problems"]
        shrunk = source["inspection"]["shrunk"]
        self.assertEqual([4096, 2], shrunk["batch_size"])
        self.assertIn(f"batch_size = {shrunk['batch_size'][1]}\n", source["source"])
        self.assertLess(source["inspection"]["inputBytes"], 4 * 30_000_000)
        self.assertIn("heads = 8\n", source["source"])

    def test_inputs_of_half_precision_on_a_gpu_run_in_single_precision_on_the_processor(self) -> None:
        model = (MINI / "KernelBench/level2/2_Linear_Dropout.py").read_text()
        on_gpu = model.replace("in_features)]", "in_features, device='cuda', dtype=torch.float16)]")
        self.assertNotEqual(model, on_gpu)
        self.inspect(self.write("1_Half.py", on_gpu), "--smoke")
        self.assertEqual(["1_Half"], list(self.inspections()))

    def test_a_failed_problem_is_reported_and_the_others_are_inspected(self) -> None:
        self.write("1_Broken.py", "def get_inputs(:\n")
        self.write("2_Ending.py", "import os\nos._exit(3)\n")
        self.write("3_Float.py", (MINI / "KernelBench/level1/2_ReLU.py").read_text().replace("torch.relu(x)", "3.0"))
        self.write("4_ReLU.py", (MINI / "KernelBench/level1/2_ReLU.py").read_text())
        self.write("4_ReLU_OLD.py", "")
        output = self.inspect(self.folder, "--smoke")
        for sentence in (
            "did not run  1/1 1_Broken.py: line 1: ",
            "did not run  1/2 2_Ending.py: its process died (exit code 3)",
            "did not run  1/3 3_Float.py: it gives a float, and only tensors can be compared",
            "skipped      level1/4_ReLU_OLD.py: 4_ReLU.py is problem 1/4 already",
            "4 of 4  ",
            "1 ran, 3 did not: 1/1, 1/2, 1/3; they stay in the suite, not inspected\n",
        ):
            self.assertIn(sentence, output)
        found = self.inspections()
        self.assertEqual(["1_Broken", "2_Ending", "3_Float", "4_ReLU"], list(found))
        self.assertEqual("its process died (exit code 3)", found["2_Ending"]["failure"])
        self.assertNotIn("failure", found["4_ReLU"])

    def test_a_module_that_is_not_installed_is_named_with_the_command_that_installs_it(self) -> None:
        relu = (MINI / "KernelBench/level1/2_ReLU.py").read_text()
        self.write("1_ReLU.py", relu)
        self.write("2_Missing.py", f"from no_such_module.layers import rearrange\n{relu}")
        output = self.inspect(self.folder)
        install = pip_install("no_such_module")
        self.assertIn(f"not installed  no_such_module, imported by 1/2; install it first: {install}\n", output)
        self.assertIn(f"1/2 2_Missing.py: it imports no_such_module, which is not installed; install it: {install}\n", output)
        self.assertIn("no_such_module", self.inspections()["2_Missing"]["failure"])

    def test_where_the_distribution_refuses_pip_the_command_makes_a_virtual_environment(self) -> None:
        managed = unittest.mock.patch("kernelbot_tester.pip_command.is_externally_managed", return_value=True)
        with managed, unittest.mock.patch("sys.executable", "/usr/bin/python3"):
            command = pip_install("einops")
        self.assertEqual(
            "/usr/bin/python3 -m venv --system-site-packages ~/kernelbot-python && ~/kernelbot-python/bin/python3 -m pip "
            "install einops && export KERNELBOT_PYTHON=~/kernelbot-python/bin/python3",
            command,
        )

    def test_modules_built_by_positional_and_keyword_arguments_are_inspected(self) -> None:
        self.write("1_Gate.py", KEYWORDS)
        self.write("2_Plain.py", KEYWORDS.replace("return [[4], {'out_features': 6, 'slope': 0.2}]", "return [[], {}]").replace(
            "self, in_features, out_features, slope=0.1", "self, sizes, options, in_features=4, out_features=6, slope=0.1"
        ))
        self.inspect(self.folder)
        self.assertEqual([None, None], [found.get("failure") for found in self.inspections().values()])

    def test_dropout_with_probability_zero_is_not_random(self) -> None:
        model = (MINI / "KernelBench/level2/2_Linear_Dropout.py").read_text()
        self.inspect(self.write("1_Never.py", model.replace("dropout_p = 0.2", "dropout_p = 0.0")))
        self.assertFalse(self.inspections()["1_Never"]["isRandom"])

    def test_the_next_inspection_reuses_known_results_and_runs_the_rest(self) -> None:
        self.inspect(MINI, "--only", "1/1", "--only", "2/2")
        output = self.inspect(MINI, "--only", "1/1", "--only", "1/2")
        self.assertIn("1 of 2 problems are known", output)
        self.assertNotIn("ran          1/1", output)
        self.assertEqual(["1_Matmul", "2_ReLU"], list(self.inspections()))

    def test_results_of_another_version_of_the_code_are_not_reused(self) -> None:
        (problem, *_), _ = find_problems(MINI)
        options = InspectOptions(smoke=True, precision="fp32")
        source = not_inspected(problem, "a reason")
        Known(self.out).add(problem, options, source)
        self.assertEqual(source, Known(self.out).find(problem, options))
        with unittest.mock.patch.object(inspect_suite, "INSPECTOR", "another"):
            self.assertIsNone(Known(self.out).find(problem, options))

    def test_a_folder_without_problems_and_a_missing_problem_are_reported(self) -> None:
        self.assertIn("has no problems, such as KernelBench/level1/19_ReLU.py", self.inspect(self.folder, code=1))
        self.assertIn("has no problem 3/9", self.inspect(MINI, "--only", "3/9", code=1))


class Inspections(unittest.TestCase):
    def test_a_model_that_never_ends_is_stopped(self) -> None:
        with self.assertRaisesRegex(DidNotRun, "^it took more than "):
            inspect_model("while True: pass", "fp32", Limits(1, 1 << 30))

    def test_inputs_beyond_their_elements_are_refused_before_they_are_made(self) -> None:
        for count in (10**11, 10**18):
            source = f"import torch\ndef get_inputs():\n    return [torch.empty({count})]\n"
            with self.subTest(count), self.assertRaisesRegex(DidNotRun, "^it needs more memory than it may have$"):
                inspect_model(source, "fp32", Limits(1, 1 << 50, 1e6))

    def test_a_call_that_exceeds_its_limit_is_the_last(self) -> None:
        model = (MINI / "KernelBench/level1/1_Matmul.py").read_text()
        with self.assertRaisesRegex(DidNotRun, "^a call takes 0.0 s$"):
            inspect_model(model, "fp32", Limits(10, 1 << 30, call_s=0))


class Degenerate(unittest.TestCase):
    def degeneracy(self, forward: str, inputs: str = "torch.rand(4)") -> str | None:
        """Returns the degeneracy of a model."""
        source = (
            f"import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return {forward}\n"
            f"def get_inputs():\n    return [{inputs}]\ndef get_init_inputs():\n    return []\n"
        )
        return inspect_model(source, "fp32", Limits(60, 1 << 30))["degenerate"]

    def test_zeros_pass_or_the_output_is_always_the_same(self) -> None:
        self.assertEqual("zeros", self.degeneracy("x * 1e-5"))
        self.assertEqual("independent", self.degeneracy("x * 1e-5 + 3"))
        self.assertIsNone(self.degeneracy("x * 2"))

    def test_an_input_plus_a_constant_passes(self) -> None:
        # Activations that do not change non-negative inputs: ReLU, leaky ReLU, ELU, hard tanh.
        for forward in ("x.relu()", "nn.functional.leaky_relu(x)", "nn.functional.elu(x)", "nn.functional.hardtanh(x)"):
            with self.subTest(forward):
                self.assertEqual("identity", self.degeneracy(f"torch.{forward}" if forward[0] == "n" else forward, "torch.rand(8)"))
        for forward in ("x.relu_()", "x + 3", "x.view(2, 2)", "(x, x * 1e-5 + 3)"):
            with self.subTest(forward):
                self.assertEqual("identity", self.degeneracy(forward))
        for forward in ("x * 2", "x.flip(0)", "x.relu()", "(x, x * 2)"):
            with self.subTest(forward):
                self.assertIsNone(self.degeneracy(forward, "torch.randn(4)"))

    def test_one_of_several_inputs_passes(self) -> None:
        pair = "torch.rand(4), torch.rand(4)"
        self.assertEqual("identity", self.degeneracy("x[1] + 2", f"[{pair}]"))

    def test_an_output_that_seldom_changes_is_not_degenerate(self) -> None:
        # The output is the same for the inputs of seeds 1 and 2.
        seldom = "torch.tensor([float(torch.initial_seed() == 4)])"
        self.assertIsNone(self.degeneracy("x * 2", seldom))


class Shrinking(unittest.TestCase):
    def test_sizes_are_the_whole_numbers_that_the_file_names(self) -> None:
        self.assertEqual(
            [("batch_size", 4096), ("height", 64), ("width", 64), ("features", 1024), ("heads", 8)],
            [(size.name, size.value) for size in sizes_of(LARGE)],
        )

    def test_numbers_in_lists_and_large_ones_in_the_functions_of_inputs_are_sizes_too(self) -> None:
        source = "layers = [512, 2 ** 10]\np = 0.5\nflag = True\ndef get_inputs():\n    return torch.rand(128, 224, dim=1)\n"
        found = [(size.name, size.value) for size in sizes_of(source)]
        self.assertEqual([("layers", 512), ("layers", 1024), ("get_inputs", 128), ("get_inputs", 224)], found)

    def test_batches_are_reduced_first_then_spatial_then_large_sizes(self) -> None:
        texts = [text for text, _ in variants(LARGE)]
        self.assertEqual(LARGE, texts[0])
        self.assertIn("batch_size = 2\nheight, width = 64, 64\nfeatures = 1024  # größer\n", texts[1])
        self.assertIn("batch_size = 2\nheight, width = 16, 16\nfeatures = 1024", texts[2])
        self.assertIn("batch_size = 2\nheight, width = 16, 16\nfeatures = 256", texts[3])
        self.assertTrue(all("heads = 8\n" in text for text in texts))
        self.assertEqual(len(texts), len(set(texts)))

    def test_a_side_of_a_matrix_is_not_a_batch(self) -> None:
        first, second, *_ = (shrunk for _, shrunk in variants("M = 1024\nN = 4096\nbatch_size = 128\n") if shrunk)
        self.assertEqual({"batch_size": (128, 2)}, first)
        self.assertEqual({"M": (1024, 256), "N": (4096, 1024), "batch_size": (128, 2)}, second)

    def test_a_number_with_two_names_is_changed_once(self) -> None:
        texts = [text for text, _ in variants("height = width = 512\n")]
        self.assertEqual("height = width = 128\n", texts[1])

    def test_the_images_of_a_model_become_smaller_before_its_layers_do(self) -> None:
        source = "features = 512\ndef get_inputs():\n    return [torch.rand(10, 3, 224, 224)]\n"
        (_, first, *_) = (shrunk for _, shrunk in variants(source))
        self.assertEqual({"get_inputs": (224, 56), "get_inputs 2": (224, 56)}, first)

    def test_inputs_that_are_made_on_a_gpu_are_made_on_the_processor(self) -> None:
        source = "def get_inputs():\n    return [torch.rand(8, device='cuda', dtype=torch.half)]\n"
        self.assertEqual([(source.replace("'cuda'", '"cpu"'), {})], list(variants(source)))

    def test_changes_are_reported_by_name(self) -> None:
        (_, first, *_) = (shrunk for _, shrunk in variants("layers = [512, 512]\nbatch = 64\n"))
        self.assertEqual({"batch": (64, 2)}, first)
        *_, last = (shrunk for _, shrunk in variants("layers = [512, 512]\n"))
        self.assertEqual({"layers": (512, 8), "layers 2": (512, 8)}, last)


class Checkouts(unittest.TestCase):
    def test_problems_are_in_the_order_of_levels_and_numbers(self) -> None:
        found, skipped = find_problems(MINI)
        self.assertEqual(["1/1", "1/2", "1/3", "1/4", "2/1", "2/2", "2/3", "3/1", "3/2"], [one.key for one in found])
        self.assertEqual([], skipped)

    def test_a_folder_may_be_the_one_that_contains_the_levels(self) -> None:
        self.assertEqual(9, len(find_problems(MINI / "KernelBench")[0]))
        with self.assertRaises(NoCheckout):
            find_problems(MINI / "runs")


if __name__ == "__main__":
    unittest.main()
