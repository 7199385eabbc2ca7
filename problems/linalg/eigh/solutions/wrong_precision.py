# expect: wrong_result
"""Rounds the input matrices to float16 (as TF32 rounds them)."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, w, v = data
    torch.linalg.eigh(a.half().float(), out=(w, v))
    return w, v
