"""ag-gemm: write the product of all ranks' rows and this rank's columns to y. All inputs change with every call."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    # As bytes, since not every backend knows bfloat16.
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    result = torch.cat(parts).view(x.dtype).float() @ w.float().t()
    y.copy_(result if bias is None else result + bias)
    return y
