# expect: wrong_result
"""Omits the sum: each rank returns its rows of its own product."""

import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    partial = x.float() @ w.float().t()
    if bias is not None:
        partial += bias
    y.copy_(partial.chunk(dist.get_world_size())[dist.get_rank()])
    return y
