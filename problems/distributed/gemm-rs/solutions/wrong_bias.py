# expect: wrong_result
"""Adds only its own rank's bias, not those of all ranks."""

import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    partial = x.float() @ w.float().t()
    dist.all_reduce(partial)
    mine = partial.chunk(dist.get_world_size())[dist.get_rank()]
    y.copy_(mine if bias is None else mine + bias)
    return y
