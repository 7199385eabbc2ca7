"""gemm-rs: write this rank's rows of the sum of all ranks' products to y. All inputs change with every call."""

import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    partial = x.float() @ w.float().t()
    if bias is not None:
        partial += bias
    dist.all_reduce(partial)
    y.copy_(partial.chunk(dist.get_world_size())[dist.get_rank()])
    return y
