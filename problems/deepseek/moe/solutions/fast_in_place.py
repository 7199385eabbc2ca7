# expect: passed
"""Skips experts that no token chose. The others reuse one set of buffers for weights, products and outputs, which stay
in the cache and need no allocation."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down, y = data
    x = x.float()
    scores = torch.mm(x, router.float().t()).sigmoid_()
    chosen = torch.topk(scores + bias, topk, sorted=False).indices
    gates = scores.gather(1, chosen)
    gates /= gates.sum(dim=-1, keepdim=True)
    places, order = chosen.flatten().sort()
    counts = torch.bincount(places, minlength=len(router)).tolist()
    rows = torch.div(order, topk, rounding_mode="floor")
    factors = gates.flatten()[order].unsqueeze(1)

    hidden = F.silu(x @ shared_gate.float().t(), inplace=True)
    hidden *= x @ shared_up.float().t()
    total = hidden @ shared_down.float().t()
    most, (width, dhidden) = max(counts), gate.shape[1:]
    inner, outer = torch.empty(width, dhidden, device=x.device), torch.empty(dhidden, width, device=x.device)
    left, right = torch.empty(most, width, device=x.device), torch.empty(most, width, device=x.device)
    inputs, outputs = torch.empty(most, dhidden, device=x.device), torch.empty(most, dhidden, device=x.device)
    start = 0
    for e, count in enumerate(counts):
        if count == 0:
            continue
        mine = slice(start, start + count)
        torch.index_select(x, 0, rows[mine], out=inputs[:count])
        torch.mm(inputs[:count], inner.copy_(gate[e]).t(), out=left[:count])
        torch.mm(inputs[:count], inner.copy_(up[e]).t(), out=right[:count])
        hidden = F.silu(left[:count], inplace=True).mul_(right[:count]).mul_(factors[mine])
        torch.mm(hidden, outer.copy_(down[e]).t(), out=outputs[:count])
        total.index_add_(0, rows[mine], outputs[:count])
        start += count
    return y.copy_(total)
