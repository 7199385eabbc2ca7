# expect: passed
"""Decodes both codes of a byte with one table lookup, and applies the scale of a token to its score and weight."""

import torch
from task import input_t, output_t
from utils import E2M1, E4M3FN, decode, unpack

BYTES = torch.arange(256, dtype=torch.uint8)
NUMBERS = decode(BYTES, E4M3FN)
PAIRS = decode(unpack(BYTES.view(256, 1)), E2M1)


def custom_kernel(data: input_t) -> output_t:
    q, kv, kv_scales, kv_format, out = data
    q = q.float().mul_(192**-0.5)
    for b in range(len(q)):
        if kv_format == "bf16":
            keys = kv[b].float()
        elif kv_format == "fp8":
            keys = NUMBERS.index_select(0, kv[b].view(-1).int()).view(-1, 576)
        else:
            keys = PAIRS.index_select(0, kv[b].view(-1).int()).view(-1, 32)
            keys *= (kv_scales[b].view(-1, 1).int() << 23).view(torch.float32)
            keys = keys.view(-1, 576)
        weights = torch.mm(q[b], keys.t())
        if kv_format == "fp8":
            weights = torch.softmax(weights.mul_(kv_scales[b]), dim=1).mul_(kv_scales[b])
        else:
            weights = torch.softmax(weights, dim=1)
        out[b] = torch.mm(weights, keys[:, :512])
    return out
