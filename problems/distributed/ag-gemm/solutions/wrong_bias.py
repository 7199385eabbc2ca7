# expect: wrong_result
"""Omits the bias."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    result = torch.cat(parts).view(x.dtype).float() @ w.float().t()
    y.copy_(result)
    return y
