"""The largest errors of a correct output, in the judge."""

from __future__ import annotations

import math

import torch

from .. import messages
from .in_place import float32_errors, is_in_place, same_bits

#: Number of elements whose errors are computed at once.
ELEMENTS = 1 << 22


def largest_errors(got: list[torch.Tensor], expected: list[torch.Tensor]) -> messages.OutputErrors | None:
    """Returns the largest absolute and relative errors of outputs that are correct; None where they are not finite. The
    relative error of an element is |got - expected| / (|expected| + 1e-8), as in FlashInfer Trace."""
    absolute = relative = 0.0
    for one, other in zip(got, expected):
        if same_bits(one, other):
            continue
        parts = [tensor.reshape(-1).split(ELEMENTS) for tensor in (one, other)]
        for part, right in (map(comparable, pair) for pair in zip(*parts)):
            largest = float32_errors if part.dtype == torch.float32 and is_in_place(part, right) else errors_of
            for_part = largest(part, right)
            # Not after the maxima, which leave NaN out.
            if not math.isfinite(sum(for_part)):
                return None
            absolute, relative = max(absolute, for_part[0]), max(relative, for_part[1])
    return {"absolute": absolute, "relative": relative}


def errors_of(got: torch.Tensor, expected: torch.Tensor) -> tuple[float, float]:
    """Returns the largest absolute and relative errors of a tensor."""
    same = (got == expected) | (got.isnan() & expected.isnan())
    errors = torch.where(same, torch.zeros((), device=got.device), (got - expected).abs())
    if errors.numel() == 0:
        return 0.0, 0.0
    return float(errors.max()), float((errors / (expected.abs() + 1e-8)).masked_fill(same, 0).max())


def comparable(tensor: torch.Tensor) -> torch.Tensor:
    """Returns the elements as numbers with which PyTorch can calculate; those of four bits as bytes of two."""
    if "float4" in str(tensor.dtype):
        tensor = tensor.view(torch.uint8)
    wide = torch.float64 if tensor.element_size() > 4 else torch.float32
    return tensor if tensor.is_complex() else tensor.to(wide)
