# expect: wrong_result
"""Multiplies in float8, which has 4 significant bits."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def float8(x: torch.Tensor) -> torch.Tensor:
    mantissa, exponent = torch.frexp(x.float())
    return torch.ldexp((mantissa * 16).round() / 16, exponent)


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    partial = float8(x) @ float8(w).t()
    if bias is not None:
        partial += bias
    dist.all_reduce(partial)
    y.copy_(partial.chunk(dist.get_world_size())[dist.get_rank()])
    return y
