"""Tokens of a Mixture of Experts are sent to the ranks of their experts, and the results are sent back."""

import os
from typing import List

import torch
import torch.distributed as dist
import torch.nn.functional as F

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

#: Dtype of the operands of products. CPUs are slow at float16, or do not support it.
COMPUTE = torch.float32 if DEVICE == "cpu" else torch.float16


def generate_input(
    num_experts: int,
    experts_per_token: int,
    hidden_dim: int,
    width: int,
    num_tokens: int,
    world_size: int,
    seed: int,
    rank: int,
) -> input_t:
    """Returns normally distributed tokens and experts, so scaled that results are of order 1, experts drawn uniformly
    and their weights, which are 1 / experts_per_token on average, and the buffer for the result."""
    generator = torch.Generator(device=DEVICE).manual_seed((seed * world_size + rank) % 2**63)

    def normal(*shape: int, std: float = 1.0) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=DEVICE).mul_(std).to(torch.float16)

    lots = torch.rand(num_tokens, num_experts, generator=generator, device=DEVICE)
    weights = 0.5 + torch.rand(num_tokens, experts_per_token, generator=generator, device=DEVICE)
    experts = num_experts // world_size
    return (
        normal(num_tokens, hidden_dim),
        lots.topk(experts_per_token, dim=-1).indices.to(torch.int32),
        weights / experts_per_token,
        normal(experts, width, hidden_dim, std=hidden_dim**-0.5),
        normal(experts, hidden_dim, width, std=2 * (experts_per_token / width) ** 0.5),
        torch.empty(num_tokens, hidden_dim, dtype=torch.float16, device=DEVICE),
    )


def exchange(rows: torch.Tensor, sent: List[int], received: List[int]) -> torch.Tensor:
    """Sends each rank its rows, which are in the order of the ranks. Returns the received rows, in the same order."""
    result = torch.empty(sum(received), *rows.shape[1:], dtype=rows.dtype, device=rows.device)
    dist.all_to_all_single(result, rows, received, sent)
    return result


def ref_kernel(data: input_t) -> output_t:
    """Returns the weighted sum of the outputs of each token's experts."""
    x, indices, weights, down, up, _ = data
    experts, world_size = len(down), dist.get_world_size()
    chosen = indices.flatten().long()
    # Assignments (token, index of its expert), sorted by expert and so by rank.
    order = chosen.argsort()
    counts = torch.bincount(chosen // experts, minlength=world_size)
    coming = torch.empty_like(counts)
    dist.all_to_all_single(coming, counts)
    sent, received = counts.tolist(), coming.tolist()
    tokens = exchange(x[order // indices.shape[1]], sent, received).to(COMPUTE)
    expert = exchange(chosen[order], sent, received) - dist.get_rank() * experts

    outputs = torch.empty(len(tokens), x.shape[1], dtype=x.dtype, device=x.device)
    by_expert = expert.argsort()
    for e, rows in enumerate(by_expert.split(torch.bincount(expert, minlength=experts).tolist())):
        outputs[rows] = (F.silu(tokens[rows] @ down[e].to(COMPUTE).t()) @ up[e].to(COMPUTE).t()).to(x.dtype)

    returned = torch.empty(len(order), x.shape[1], dtype=x.dtype, device=x.device)
    returned[order] = exchange(outputs, received, sent)
    returned = returned.view(*indices.shape, -1)
    return (returned.float() * weights.unsqueeze(-1)).sum(dim=1).to(x.dtype)


def oracle(data: List[input_t]) -> List[torch.Tensor]:
    """Returns the results for every rank's tokens in float64, from the inputs of all."""

    def truth(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(DEVICE, torch.float64)

    down, up = (torch.cat([truth(one[place]) for one in data]) for place in (3, 4))
    results = []
    for x, indices, weights, *_ in data:
        x, chosen, weights = truth(x), indices.to(DEVICE), truth(weights)
        total = torch.zeros_like(x)
        for e in range(len(down)):
            tokens, places = (chosen == e).nonzero(as_tuple=True)
            made = F.silu(x[tokens] @ down[e].t()) @ up[e].t()
            total.index_add_(0, tokens, weights[tokens, places].unsqueeze(-1) * made)
        results.append(total)
    return results


def cost(
    num_experts: int,
    experts_per_token: int,
    hidden_dim: int,
    width: int,
    num_tokens: int,
    world_size: int,
    seed: int = 0,
) -> dict:
    """Cost of one rank, since all ranks work concurrently and do the same amount: its float16 tokens, the int32 numbers
    of their experts and the float32 weights are read once, and its results are written. Each element of those is a sum
    over the token's experts. The experts of a rank count for nothing, since no token need choose them, nor does
    communication between ranks."""
    places = num_tokens * experts_per_token
    return {"bytes": 2 * 2 * num_tokens * hidden_dim + (4 + 4) * places, "operations": places * hidden_dim}
