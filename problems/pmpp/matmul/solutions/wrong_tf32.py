# expect: wrong_result
"""Rounds the operands to the 11 significant bits of TF32, as tensor cores do."""

import torch
from task import input_t, output_t


def tf32(x: torch.Tensor) -> torch.Tensor:
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    return torch.mm(tf32(a), tf32(b), out=c)
