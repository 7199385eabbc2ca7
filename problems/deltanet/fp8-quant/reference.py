"""Quantisation to 8-bit floating-point numbers with a scale for each group of neighbours."""

import os
from typing import Tuple

import torch

from task import input_t, output_t
from utils import E4M3FN, decode, encode

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

LARGEST = 448.0

# Relative to a quotient. A float32 has a rounding error of 2^-24, and the reciprocal of a scale, a product with it
# and a device's approximate division contribute to the error; that of float16 and TF32 is 2^-11.
TOLERANCE = 2.0**-20


def generate_input(tokens: int, hidden: int, group: int, seed: int) -> input_t:
    """Returns activations whose scale differs from group to group, and the buffers for codes and scales."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    x = torch.randn(tokens, hidden // group, group, generator=generator, device=DEVICE)
    x *= 0.75 + torch.rand(tokens, hidden // group, 1, generator=generator, device=DEVICE) / 2
    codes = torch.empty(tokens, hidden, dtype=torch.uint8, device=DEVICE)
    return x.flatten(1), codes, torch.empty(tokens, hidden // group, device=DEVICE)


def quotients(data: input_t) -> Tuple[torch.Tensor, torch.Tensor]:
    """x / s (tokens, hidden) and s (tokens, hidden / group), in the dtype of x."""
    x, _, s = data
    groups = x.unflatten(1, (s.shape[1], -1))
    scales = groups.abs().amax(-1) / LARGEST
    return (groups / scales[..., None]).flatten(1), scales


def ref_kernel(data: input_t) -> output_t:
    """`(q, s)`: uint8 codes (tokens, hidden), float32 scales (tokens, hidden / group)."""
    ratios, scales = quotients(data)
    return encode(ratios, E4M3FN), scales


def check_implementation(data: input_t, output: output_t) -> Tuple[bool, str]:
    """Checks that each scale is close to the exact one, and each code that of a number close to the exact quotient."""
    x, q, s = data
    ratios, scales = quotients((x.double(), q, s))
    codes, got = output
    wrong = ~((got.double() - scales).abs() <= TOLERANCE * scales)
    if wrong.any():
        return False, f"{int(wrong.sum())} of {wrong.numel()} scales are wrong, the first at {place(wrong)}"
    # Nearest numbers to the ends of the interval; both zeros are equal.
    ends = (decode(encode(ratios * factor, E4M3FN), E4M3FN) for factor in (1 - TOLERANCE, 1 + TOLERANCE))
    numbers = decode(codes, E4M3FN)
    wrong = torch.stack([numbers != end for end in ends]).all(0)
    if wrong.any():
        return False, f"{int(wrong.sum())} of {wrong.numel()} codes are wrong, the first at {place(wrong)}"
    return True, ""


def place(wrong: torch.Tensor) -> list:
    """Returns the index of the first element that is true."""
    return wrong.nonzero()[0].tolist()


def cost(tokens: int, hidden: int, group: int, seed: int = 0) -> dict:
    """Each float32 element of x is read, each byte of q and each float32 scale written once. Each element is compared
    with the largest so far and divided by the scale."""
    elements = tokens * hidden
    return {"bytes": 5 * elements + 4 * elements // group, "operations": 2 * elements}
