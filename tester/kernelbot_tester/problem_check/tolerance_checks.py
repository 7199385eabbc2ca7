"""Checks of the tolerance: it must reject the next lower precision, and accept results that are more accurate than the
reference's."""

from __future__ import annotations

from typing import Any, Iterator

import torch

from ..messages import ProblemFinding
from ..worker.layout import clone
from .checked_problem import Subject, line, places
from .finding import error, note, warning

#: For each floating-point type the bits of the next lower significand: float32 has 24, TF32 and float16 have 11,
#: bfloat16 8, e4m3 4.
LOWER_BITS = {torch.float64: 24, torch.float32: 11, torch.float16: 8, torch.bfloat16: 4}
LARGEST = 24
LOWER_NAMES = {24: "float32", 11: "TF32 or float16", 8: "bfloat16", 4: "8 bits (e4m3)"}


def check_precision(subject: Subject) -> Iterator[ProblemFinding]:
    """Yields the findings about both limits of the tolerance."""
    yield from too_wide(subject)
    yield from too_narrow(subject)


def too_wide(subject: Subject) -> Iterator[ProblemFinding]:
    """Checks that some test fails with inputs, or results, rounded to the next lower precision."""
    accepted: dict[str, bool] = {}
    for case in subject.quick_tests():
        if accepted and not any(accepted.values()):
            break
        data = subject.input(case)
        answer = subject.answer(data)
        # A float32 factor of a float16 result need not be more precise than the result.
        most = min((bits for tensor in answer if (bits := lower(tensor)) is not None), default=LARGEST)
        if any(lower(part.tensor) is not None for part in subject.parts(data)[0]):
            try:
                passes = subject.refusal(case, data, subject.answer(rounded_input(subject, data, most))) is None
            except Exception:
                continue
            accepted["inputs"] = accepted.get("inputs", True) and passes
        if any(lower(tensor) is not None for tensor in answer):
            passes = subject.refusal(case, data, [rounded(tensor) for tensor in answer]) is None
            accepted["results"] = accepted.get("results", True) and passes
    allowed = subject.problem.spec.get("lowerPrecision") or {}
    for what, passes in accepted.items():
        if passes and what not in allowed:
            yield error(
                "tolerance.wide",
                "task.yml: tolerance",
                f"{what} rounded to the next lower precision ({lower_name(subject, what)}) pass every test",
                "Set the tolerance between the error of a correct kernel and that of the lower precision; or explain under "
                f"lower_precision: {what} why it is allowed",
            )
    for what in allowed:
        if accepted.get(what) is False:
            yield warning(
                "tolerance.wide",
                f"task.yml: lower_precision: {what}",
                f"{what} of the next lower precision are allowed, and do not pass every test",
                "Remove it, or widen the tolerance",
            )


def lower(tensor: torch.Tensor) -> int | None:
    """Returns the bits of the next lower significand; None for other types than floating-point."""
    return LOWER_BITS.get(tensor.dtype)


def lower_name(subject: Subject, what: str) -> str:
    """Returns the names of the next lower types of inputs or results."""
    inputs, buffers = subject.parts(subject.input(subject.tests[0]))
    results = {bits for part in buffers if (bits := lower(part.tensor)) is not None}
    lowest = {min(bits, *results, LARGEST) for part in inputs if (bits := lower(part.tensor)) is not None}
    return ", ".join(LOWER_NAMES[bits] for bits in sorted(lowest if what == "inputs" else results))


def rounded(tensor: torch.Tensor, most: int = LARGEST) -> torch.Tensor:
    """Returns the elements rounded to the next lower significand, of at most `most` bits, in their own dtype; tensors
    of other types unchanged."""
    bits = lower(tensor)
    if bits is None:
        return tensor
    bits = min(bits, most)
    mantissa, exponent = torch.frexp(tensor.to(torch.float64))
    unit = torch.pow(2.0, (exponent - bits).to(torch.float64))
    return (torch.round(mantissa * 2.0**bits) * unit).to(tensor.dtype)


def rounded_input(subject: Subject, data: Any, most: int) -> Any:
    """Returns a copy of an input with its floating-point tensors rounded."""
    copy = clone(data)
    for part in subject.parts(copy)[0]:
        part.tensor.copy_(rounded(part.tensor, most))
    return copy


def too_narrow(subject: Subject) -> Iterator[ProblemFinding]:
    """Checks that an output that is more accurate than the reference's passes."""
    why: str | None = None
    for case in subject.quick_tests():
        data = subject.input(case)
        answer = subject.answer(data)
        if not any(tensor.is_floating_point() for tensor in answer):
            continue
        if subject.ranked is not None and not hasattr(subject.module, "oracle"):
            why = "is not called on inputs in float64, since it has several ranks"
            break
        try:
            accurate = more_accurate(subject, data, answer)
        except Exception as reason:
            why = f"does not run on inputs in float64 ({type(reason).__name__})"
            continue
        if accurate is None:
            why = "rounds its result in any precision"
            continue
        why = None
        if not all(tensor.isfinite().all() for tensor in accurate):
            continue
        refusal = subject.refusal(case, data, accurate)
        if refusal is not None:
            yield warning(
                "tolerance.narrow",
                f"test case ({line(case)})",
                f"the float64 result, correctly rounded, is rejected: {refusal}",
                "Widen the tolerance, or make the reference more accurate; with an oracle, more accurate kernels pass",
            )
            return
    if why is not None and not subject.is_exact:
        yield note(
            "tolerance.narrow",
            "reference.py",
            f"whether a more accurate output passes was not checked: no oracle, and the reference {why}",
            "Write an oracle(data) that returns the output in float64",
        )


def more_accurate(subject: Subject, data: Any, answer: list[torch.Tensor]) -> list[torch.Tensor] | None:
    """Returns the oracle's output, else the reference's on inputs in float64, rounded to the dtypes of the outputs;
    None where the reference rounds its result."""
    if hasattr(subject.module, "oracle"):
        oracles = subject.problem.oracles(clone(data), answer, None)
        if oracles is not None:
            return [truth.to(tensor.dtype) for truth, tensor in zip(oracles, answer)]
    wide = widened(data)
    result = subject.module.ref_kernel(wide)
    buffers = [tensor for _, tensor in places(wide, "data")][-subject.outputs :]
    results = buffers if result is None else list(result) if isinstance(result, (tuple, list)) else [result]
    if not any(tensor.dtype in (torch.float64, torch.complex128) for tensor in results):
        return None
    return [truth.to(tensor.dtype) for truth, tensor in zip(results, answer)]


def widened(value: Any) -> Any:
    """Returns a copy of an input with its floating-point tensors in float64."""
    if isinstance(value, torch.Tensor):
        return value.to(torch.float64) if value.is_floating_point() else value.clone()
    if isinstance(value, dict):
        return {key: widened(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        inner = [widened(part) for part in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return value
