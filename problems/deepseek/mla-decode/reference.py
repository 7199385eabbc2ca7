"""One decode step of Multi-head Latent Attention, as DeepSeek-V2 defines it (arXiv:2405.04434, equations 37 to 47)."""

import math
import os
from typing import Tuple

import torch

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

#: Dtype of the operands of products. CPUs are slow at bfloat16, or do not support it.
COMPUTE = torch.float32 if DEVICE == "cpu" else torch.bfloat16

#: The base of the rotary frequencies.
BASE = 10000.0


def generate_input(
    batchsize: int, dim: int, dq: int, dkv: int, heads: int, dhead: int, drope: int, prefill: int, seed: int
) -> input_t:
    """Returns normally distributed tensors, the weights so scaled that every component of a query, key and value, each
    score, and the result are of order 1; and the buffers for the new cache entry and the result."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)

    def normal(*shape: int, std: float = 1.0) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=DEVICE).mul_(std).to(torch.bfloat16)

    return (
        normal(batchsize, dim),
        normal(dq, dim, std=dim**-0.5),
        normal(heads, dhead, dq, std=dq**-0.5),
        normal(heads, drope, dq, std=dq**-0.5),
        normal(dkv, dim, std=dim**-0.5),
        normal(drope, dim, std=dim**-0.5),
        normal(heads, dhead, dkv, std=dkv**-0.5),
        normal(heads, dhead, dkv, std=dkv**-0.5),
        # The mean over many positions is small.
        normal(dim, heads * dhead, std=math.sqrt((prefill + 1) / (heads * dhead)) / 2),
        normal(batchsize, prefill, dkv + drope),
        torch.empty(batchsize, dkv + drope, dtype=torch.bfloat16, device=DEVICE),
        torch.empty(batchsize, dim, dtype=torch.bfloat16, device=DEVICE),
    )


def rotated(x: torch.Tensor, position: int) -> torch.Tensor:
    """Returns the rotary embedding of x (..., drope), of any type: adjacent elements (2 i, 2 i + 1) are rotated by
    position * BASE^(-2 i / drope). The angles are float64, since a large one leaves float32 few digits."""
    width = x.shape[-1]
    steps = torch.arange(0, width, 2, dtype=torch.float64, device=x.device)
    angles = position * BASE ** (-steps / width)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def decode(data: input_t, dtype: torch.dtype, soft: torch.dtype) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns the cache entry (batchsize, dkv + drope) and the result (batchsize, dim), by products of `dtype`,
    rotations and softmax of `soft`. The keys and values of the cache are never computed: w_uk is moved to the queries,
    w_uv behind the mean (section 2.1.2 of the paper)."""
    x, w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o, cache = (one.to(dtype) for one in data[:10])
    heads, dhead, dkv = w_uk.shape
    drope, prefill = w_kr.shape[0], cache.shape[1]

    latent = x @ w_dkv.t()
    rope_key = rotated((x @ w_kr.t()).to(soft), prefill).to(dtype)
    entry = torch.cat((latent, rope_key), dim=-1)
    keys = torch.cat((cache, entry.unsqueeze(1)), dim=1)  # (batchsize, prefill + 1, dkv + drope)

    query = x @ w_dq.t()
    content = (query @ w_uq.flatten(0, 1).t()).unflatten(-1, (heads, dhead))
    rope = (query @ w_qr.flatten(0, 1).t()).unflatten(-1, (heads, drope))
    rope = rotated(rope.to(soft), prefill).to(dtype)
    content = torch.einsum("bhd,hdc->bhc", content, w_uk)
    queries = torch.cat((content, rope), dim=-1)  # (batchsize, heads, dkv + drope)

    scores = (queries @ keys.transpose(1, 2)).to(soft) * (dhead + drope) ** -0.5
    attention = scores.softmax(dim=-1).to(dtype)
    mean = attention @ keys[..., :dkv]  # (batchsize, heads, dkv)
    values = torch.einsum("bhc,hdc->bhd", mean, w_uv)
    return entry, values.flatten(1) @ w_o.t()


def ref_kernel(data: input_t) -> output_t:
    """Returns the cache entry of the new token, and the output of the attention layer."""
    entry, y = decode(data, COMPUTE, torch.float32)
    return entry.to(torch.bfloat16), y.to(torch.bfloat16)


def oracle(data: input_t) -> output_t:
    """Returns the same in float64."""
    return decode(data, torch.float64, torch.float64)


def cost(
    batchsize: int, dim: int, dq: int, dkv: int, heads: int, dhead: int, drope: int, prefill: int, seed: int = 0
) -> dict:
    """Each bfloat16 weight and each element of the cache and of x is read once, each of the results is written once.
    Each weight is used in at least one multiplication, and each score in one exponential. The products need far more
    operations, but their number depends on how they are arranged."""
    weights = dim * (dq + dkv + drope) + heads * (dq * (dhead + drope) + 2 * dkv * dhead + dim * dhead)
    tokens = batchsize * (2 * dim + (prefill + 1) * (dkv + drope))
    return {"bytes": 2 * (weights + tokens), "operations": weights + batchsize * heads * (prefill + 1)}
