"""Triangular multiplicative update with outgoing edges: algorithm 11 of the supplement to Jumper et al., "Highly
accurate protein structure prediction with AlphaFold", Nature 596 (2021), with a mask and with linear maps that have no
bias."""

import math
import os
from typing import Dict, Optional

import torch
import torch.backends.cuda
import torch.nn.functional as F

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

LARGEST = 100.0


def generate_input(
    seqlen: int, bs: int, dim: int, hiddendim: int, nomask: bool, distribution: str, seed: int
) -> input_t:
    """Returns pairs of the distribution, a mask with 25 % zeros, weights that keep the scale, and the output buffer."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=DEVICE)

    z = normal(bs, seqlen, seqlen, dim)
    if distribution == "cauchy":
        z = (z / normal(bs, seqlen, seqlen, dim)).clamp_(-LARGEST, LARGEST)
    mask = None if nomask else (normal(bs, seqlen, seqlen) < 0.6745).float()
    weights = {
        "norm_scale": 1 + normal(dim) / 4,
        "norm_bias": normal(dim) / 4,
        "a": normal(hiddendim, dim) / math.sqrt(dim),
        "a_gate": normal(hiddendim, dim) / math.sqrt(dim),
        "b": normal(hiddendim, dim) / math.sqrt(dim),
        "b_gate": normal(hiddendim, dim) / math.sqrt(dim),
        "sum_scale": 1 + normal(hiddendim) / 4,
        "sum_bias": normal(hiddendim) / 4,
        "out": normal(dim, hiddendim) / math.sqrt(hiddendim),
        "out_gate": normal(dim, dim) / math.sqrt(dim),
    }
    return z, mask, weights, torch.empty_like(z)


def ref_kernel(data: input_t) -> output_t:
    """Returns the update, float32 of the shape of z."""
    z, mask, weights, _ = data
    return update(z, mask, weights)


def oracle(data: input_t) -> torch.Tensor:
    """Returns the update in float64."""
    z, mask, weights, _ = data
    mask = None if mask is None else mask.double()
    return update(z.double(), mask, {name: weight.double() for name, weight in weights.items()})


def update(z: torch.Tensor, mask: Optional[torch.Tensor], weights: Dict[str, torch.Tensor]) -> torch.Tensor:
    """Returns the update in the dtype of z (bs, seqlen, seqlen, dim)."""
    x = F.layer_norm(z, z.shape[-1:], weights["norm_scale"], weights["norm_bias"])
    a = F.linear(x, weights["a"]) * F.linear(x, weights["a_gate"]).sigmoid()
    b = F.linear(x, weights["b"]) * F.linear(x, weights["b_gate"]).sigmoid()
    if mask is not None:
        a, b = a * mask[..., None], b * mask[..., None]
    sums = torch.einsum("bikc,bjkc->bijc", a, b)
    sums = F.layer_norm(sums, sums.shape[-1:], weights["sum_scale"], weights["sum_bias"])
    return F.linear(x, weights["out_gate"]).sigmoid() * F.linear(sums, weights["out"])


def cost(
    seqlen: int, bs: int, dim: int, hiddendim: int, nomask: bool, distribution: str, seed: int = 0
) -> dict:
    """float32 elements: z, the mask and the weights are read and the update is written, each once. Each of the update
    is the result of one operation at least; the sums may skip what is masked, and the number of operations of a fast
    matrix product is unknown."""
    pairs = bs * seqlen * seqlen
    weights = 5 * dim * hiddendim + dim * dim + 2 * dim + 2 * hiddendim
    return {"bytes": 4 * (2 * pairs * dim + (0 if nomask else pairs) + weights), "operations": pairs * dim}
