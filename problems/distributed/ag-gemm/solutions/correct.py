# expect: passed
"""Multiplies its own rows while the other ranks' rows are in transit."""

import torch
import torch.distributed as dist
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    rank, world_size = dist.get_rank(), dist.get_world_size()
    others = [(rank + step) % world_size for step in range(1, world_size)]
    parts = {other: torch.empty_like(x) for other in others}
    arriving = [dist.irecv(parts[other], other) for other in others]
    sending = [dist.isend(x, other) for other in others]
    columns = w.float().t()
    results = y.chunk(world_size)

    def multiply(rows: torch.Tensor, result: torch.Tensor) -> None:
        product = torch.mm(rows.float(), columns)
        result.copy_(product if bias is None else product.add_(bias))

    multiply(x, results[rank])
    for other, message in zip(others, arriving):
        message.wait()
        multiply(parts[other], results[other])
    for message in sending:
        message.wait()
    return y
