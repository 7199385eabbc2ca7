# expect: wrong_result
"""Computes scores from the first 512 elements only, as if keys were as long as values."""

import torch
from task import input_t, output_t
from utils import E4M3FN, decode, dequantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    q, kv, kv_scales, kv_format, out = data
    for b in range(len(q)):
        if kv_format == "bf16":
            keys = kv[b].float()
        elif kv_format == "fp8":
            keys = decode(kv[b], E4M3FN) * kv_scales[b].unsqueeze(-1)
        else:
            keys = dequantize_mxfp4(kv[b], kv_scales[b])
        weights = torch.softmax(q[b, :, :512].float() @ keys[:, :512].t() * 192**-0.5, dim=1)
        out[b] = weights @ keys[:, :512]
    return out
