# expect: passed
"""Sends each rank only the rows that it needs; each rank adds up the received rows."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    partial = torch.mm(x.float(), w.float().t())
    if bias is not None:
        partial += bias
    rows = torch.empty_like(partial)
    dist.all_to_all_single(rows, partial)
    torch.sum(rows.view(dist.get_world_size(), *y.shape), dim=0, out=partial[: len(y)])
    return y.copy_(partial[: len(y)])
