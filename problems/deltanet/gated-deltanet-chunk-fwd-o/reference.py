"""The last step of the gated delta rule in chunks: the output of each token."""

import os

import torch
import torch.backends.cuda

from chunks import CHUNK, accumulate, advance, draw, invert, read, transform
from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, seed: int) -> input_t:
    """Returns the outputs of the previous steps for normally distributed tokens, in float32, and the buffer for o."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    q, k, v, beta, gate, state = draw(batch, seqlen, heads, dim_k, dim_v, generator)
    g = accumulate(gate)
    h, x, _ = advance(k, *transform(k, v, beta, invert(k, beta, g), g), g, state)
    q, k, x, h, g = (part.float().clone(memory_format=torch.contiguous_format) for part in (q, k, x, h, g))
    return q, k, x, h, g, torch.empty_like(x)


def ref_kernel(data: input_t) -> output_t:
    """o (batch, seqlen, heads, dim_v) in float32."""
    return read(*data[:5])


def oracle(data: input_t) -> torch.Tensor:
    """o in float64."""
    q, k, x, h, g = (part.double() for part in data[:5])
    return read(q, k, x, h, g)


def cost(batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, seed: int = 0) -> dict:
    """float32 elements: q, k, x, h and g are read and o is written, each once. Each of o is the result of one operation
    at least; the number of further operations of a fast matrix product is unknown."""
    tokens, states = batch * seqlen * heads, batch * -(-seqlen // CHUNK) * heads
    elements = tokens * (2 * dim_k + 2 * dim_v + 1) + states * dim_k * dim_v
    return {"bytes": 4 * elements, "operations": tokens * dim_v}
