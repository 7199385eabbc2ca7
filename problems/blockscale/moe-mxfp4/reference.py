"""Feed-forward layer of a mixture of experts, with weights in MXFP4."""

import math
import os

import torch
import torch.backends.cuda
import torch.nn.functional as F

from operands import MXFP4_RMS, random_mxfp4
from task import input_t, output_t
from utils import dequantize_mxfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False


def generate_input(
    dhidden: int, dexpert: int, nroutedexperts: int, nexpertspertoken: int, nsharedexperts: int, bs: int, seed: int
) -> input_t:
    """Returns tokens, their experts and the weights of these, matrices that keep products of order 1, and the
    buffer."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    x = torch.randn(bs, dhidden, generator=generator, device=DEVICE).to(torch.bfloat16)
    chances = torch.rand(bs, nroutedexperts, generator=generator, device=DEVICE)
    experts = chances.topk(nexpertspertoken, dim=1, sorted=False).indices.to(torch.int32)
    weights = torch.randn(bs, nexpertspertoken, generator=generator, device=DEVICE).sigmoid_()
    weights = weights * (2.5 / weights.sum(1, keepdim=True))
    count = nroutedexperts + nsharedexperts
    gate_up = random_mxfp4(generator, count, 2 * dexpert, dhidden, exponent=_exponent(dhidden))
    down = random_mxfp4(generator, count, dhidden, dexpert, exponent=_exponent(dexpert))
    return x, experts, weights, *gate_up, *down, nsharedexperts, torch.empty_like(x)


def _exponent(k: int) -> int:
    """Of the scales of a matrix that keeps the order of the vectors of k elements that it multiplies."""
    return -round(math.log2(MXFP4_RMS * k**0.5))


def ref_kernel(data: input_t) -> output_t:
    """Expert by expert in float32, rounded to bfloat16."""
    return _layer(data, torch.float32).to(torch.bfloat16)


def oracle(data: input_t) -> output_t:
    """Returns the layer in float64."""
    return _layer(data, torch.float64)


def _layer(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, _ = data
    x, weights = x.to(dtype), weights.to(dtype)
    # Every token is routed to the shared experts.
    shared = torch.arange(len(down) - nsharedexperts, len(down), device=x.device).expand(len(x), -1)
    experts = torch.cat((experts, shared), dim=1)
    weights = torch.cat((weights, torch.ones_like(shared, dtype=dtype)), dim=1)
    y = torch.zeros_like(x)
    for e in range(len(down)):
        tokens, slots = torch.nonzero(experts == e, as_tuple=True)
        if len(tokens) == 0:
            continue
        gate, up = (x[tokens] @ dequantize_mxfp4(gate_up[e], gate_up_scales[e], dtype).t()).chunk(2, dim=1)
        out = (F.silu(gate) * up) @ dequantize_mxfp4(down[e], down_scales[e], dtype).t()
        y.index_add_(0, tokens, out * weights[tokens, slots].unsqueeze(-1))
    return y


def cost(
    dhidden: int, dexpert: int, nroutedexperts: int, nexpertspertoken: int, nsharedexperts: int, bs: int, seed: int = 0
) -> dict:
    """Each element of x, experts and weights is read, and each of y written once. Of the matrices, those of the shared
    experts are read, and those of as many others as a token has, since all tokens may have the same. Each token meets
    each element of its experts' matrices, which takes an addition at least, where a table has the products."""
    met = nexpertspertoken + nsharedexperts
    matrices = 3 * dhidden * dexpert
    tokens = bs * (2 * 2 * dhidden + 2 * 4 * nexpertspertoken)
    return {"bytes": tokens + met * (matrices // 2 + matrices // 32), "operations": bs * met * matrices}
