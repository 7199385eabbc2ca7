# expect: wrong_result
"""Rounds the weights to E4M3 before the second product."""

import torch
from task import input_t, output_t
from utils import E4M3FN, decode, dequantize_mxfp4, encode


def custom_kernel(data: input_t) -> output_t:
    q, kv, kv_scales, kv_format, out = data
    for b in range(len(q)):
        if kv_format == "bf16":
            keys = kv[b].float()
        elif kv_format == "fp8":
            keys = decode(kv[b], E4M3FN) * kv_scales[b].unsqueeze(-1)
        else:
            keys = dequantize_mxfp4(kv[b], kv_scales[b])
        weights = torch.softmax(q[b].float() @ keys.t() * 192**-0.5, dim=1)
        out[b] = decode(encode(weights * 256, E4M3FN), E4M3FN) @ keys[:, :512] / 256
    return out
