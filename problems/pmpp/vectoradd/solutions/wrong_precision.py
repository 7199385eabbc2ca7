# expect: wrong_result
"""Adds in bfloat16, which keeps 8 of the 11 significant bits of float16."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    c.copy_(a.to(torch.bfloat16) + b.to(torch.bfloat16))
    return c
