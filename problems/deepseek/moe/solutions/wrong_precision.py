# expect: wrong_result
"""Multiplies in bfloat16, which has three bits less than float16."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def low(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.bfloat16).float()


def expert(x: torch.Tensor, gate: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """A feed-forward network with SwiGLU: x (tokens, dhidden), gate and up (width, dhidden), down (dhidden, width)."""
    return (F.silu(low(x) @ low(gate).t()) * (low(x) @ low(up).t())) @ low(down).t()


def custom_kernel(data: input_t) -> output_t:
    x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down, y = data
    x = x.float()
    scores = (x @ router.float().t()).sigmoid()
    chosen = (scores + bias).topk(topk, dim=-1).indices
    gates = scores.gather(1, chosen)
    gates = gates / gates.sum(dim=-1, keepdim=True)
    total = expert(x, shared_gate, shared_up, shared_down)
    for e in range(router.shape[0]):
        rows, which = torch.nonzero(chosen == e, as_tuple=True)
        total[rows] += gates[rows, which].unsqueeze(1) * expert(x[rows], gate[e], up[e], down[e])
    y.copy_(total)
    return y
