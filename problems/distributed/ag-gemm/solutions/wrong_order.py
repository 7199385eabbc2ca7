# expect: wrong_result
"""Puts its own rows first, before the other ranks' rows."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    result = torch.cat(parts[dist.get_rank() :] + parts[: dist.get_rank()]).view(x.dtype).float() @ w.float().t()
    y.copy_(result if bias is None else result + bias)
    return y
