"""A matrix product whose inner dimension is split among ranks, each of which gets a part of the rows of the result."""

import math
import os
from typing import List

import torch
import torch.distributed as dist

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(m: int, n: int, k: int, has_bias: bool, world_size: int, seed: int, rank: int) -> input_t:
    """Returns normally distributed matrices and biases, such that the sum over the ranks has elements of order 1, and
    the buffer for this rank's part of it."""
    generator = torch.Generator(device=DEVICE).manual_seed((seed * world_size + rank) % 2**63)

    def normal(*shape: int, std: float = 1.0) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=DEVICE).mul_(std).to(torch.bfloat16)

    return (
        normal(m, k // world_size),
        normal(n, k // world_size, std=k**-0.5),
        normal(n, std=world_size**-0.5) if has_bias else None,
        torch.empty(m // world_size, n, dtype=torch.bfloat16, device=DEVICE),
    )


def ref_kernel(data: input_t) -> output_t:
    """Returns the rows of this rank of the sum of all ranks' products."""
    x, w, bias, y = data
    if dist.get_backend() == "nccl":
        partial = x @ w.t() if bias is None else torch.addmm(bias, x, w.t())
        dist.reduce_scatter_tensor(y, partial)
        return y
    # CPUs are slow at bfloat16, or do not support it, and their backend has no reduce-scatter.
    partial = x.float() @ w.float().t()
    if bias is not None:
        partial += bias
    dist.all_reduce(partial)
    return partial.chunk(dist.get_world_size())[dist.get_rank()].to(torch.bfloat16)


def oracle(data: List[input_t]) -> List[torch.Tensor]:
    """Returns the rows of every rank in float64, from the inputs of all."""
    total = torch.zeros((), dtype=torch.float64, device=DEVICE)
    for x, w, bias, _ in data:
        total = total + x.to(DEVICE, torch.float64) @ w.to(DEVICE, torch.float64).t()
        if bias is not None:
            total = total + bias.to(DEVICE, torch.float64)
    return list(total.chunk(len(data)))


def products(m: int, n: int, k: int) -> int:
    """Returns the least number of operations of a product (m, k) x (k, n): a Strassen-like scheme saves an eighth each
    time that it halves the matrices, which is not worthwhile for blocks of fewer than 32 rows."""
    halvings = max(0, int(math.log2(min(m, n, k) / 32)))
    return 2 * m * n * k * 7**halvings // 8**halvings


def cost(m: int, n: int, k: int, has_bias: bool, world_size: int, seed: int = 0) -> dict:
    """Cost of one rank, since all ranks work concurrently and do the same amount: its bfloat16 matrices and bias are
    read and its part of the result is written once, and it does its share of the operations of the whole product.
    Communication between the ranks is not counted."""
    inputs = (m + n) * (k // world_size) + (n if has_bias else 0)
    return {"bytes": 2 * (inputs + m // world_size * n), "operations": products(m, n, k) // world_size}
