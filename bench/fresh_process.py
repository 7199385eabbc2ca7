"""Judges like a judge without a warm interpreter: one process per stage, each of which imports PyTorch.

    python3 fresh_process.py prepare|test PROBLEM_DIR SUBMISSION
"""

import importlib.util
import sys

import torch

stage, problem, submission = sys.argv[1:]
sys.path.insert(0, problem)


def load(name: str, path: str):
    """Returns the module in the file at `path`."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kernel = load("submission", submission).custom_kernel
if stage == "test":
    reference = load("reference", problem + "/reference.py")
    for size, seed in [(1, 4242), (31, 5236), (127, 1001), (1000, 9173), (4096, 2718), (4096, 3141), (4097, 8086), (65537, 6174)]:
        expected = reference.ref_kernel(reference.generate_input(size=size, seed=seed))
        assert torch.equal(kernel(reference.generate_input(size=size, seed=seed)), expected)
