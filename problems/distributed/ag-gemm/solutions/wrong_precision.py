# expect: wrong_result
"""Gathers the rows in float8, which has 4 significant bits."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def float8(x: torch.Tensor) -> torch.Tensor:
    mantissa, exponent = torch.frexp(x.float())
    return torch.ldexp((mantissa * 16).round() / 16, exponent)


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    result = float8(torch.cat(parts).view(x.dtype)) @ w.float().t()
    y.copy_(result if bias is None else result + bias)
    return y
