# expect: wrong_result
"""Multiplies only whole blocks of 32 inner elements."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    end = x.shape[1] // 32 * 32
    result = torch.cat(parts).view(x.dtype)[:, :end].float() @ w[:, :end].float().t()
    y.copy_(result if bias is None else result + bias)
    return y
