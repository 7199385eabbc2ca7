# expect: passed
"""Ranks on one processor share memory: each puts its rows there, says so, and multiplies those of the others in place.

A call uses the half of the memory that the last one did not: who begins the next call has read all of the last."""

import os

import torch
import torch.distributed as dist
from task import input_t, output_t

#: More than the rows of a rank in any case on the processor.
SLOT_BYTES = 1 << 20
RANK, WORLD_SIZE = dist.get_rank(), dist.get_world_size()


def shared(name: str, size: int) -> torch.Tensor:
    """Bytes that all ranks see, at first zero."""
    return torch.from_file(f"/dev/shm/{name}", shared=True, size=size, dtype=torch.uint8)


slots = shared("rows", 2 * WORLD_SIZE * SLOT_BYTES).view(2, WORLD_SIZE, SLOT_BYTES)
# The number of calls of which each rank has put its rows there.
arrived = shared("arrived", 8 * WORLD_SIZE).view(torch.int64).numpy()
calls = 0


def custom_kernel(data: input_t) -> output_t:
    global calls
    x, w, bias, y = data
    calls += 1
    slot = slots[calls % 2, :, : 2 * x.numel()].view(torch.bfloat16).view(WORLD_SIZE, *x.shape)
    slot[RANK] = x
    arrived[RANK] = calls
    columns, results = w.float().t(), y.chunk(WORLD_SIZE)
    for step in range(WORLD_SIZE):
        rank = (RANK + step) % WORLD_SIZE
        while arrived[rank] < calls:
            os.sched_yield()
        product = torch.mm(slot[rank].float(), columns)
        results[rank].copy_(product if bias is None else product.add_(bias))
    return y
