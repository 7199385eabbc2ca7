"""Multi-head latent attention of one token per sequence, from a cache in bfloat16, E4M3 or MXFP4."""

import math
import os
from typing import Optional, Tuple

import torch
import torch.backends.cuda

from operands import MXFP4_RMS, random_mxfp4
from task import input_t, output_t
from utils import E4M3FN, decode, dequantize_mxfp4

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

torch.backends.cuda.matmul.allow_tf32 = False

HEADS, DIM, VALUE_DIM = 16, 576, 512
SCALE = 192**-0.5

FP8_RMS = 0.845
"""Root mean square of the numbers of E4M3 from 1/8 to 1.875."""


def generate_input(batchsize: int, kvseqlen: int, kv_format: str, seed: int) -> input_t:
    """Returns queries and a cache that give scores of deviation 1 and an output of order 1, and the buffer for it. The
    weighted mean of n vectors, with weights of exp of such scores, is smaller than they are by the root of n / e."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    kv, kv_scales, rms = _cache(generator, batchsize, kvseqlen, kv_format, max(1.0, kvseqlen / math.e) ** 0.5)
    q = torch.randn(batchsize, HEADS, DIM, generator=generator, device=DEVICE).mul_(1 / (rms * DIM**0.5 * SCALE))
    out = torch.empty(batchsize, HEADS, VALUE_DIM, dtype=torch.bfloat16, device=DEVICE)
    return q.to(torch.bfloat16), kv, kv_scales, kv_format, out


def _cache(
    generator: torch.Generator, batchsize: int, kvseqlen: int, kv_format: str, rms: float
) -> Tuple[torch.Tensor, Optional[torch.Tensor], float]:
    """Returns random latent vectors in a format, and the root mean square of their elements, which is close to
    `rms`."""
    shape = (batchsize, kvseqlen, DIM)
    if kv_format == "bf16":
        kv = torch.randn(shape, generator=generator, dtype=torch.bfloat16, device=DEVICE)
        return kv.mul_(rms), None, rms
    if kv_format == "fp8":
        # Of 6 bits, five select one of the codes 0x20 to 0x3f, and one is the sign.
        bits = torch.randint(0, 64, shape, generator=generator, dtype=torch.uint8, device=DEVICE)
        kv_scales = torch.rand(batchsize, kvseqlen, generator=generator, device=DEVICE).add_(1.5).div_(2)
        return (bits & 0x1F) + 0x20 + (bits & 0x20) * 4, kv_scales.mul_(rms / FP8_RMS), rms
    if kv_format == "mxfp4":
        exponent = round(math.log2(rms / MXFP4_RMS))
        return *random_mxfp4(generator, *shape, exponent=exponent), MXFP4_RMS * 2.0**exponent
    raise ValueError(f"kv_format is {kv_format!r}, none of bf16, fp8 and mxfp4")


def ref_kernel(data: input_t) -> output_t:
    """Sequence by sequence in float32, rounded to bfloat16."""
    return _attention(data, torch.float32).to(torch.bfloat16)


def oracle(data: input_t) -> output_t:
    """Returns the attention in float64."""
    return _attention(data, torch.float64)


def _attention(data: input_t, dtype: torch.dtype) -> torch.Tensor:
    q, kv, kv_scales, kv_format, _ = data
    out = []
    for b in range(len(q)):
        if kv_scales is None:
            keys = kv[b].to(dtype)
        elif kv_format == "fp8":
            keys = decode(kv[b], E4M3FN, dtype) * kv_scales[b].unsqueeze(-1)
        else:
            keys = dequantize_mxfp4(kv[b], kv_scales[b], dtype)
        weights = torch.softmax(q[b].to(dtype) @ keys.t() * SCALE, dim=1)
        out.append(weights @ keys[:, :VALUE_DIM])
    return torch.stack(out)


def cost(batchsize: int, kvseqlen: int, kv_format: str, seed: int = 0) -> dict:
    """Each element of q and of the cache is read, and each bfloat16 of out written once. Each head meets each element
    of the cache in a score, and the first 512 of a vector in the output, which takes an addition at least."""
    vector = {"bf16": 2 * DIM, "fp8": DIM + 4, "mxfp4": DIM // 2 + DIM // 32}[kv_format]
    queries = batchsize * HEADS
    return {
        "bytes": batchsize * kvseqlen * vector + 2 * queries * (DIM + VALUE_DIM),
        "operations": queries * kvseqlen * (DIM + VALUE_DIM),
    }
