"""Describes the inputs of a problem's cases: `python3 -m kernelbot_tester.input_values`.

Reads `{"problem", "cases"}` (core's `Problem`) and writes core's `DescribedInputs`, one JSON document each. The problem's code
runs in the sandbox; where that fails, the answer is `{"unavailable": REASON}`.
"""

from __future__ import annotations

import base64
import json
import math
import os
import sys
from typing import Any, TypedDict

import torch

from .device.host import HostDevice
from .messages import Case, Problem as ProblemDocument
from .problem.problem import Problem
from .problem_check.check_problem import in_a_fork
from .sandbox.confine import confine
from .sandbox.native_library import BuildError
from .sandbox.sandbox import SandboxError

MODULE = "kernelbot_tester.input_values"
#: The process is already in the sandbox.
INSIDE = "--inside"

#: Seed of a second input, by which values that depend on the seed are found.
OTHER_SEED = 0x5EED
#: Maximum size in bytes of a tensor whose content is returned.
STORED_BYTES = 16 << 20
#: Minimum number of elements whose distribution can be recognised.
ENOUGH = 4096
#: Shares of standard normal numbers whose magnitude is below the bound.
SHARES = ((0.3186394, 0.25), (0.6744898, 0.5), (1.1503494, 0.75), (1.959964, 0.95), (2.575829, 0.99))

Value = dict[str, Any]


class Description(TypedDict):
    """The values of each case in order."""

    cases: list[list[Value]]


def describe_all(document: ProblemDocument, cases: list[Case]) -> Description:
    """Returns the values of each case, generated from its own seed."""
    problem = Problem(document, [HostDevice()])
    described: list[list[Value]] = []
    for case in cases:
        one, other = (flat(problem.inputs(case, seed)) for seed in (None, OTHER_SEED))
        described.append([describe_value(*pair) for pair in zip(one, other)])
    return {"cases": described}


def flat(data: Any) -> list[Any]:
    """Returns the values of an input."""
    return list(data) if isinstance(data, (tuple, list)) else [data]


def describe_value(value: Any, other: Any) -> Value:
    """Describes a value. `other`: the value with another seed."""
    if isinstance(value, torch.Tensor):
        normal = is_normal(value)
        content = None if normal else base64_of(value)
        dtype = str(value.dtype).removeprefix("torch.")
        return {"dtype": dtype, "shape": list(value.shape), "isNormal": normal, "base64": content}
    if isinstance(value, (bool, int, float)) and math.isfinite(value):
        return {"scalar": type(value).__name__, "text": json.dumps(value) if value == other else None}
    return {"other": "None" if value is None else f"a Python {type(value).__name__}"}


def base64_of(tensor: torch.Tensor) -> str | None:
    """Returns the content of a tensor; None if it is too large."""
    if tensor.numel() * tensor.element_size() > STORED_BYTES:
        return None
    raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8) if tensor.numel() else torch.empty(0, dtype=torch.uint8)
    return base64.b64encode(raw.numpy().tobytes()).decode()


def is_normal(tensor: torch.Tensor) -> bool:
    """Whether the elements look like independent draws from the standard normal distribution."""
    if tensor.dtype not in (torch.float32, torch.float16, torch.bfloat16) or tensor.numel() < ENOUGH:
        return False
    values = tensor.detach().reshape(-1)[: 1 << 20].to(torch.float64)
    doubt = 5 / values.numel() ** 0.5
    if not values.isfinite().all() or abs(float(values.mean())) > doubt:
        return False
    neighbours = float((values[1:] * values[:-1]).mean())
    magnitudes = values.abs()
    shares = [abs(float((magnitudes <= bound).double().mean()) - share) for bound, share in SHARES]
    # Sixteen-bit numbers are rounded, so that some are equal to a bound.
    return abs(neighbours) <= doubt and max(shares) <= doubt + 0.002


def main() -> None:
    """Answers one request."""
    if INSIDE not in sys.argv:
        try:
            confine(MODULE, [INSIDE])
        except (SandboxError, BuildError) as reason:
            print(json.dumps({"unavailable": str(reason)}), flush=True)
            return
    # Output of problems must not be mixed with the answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.readline())
    answer = in_a_fork(lambda: describe_all(request["problem"], request["cases"]))
    out.write(json.dumps(answer) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
