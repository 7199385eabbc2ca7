"""Runs the application of a problem, in the problem process. Its file `application.py` defines

run(**case)     a generator that uses the kernel as a program would: it yields inputs in the form of `generate_input`,
                receives the output of each (a tensor or a tuple of them), and returns its results,
                {"name": number or tensor}; `seed` is one of the parameters

How far the results of a kernel may be from the correct ones follows from two more runs of the case: one with the
reference's outputs, and one with the oracle's, rounded to the types of the outputs.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, Generator

import torch

from ..failures import NotJudged
from ..messages import Case
from ..worker.layout import clone
from .problem import Problem

#: Maximum error of a result, as a multiple of the error with the reference's outputs.
FACTOR = 4.0
MODULE = "application"

Outputs = list[torch.Tensor]
#: Results by name, in float64.
Results = dict[str, torch.Tensor]


class Program:
    """One run of the application for a case and a seed. Raises NotJudged where it fails."""

    def __init__(self, problem: Problem, case: Case, seed: int) -> None:
        self.problem = problem
        self.case = case
        self.seed = seed
        #: Its results, once it has ended.
        self.results: Results = {}
        parameters = {**case, "seed": seed}
        module = problem.guard("application.py", None, lambda: importlib.import_module(MODULE))
        self._program: Generator[Any, Any, Any] = self._guarded(lambda: module.run(**parameters))

    def advance(self, outputs: Outputs | None) -> Any:
        """Continues with the outputs of the last call, None at the start. Returns the next input, or None at the
        end."""
        value = None if outputs is None else outputs[0] if len(outputs) == 1 else tuple(outputs)
        has_ended, result = self._guarded(lambda: self._send(value))
        if not has_ended:
            return result
        self.results = parse_results(result)
        return None

    def _send(self, value: Any) -> tuple[bool, Any]:
        try:
            return False, self._program.send(value)
        except StopIteration as end:
            return True, end.value

    def _guarded(self, action: Callable[[], Any]) -> Any:
        return self.problem.guard("application.py: run", self.seed, action)


def parse_results(value: Any) -> Results:
    """Returns the results as tensors. Raises NotJudged."""
    if not isinstance(value, dict) or not value:
        raise NotJudged("the problem's application returns no results: end it with `return {\"name\": number or tensor}`")
    return {str(name): torch.as_tensor(one).detach().to("cpu", torch.float64) for name, one in value.items()}


def run_with(problem: Problem, case: Case, seed: int, kernel: Callable[[Any], Outputs]) -> Results:
    """Runs the whole application with a function instead of a worker. Returns its results."""
    program = Program(problem, case, seed)
    outputs: Outputs | None = None
    while (data := program.advance(outputs)) is not None:
        outputs = kernel(data)
    return program.results


def reference_outputs(problem: Problem, data: Any, seed: int) -> Outputs:
    """Returns the reference's outputs for an input, which is not changed."""
    return problem.expected(clone(data), seed)


def correct_outputs(problem: Problem, data: Any, seed: int) -> Outputs:
    """Returns the oracle's outputs in the types of the reference's, or the reference's outputs without an oracle."""
    expected = reference_outputs(problem, data, seed)
    oracles = problem.oracles(clone(data), expected, seed) if hasattr(problem.module, "oracle") else None
    return expected if oracles is None else [one.to(other.dtype) for one, other in zip(oracles, expected)]


def fault_of(problem: Problem, case: Case, seed: int, got: Results) -> str | None:
    """Returns which result is too far from the correct one, or None. Raises NotJudged where the application has no
    finite results with the reference."""
    base = run_with(problem, case, seed, lambda data: reference_outputs(problem, data, seed))
    ideal = run_with(problem, case, seed, lambda data: correct_outputs(problem, data, seed))
    if not all(bool(one.isfinite().all()) for one in (*base.values(), *ideal.values())):
        raise NotJudged("the problem's application has results that are not finite with its reference")
    if shapes(base) != shapes(ideal):
        raise NotJudged("the problem's application has results of other shapes with its oracle than with its reference")
    if shapes(got) != shapes(base):
        return "the results have other names or shapes than with the reference"
    tolerance = problem.spec["tolerance"] or {"rtol": 0.0, "atol": 0.0}
    application = problem.spec.get("application")
    rtol = max(tolerance["rtol"], 0.0 if application is None else application.get("rtol", 0.0))
    for name, correct in ideal.items():
        error, allowed = distance(got[name], correct), FACTOR * distance(base[name], correct)
        allowed = max(allowed, tolerance["atol"] + rtol * distance(correct, torch.zeros_like(correct)))
        if not error <= allowed:
            return f"the result {name} is off by {error:.3g}, of which {allowed:.3g} is allowed"
    return None


def fault_of_outputs(problem: Problem, case: Case, seed: int, reason: NotJudged) -> str:
    """Returns the fault of a kernel with whose outputs the application failed. Raises NotJudged where it fails with the
    reference's outputs, too."""
    run_with(problem, case, seed, lambda data: reference_outputs(problem, data, seed))
    return f"{reason} with its outputs, and not with the reference's"


def shapes(results: Results) -> dict[str, torch.Size]:
    """Returns the shape of each result."""
    return {name: one.shape for name, one in results.items()}


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """Returns the largest absolute difference; NaN where one is NaN, 0 for tensors without elements."""
    return float((one - other).abs().max()) if one.numel() else 0.0
