"""Runs starter kernels in Triton on the processor: starters.py FOLDER, where FOLDER contains a package `triton`.

Standard input: a JSON list of `{"problem": core's Problem, "source", "cases"}`, smallest case first. Standard output:
for each a list of what is wrong, empty where all results are correct.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
os.environ["TRITON_INTERPRET"] = "1"

import torch

from kernelbot_tester import messages
from kernelbot_tester.device.host import HostDevice
from kernelbot_tester.problem.modules import visible_files
from kernelbot_tester.problem.problem import Problem
from kernelbot_tester.sandbox.child import in_child
from kernelbot_tester.worker.layout import describe
from kernelbot_tester.worker.loading import load_function
from kernelbot_tester.worker.main import deliver

LIMIT_S = 120.0
#: After a case that takes longer (in seconds), larger cases are skipped.
CASE_S = 0.05


def faults(problem: messages.Problem, source: str, cases: list[dict[str, Any]]) -> list[str]:
    """Returns sentences on incorrect results of a starter."""
    opened = Problem(problem, [HostDevice()])
    with tempfile.TemporaryDirectory() as folder:
        files = {**visible_files(problem["files"]), "submission.py": source}
        kernel = load_function(folder, files, "submission", "custom_kernel")
        found = []
        for case in cases:
            started = time.monotonic()
            data = opened.inputs(case)
            buffers = [tensor for _, tensor in describe(data)[1]][-opened.outputs :]
            for buffer in buffers:
                buffer.fill_(float("nan") if buffer.is_floating_point() else 1)
            deliver(kernel(data), buffers, "custom_kernel")
            difference = opened.check(case, opened.inputs(case), buffers, None)
            if difference is not None and not difference.is_accepted:
                found.append(f"{json.dumps(case)}: {difference.message}")
            if time.monotonic() - started > CASE_S:
                break
        return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    seen = [in_child(lambda one=one: faults(**one), LIMIT_S) for one in json.load(sys.stdin)]
    print(json.dumps([["it did not run; the traceback is above"] if one is None else one for one in seen]))
