"""The first step of the gated delta rule in chunks: keys and values times the chunk's inverse."""

import os
from typing import Tuple

import torch
import torch.backends.cuda

from chunks import accumulate, draw, invert, transform
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, seed: int) -> input_t:
    """Returns the outputs of the previous steps for normally distributed tokens, in float32, and the buffers for w and
    u."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    _, k, v, beta, gate, _ = draw(batch, seqlen, heads, dim_k, dim_v, generator)
    g = accumulate(gate)
    parts = (k, v, beta, invert(k, beta, g), g)
    k, v, beta, a, g = (x.float().clone(memory_format=torch.contiguous_format) for x in parts)
    return k, v, beta, a, g, torch.empty_like(k), torch.empty_like(v)


def ref_kernel(data: input_t) -> output_t:
    """`(w, u)` in float32, of the shapes of k and v."""
    k, v, beta, a, g, _, _ = data
    return transform(k, v, beta, a, g)


def oracle(data: input_t) -> Tuple[torch.Tensor, torch.Tensor]:
    """`(w, u)` in float64."""
    k, v, beta, a, g = (x.double() for x in data[:5])
    return transform(k, v, beta, a, g)


def cost(batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, seed: int = 0) -> dict:
    """float32 elements: k, v, beta and g are read once, as is what of A is not known to be 0 or 1 (t - s of the 64 in
    the row of token t), and w and u are written. Each of these is the result of one multiplication at least; the number
    of further operations of a fast matrix product is unknown."""
    tokens = batch * seqlen * heads
    below = batch * heads * sum(t % 64 for t in range(seqlen))
    outputs = tokens * (dim_k + dim_v)
    return {"bytes": 4 * (2 * outputs + 2 * tokens + below), "operations": outputs}
