# expect: passed
"""Reduces in a ring: the rows of a rank pass through all other ranks, each of which adds its product."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    rank, world_size = dist.get_rank(), dist.get_world_size()
    parts = x.float().chunk(world_size)
    arrived = torch.zeros(y.shape, device=y.device)
    for step in range(world_size):
        # The last step handles this rank's own rows.
        total = arrived + parts[(rank - step - 1) % world_size] @ w.float().t()
        if bias is not None:
            total += bias
        if step < world_size - 1:
            arrived = torch.empty_like(total)
            sending = dist.isend(total, (rank + 1) % world_size)
            dist.recv(arrived, (rank - 1) % world_size)
            sending.wait()
    y.copy_(total)
    return y
