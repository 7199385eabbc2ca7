"""Judges outputs outside of the tolerance by their error, and the reference's own error, relative to a float64 result.

A reference rounds too: with many terms, or in a lower precision that its library chose, its error may exceed the
tolerance, and then an output with a smaller error differs from it.
"""

from __future__ import annotations

import torch

#: How many times the reference's error an output's error may be. Another order of the same roundings changes an error
#: by a small factor; one bit less of precision doubles it, and half precision has 13 bits less than float32.
#: FlashAttention's tests (tests/test_flash_attn.py of Dao-AILab/flash-attention) allow their kernels twice the error
#: of PyTorch's own implementation against a higher precision.
FACTOR = 2.0


def as_near(got: torch.Tensor, expected: torch.Tensor, oracle: torch.Tensor, rtol: float, atol: float) -> bool:
    """Whether an output's error is at most FACTOR times the error of the expected output, in its maximum and in its
    root mean square. Errors are relative to the tolerance, so that small elements count as much as large ones.

    An element that is not finite, in any of the three, must be within the tolerance. Outputs that are not
    floating-point never pass."""
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
    """Returns the root mean square."""
    return errors.square().mean().sqrt()
