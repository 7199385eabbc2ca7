# expect: passed
"""Each rank in turn tells all others its tokens, and gets the sums of what their experts made of them."""

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
        # Which of a token's places are of each of this rank's experts.
        mine = (chosen.unsqueeze(-1) == torch.arange(first, first + len(down), device=x.device)).float()
        hidden = F.silu(torch.einsum("th,ewh->tew", tokens.float(), down.float()))
        total = torch.einsum("tew,ehw,tke,tk->th", hidden, up.float(), mine, gates)
        dist.reduce(total, rank)
        if asks:
            y.copy_(total)
    return y
