# expect: passed
"""Broadcasts the tokens of each rank in turn, and reduces the outputs of all experts to that rank."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, indices, weights, down, up, y = data
    first = dist.get_rank() * len(down)
    for rank in range(dist.get_world_size()):
        asks = rank == dist.get_rank()
        tokens, chosen, gates = (one if asks else torch.empty_like(one) for one in (x, indices, weights))
        for one in (tokens, chosen, gates):
            dist.broadcast(one, rank)
        # The assignments of tokens to each of this rank's experts.
        mine = (chosen.unsqueeze(-1) == torch.arange(first, first + len(down), device=x.device)).float()
        hidden = F.silu(torch.einsum("th,ewh->tew", tokens.float(), down.float()))
        total = torch.einsum("tew,ehw,tke,tk->th", hidden, up.float(), mine, gates)
        dist.reduce(total, rank)
        if asks:
            y.copy_(total)
    return y
