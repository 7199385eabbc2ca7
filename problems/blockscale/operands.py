"""Random operands in formats with block scales, for the references of this set. Submissions cannot import it."""

from typing import Tuple

import torch

NVFP4_RMS = (8.5625 * 1.34277) ** 0.5
"""Root mean square of the numbers of `random_nvfp4`: that of its elements times that of its scales."""

MXFP4_RMS = (8.5625 * 0.33203) ** 0.5
"""The same for `random_mxfp4` with the exponent 0."""


def random_nvfp4(generator: torch.Generator, *shape: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns packed codes (..., k / 2) and scales (..., k / 16), uint8, of the shape (..., k). All codes of E2M1 are
    equally likely, and so are the 16 scales of E4M3FN from 0.5 to 1.875."""
    return _codes(generator, shape), _scales(generator, shape, 16, 0x30, 0x40)


def random_mxfp4(generator: torch.Generator, *shape: int, exponent: int = 0) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns packed codes (..., k / 2) and scales (..., k / 32), uint8, of the shape (..., k). All codes of E2M1 are
    equally likely, and so are the scales 1/8, 1/4, 1/2 and 1 times two to the power of `exponent`."""
    return _codes(generator, shape), _scales(generator, shape, 32, 124 + exponent, 128 + exponent)


def _codes(generator: torch.Generator, shape: Tuple[int, ...]) -> torch.Tensor:
    packed = (*shape[:-1], shape[-1] // 2)
    return torch.randint(0, 256, packed, generator=generator, dtype=torch.uint8, device=generator.device)


def _scales(generator: torch.Generator, shape: Tuple[int, ...], block: int, low: int, end: int) -> torch.Tensor:
    blocks = (*shape[:-1], shape[-1] // block)
    return torch.randint(low, end, blocks, generator=generator, dtype=torch.uint8, device=generator.device)
