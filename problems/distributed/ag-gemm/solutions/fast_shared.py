# expect: passed
"""Ranks on one processor share memory: each writes its rows there, signals, and multiplies the other ranks' in place.

Calls alternate between two halves of the memory: a rank that starts the next call has read all rows of the last one."""

import os

import torch
import torch.distributed as dist
from task import input_t, output_t

#: Upper bound on the size of the rows of a rank in the cases for cpu.
SLOT_BYTES = 1 << 20
RANK, WORLD_SIZE = dist.get_rank(), dist.get_world_size()


def shared(name: str, size: int) -> torch.Tensor:
    """Returns zeroed memory that all ranks share."""
    return torch.from_file(f"/dev/shm/{name}", shared=True, size=size, dtype=torch.uint8)


slots = shared("rows", 2 * WORLD_SIZE * SLOT_BYTES).view(2, WORLD_SIZE, SLOT_BYTES)
# Number of calls for which each rank has written its rows.
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
