# expect: wrong_result
"""Uses only the experts of its own rank."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from task import input_t, output_t


def gathered(mine: torch.Tensor) -> torch.Tensor:
    """Concatenates the tensors of all ranks."""
    parts = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, mine)
    return torch.cat(parts)


def custom_kernel(data: input_t) -> output_t:
    x, indices, weights, down, up, y = data
    tokens, chosen, gates = gathered(x).float(), gathered(indices), gathered(weights)
    total = torch.zeros_like(tokens)
    for e in range(len(down)):
        rows, which = torch.nonzero(chosen == dist.get_rank() * len(down) + e, as_tuple=True)
        hidden = F.silu(tokens[rows] @ down[e].float().t())
        total[rows] += gates[rows, which].unsqueeze(1) * (hidden @ up[e].float().t())
    y.copy_(total.chunk(dist.get_world_size())[dist.get_rank()])
    return y
