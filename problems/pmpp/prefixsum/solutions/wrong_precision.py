# expect: wrong_result
"""Rounds the elements to float16, to halve the bytes read; sums are in float32."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    return torch.cumsum(x.to(torch.float16).to(torch.float32), dim=0, out=y)
