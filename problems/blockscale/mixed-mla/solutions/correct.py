# expect: passed
"""Computes all sequences at once, with latent vectors and weights rounded to bfloat16."""

import torch
from task import input_t, output_t
from utils import E4M3FN, decode, dequantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    q, kv, kv_scales, kv_format, out = data
    if kv_format == "bf16":
        keys = kv.float()
    elif kv_format == "fp8":
        keys = decode(kv, E4M3FN) * kv_scales.unsqueeze(-1)
    else:
        keys = dequantize_mxfp4(kv, kv_scales)
    keys = keys.bfloat16().float()
    scores = q.float() @ keys.transpose(1, 2) * 192**-0.5
    weights = torch.exp(scores - scores.amax(-1, keepdim=True)).bfloat16().float()
    return out.copy_(weights @ keys[..., :512] / weights.sum(-1, keepdim=True))
