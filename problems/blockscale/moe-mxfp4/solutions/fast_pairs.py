# expect: passed
"""Decodes both codes of a byte with one table lookup, builds scales from bits, and weights the hidden activations."""

import torch
import torch.nn.functional as F
from task import input_t, output_t
from utils import E2M1, decode, unpack

PAIRS = decode(unpack(torch.arange(256, dtype=torch.uint8).view(256, 1)), E2M1)


def matrix(packed: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
    blocks = PAIRS.index_select(0, packed.view(-1).int()).view(-1, 32)
    blocks *= (scales.view(-1, 1).int() << 23).view(torch.float32)
    return blocks.view(packed.shape[0], -1)


def custom_kernel(data: input_t) -> output_t:
    x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, y = data
    x = x.float()
    total = torch.zeros_like(x)
    routed = len(down) - nsharedexperts
    for e in range(len(down)):
        if e < routed:
            tokens, slots = torch.nonzero(experts == e, as_tuple=True)
            if len(tokens) == 0:
                continue
            rows = x[tokens]
        else:
            rows = x
        gate, up = torch.mm(rows, matrix(gate_up[e], gate_up_scales[e]).t()).chunk(2, dim=1)
        hidden = F.silu(gate).mul_(up)
        if e < routed:
            hidden.mul_(weights[tokens, slots].unsqueeze(-1))
            total.index_add_(0, tokens, torch.mm(hidden, matrix(down[e], down_scales[e]).t()))
        else:
            total.addmm_(hidden, matrix(down[e], down_scales[e]).t())
    return y.copy_(total)
