# expect: passed
"""Two messages where the reference has four.

Every rank receives all tokens with their experts and weights. It returns the weighted sum of its experts' outputs, so
that one row per token and rank is sent back."""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, indices, weights, down, up, y = data
    world_size = dist.get_world_size()
    rows = torch.cat((indices.view(torch.uint8), weights.view(torch.uint8), x.view(torch.uint8)), dim=1)
    parts = torch.empty(world_size, *rows.shape, dtype=torch.uint8, device=x.device)
    dist.all_gather(list(parts), rows)
    widths = [4 * indices.shape[1], 4 * indices.shape[1], 2 * x.shape[1]]
    chosen, gates, tokens = parts.flatten(0, 1).split(widths, dim=1)
    tokens = tokens.contiguous().view(torch.float16).float()
    gates = gates.contiguous().view(torch.float32).flatten()
    places = chosen.contiguous().view(torch.int32).flatten() - dist.get_rank() * len(down)

    here = torch.nonzero((places >= 0) & (places < len(down))).flatten()
    order = here[places[here].argsort()]
    counts = torch.bincount(places[order], minlength=len(down)).tolist()
    owners = torch.div(order, indices.shape[1], rounding_mode="floor")
    inputs, outputs = tokens[owners], torch.empty(len(order), x.shape[1], device=x.device)
    downs, ups = down.float().transpose(1, 2), up.float().transpose(1, 2)
    start = 0
    for e, count in enumerate(counts):
        if count > 0:
            hidden = F.silu(torch.mm(inputs[start : start + count], downs[e]), inplace=True)
            torch.mm(hidden, ups[e], out=outputs[start : start + count])
            start += count
    outputs *= gates[order].unsqueeze(1)
    sums = torch.zeros_like(tokens).index_add_(0, owners, outputs)
    returned = torch.empty_like(sums)
    dist.all_to_all_single(returned, sums)
    torch.sum(returned.view(world_size, *x.shape), dim=0, out=sums[: len(x)])
    return y.copy_(sums[: len(x)])
