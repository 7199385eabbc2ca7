# expect: wrong_result
"""Applies the scale of the first token to the whole sequence."""

import torch
from task import input_t, output_t
from utils import E4M3FN, decode, dequantize_mxfp4


def custom_kernel(data: input_t) -> output_t:
    q, kv, kv_scales, kv_format, out = data
    for b in range(len(q)):
        if kv_format == "bf16":
            keys = kv[b].float()
        elif kv_format == "fp8":
            keys = decode(kv[b], E4M3FN) * kv_scales[b, 0]
        else:
            keys = dequantize_mxfp4(kv[b], kv_scales[b])
        weights = torch.softmax(q[b].float() @ keys.t() * 192**-0.5, dim=1)
        out[b] = weights @ keys[:, :512]
    return out
