"""The second step of the gated delta rule in chunks: the state before each chunk, and the update of each token."""

import os
from typing import Tuple

import torch
import torch.backends.cuda

from chunks import CHUNK, accumulate, advance, draw, invert, transform
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, seed: int) -> input_t:
    """Returns the outputs of the previous steps for normally distributed tokens, in float32, and the buffers for h, x
    and last."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    _, k, v, beta, gate, state = draw(batch, seqlen, heads, dim_k, dim_v, generator)
    g = accumulate(gate)
    w, u = transform(k, v, beta, invert(k, beta, g), g)
    k, w, u, g, initial = (x.float().clone(memory_format=torch.contiguous_format) for x in (k, w, u, g, state))
    h = torch.empty(batch, -(-seqlen // CHUNK), heads, dim_k, dim_v, device=DEVICE)
    return k, w, u, g, initial, h, torch.empty_like(u), torch.empty_like(initial)


def ref_kernel(data: input_t) -> output_t:
    """`(h, x, last)` in float32."""
    return advance(*data[:5])


def oracle(data: input_t) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`(h, x, last)` in float64."""
    k, w, u, g, initial = (x.double() for x in data[:5])
    return advance(k, w, u, g, initial)


def cost(batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, seed: int = 0) -> dict:
    """float32 elements: k, w, u, g and the first state are read, h, x and the last state are written, each once. Each
    written one but the first of h is the result of one operation at least; the number of further operations of a fast
    matrix product is unknown."""
    tokens, state = batch * seqlen * heads, batch * heads * dim_k * dim_v
    chunks = -(-seqlen // CHUNK)
    elements = tokens * (2 * dim_k + 2 * dim_v + 1) + state * (chunks + 2)
    return {"bytes": 4 * elements, "operations": tokens * dim_v + state * chunks}
