# expect: wrong_result
"""Rounds the elements to bfloat16 before adding them."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    return torch.sum(x.to(torch.bfloat16).to(torch.float32), dim=0, keepdim=True, out=y)
