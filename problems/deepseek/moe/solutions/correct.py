# expect: passed
"""Applies every expert to every token in one batched product; the gates of experts that were not chosen are zero."""

import torch
import torch.nn.functional as F
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down, y = data
    x = x.float()
    scores = F.linear(x, router.float()).sigmoid()
    ranks = (scores + bias).argsort(dim=-1, descending=True).argsort(dim=-1)
    gates = torch.where(ranks < topk, scores, torch.zeros_like(scores))
    gates = gates / gates.sum(dim=-1, keepdim=True)
    hidden = F.silu(torch.einsum("td,ewd->etw", x, gate.float())) * torch.einsum("td,ewd->etw", x, up.float())
    total = torch.einsum("te,etw,edw->td", gates, hidden, down.float())
    shared = F.silu(F.linear(x, shared_gate.float())) * F.linear(x, shared_up.float())
    y.copy_(total + F.linear(shared, shared_down.float()))
    return y
