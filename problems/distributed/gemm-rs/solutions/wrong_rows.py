# expect: wrong_result
"""Assigns rows to ranks in rotation instead of in contiguous blocks."""

import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    partial = x.float() @ w.float().t()
    if bias is not None:
        partial += bias
    dist.all_reduce(partial)
    y.copy_(partial[dist.get_rank() :: dist.get_world_size()])
    return y
