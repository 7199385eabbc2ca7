"""Outputs outside of the tolerance, judged by how far they and the reference's own lie from the same in float64.

A reference rounds too: with many terms, or in a lower precision that its library chose, it may be farther from the truth
than the tolerance allows, and then an output that is nearer to the truth differs from it.
"""

from __future__ import annotations

import torch

#: How many times as far from the oracle as the reference's output an output may be. Another order of the same roundings
#: moves an error by a small factor; one bit less of precision doubles it, and half precision has 13 bits less than
#: float32. FlashAttention's tests (tests/test_flash_attn.py of Dao-AILab/flash-attention) hold their kernels to twice the
#: error of PyTorch's own against a higher precision.
FACTOR = 2.0


def as_near(got: torch.Tensor, expected: torch.Tensor, oracle: torch.Tensor, rtol: float, atol: float) -> bool:
    """Whether an output is as near to the oracle as the expected one, but for FACTOR: in its largest error, and in the
    root of the mean square of all. Errors are counted in tolerances, so that small elements have their say beside large ones.

    An element that is not finite, in any of the three, has to be right by the tolerance alone. Only floating-point outputs
    can be near."""
    if not got.is_floating_point():
        return False
    one, other, truth = (tensor.to(torch.float64) for tensor in (got, expected, oracle))
    finite = one.isfinite() & other.isfinite() & truth.isfinite()
    if not torch.isclose(one, other, rtol=rtol, atol=atol, equal_nan=True)[~finite].all():
        return False
    tolerated = atol + rtol * truth[finite].abs()
    if not finite.any() or not (tolerated > 0).all():
        return False
    errors, allowed = ((tensor[finite] - truth[finite]).abs() / tolerated for tensor in (one, other))
    return bool(errors.max() <= FACTOR * allowed.max()) and bool(rms(errors) <= FACTOR * rms(allowed))


def rms(errors: torch.Tensor) -> torch.Tensor:
    """The root of the mean of the squares."""
    return errors.square().mean().sqrt()
