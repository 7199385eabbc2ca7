"""Judges like a judge without a warm interpreter: one process per stage, each of which imports PyTorch.

    python3 fresh_process.py prepare|test|reward PROBLEM_DIR SUBMISSION

Stage `reward` also times submission and reference, each `CALLS` times per benchmark case, on new inputs and with every
output checked.
"""

import importlib.util
import sys
import time

import torch

CALLS = 100

stage, problem, submission = sys.argv[1:]
sys.path.insert(0, problem)


def load(name: str, path: str):
    """Returns the module in the file at `path`."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def timed(function, data):
    """Returns the result of a call, and its duration in seconds."""
    started = time.perf_counter()
    result = function(data)
    return result, time.perf_counter() - started


kernel = load("submission", submission).custom_kernel
if stage != "prepare":
    reference = load("reference", problem + "/reference.py")
    for size, seed in [(1, 4242), (31, 5236), (127, 1001), (1000, 9173), (4096, 2718), (4096, 3141), (4097, 8086), (65537, 6174)]:
        expected = reference.ref_kernel(reference.generate_input(size=size, seed=seed))
        assert torch.equal(kernel(reference.generate_input(size=size, seed=seed)), expected)
if stage == "reward":
    for size, seed in [(65536, 54352), (262144, 93246), (1048576, 6256)]:
        totals = [0.0, 0.0]
        for call in range(CALLS):
            data = reference.generate_input(size=size, seed=seed + call)
            expected, reference_s = timed(reference.ref_kernel, data)
            output, kernel_s = timed(kernel, data)
            assert torch.equal(output, expected)
            totals = [totals[0] + reference_s, totals[1] + kernel_s]
        print(f"size={size}: speedup {totals[0] / totals[1]:.2f}")
