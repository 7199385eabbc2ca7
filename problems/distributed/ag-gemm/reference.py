"""A matrix product whose left rows and right columns are split among ranks; each rank gets its columns of the
result."""

import math
import os
from typing import List

import torch
import torch.distributed as dist

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")


def generate_input(m: int, n: int, k: int, has_bias: bool, world_size: int, seed: int, rank: int) -> input_t:
    """Returns normally distributed matrices and biases whose products have elements of order 1, and the buffer for this
    rank's columns of them."""
    generator = torch.Generator(device=DEVICE).manual_seed((seed * world_size + rank) % 2**63)

    def normal(*shape: int, std: float = 1.0) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=DEVICE).mul_(std).to(torch.bfloat16)

    return (
        normal(m // world_size, k),
        normal(n // world_size, k, std=k**-0.5),
        normal(n // world_size) if has_bias else None,
        torch.empty(m, n // world_size, dtype=torch.bfloat16, device=DEVICE),
    )


def ref_kernel(data: input_t) -> output_t:
    """Returns the product of all ranks' rows and the columns of this one."""
    x, w, bias, y = data
    world_size = dist.get_world_size()
    rows = torch.empty(world_size * x.shape[0], x.shape[1], dtype=x.dtype, device=x.device)
    if dist.get_backend() == "nccl":
        dist.all_gather_into_tensor(rows, x)
        return rows @ w.t() if bias is None else torch.addmm(bias, rows, w.t())
    # The CPU backend may not support bfloat16, and CPUs are slow at it, so bytes are sent.
    dist.all_gather(list(rows.view(torch.uint8).chunk(world_size)), x.view(torch.uint8))
    product = rows.float() @ w.float().t()
    return (product if bias is None else product + bias).to(torch.bfloat16)


def oracle(data: List[input_t]) -> List[torch.Tensor]:
    """Returns the columns of every rank in float64, from the inputs of all."""
    rows = torch.cat([x.to(DEVICE, torch.float64) for x, *_ in data])
    columns = []
    for _, w, bias, _ in data:
        product = rows @ w.to(DEVICE, torch.float64).t()
        columns.append(product if bias is None else product + bias.to(DEVICE, torch.float64))
    return columns


def products(m: int, n: int, k: int) -> int:
    """Returns the least number of operations of a product (m, k) x (k, n): a Strassen-like scheme saves an eighth each
    time that it halves the matrices, which is not worthwhile for blocks of fewer than 32 rows."""
    halvings = max(0, int(math.log2(min(m, n, k) / 32)))
    return 2 * m * n * k * 7**halvings // 8**halvings


def cost(m: int, n: int, k: int, has_bias: bool, world_size: int, seed: int = 0) -> dict:
    """Cost of one rank, since all ranks work concurrently and do the same amount: its bfloat16 matrices and bias are
    read and its columns of the result are written once, and it does its share of the operations of the whole product.
    Communication between the ranks is not counted."""
    inputs = (m + n) // world_size * k + (n // world_size if has_bias else 0)
    return {"bytes": 2 * (inputs + m * (n // world_size)), "operations": products(m, n, k) // world_size}
