"""Gated delta rule, computed chunk by chunk.

The recurrence is equation (10) of Yang, Kautz, Hatamizadeh, "Gated Delta Networks: Improving Mamba2 with Delta Rule"
(arXiv:2412.06464), for one head, with the state transposed (dim_k x dim_v) and the gate as a logarithm:

    S[t] = exp(a[t]) * (S[t-1] - beta[t] * k[t] (k[t]^T S[t-1])) + beta[t] * k[t] v[t]^T,    o[t] = S[t]^T q[t]

Within a chunk let g[t] be the sum of a from the chunk's first position to t, and H the state before the chunk. With
x[t] = beta[t] * (v[t] - exp(a[t]) * S[t-1]^T k[t]), what the token adds, unrolling gives

    S[t] = exp(g[t]) * H + sum over i <= t of exp(g[t] - g[i]) * k[i] x[i]^T
    x[t] = beta[t] * v[t] - beta[t] * exp(g[t]) * H^T k[t] - sum over i < t of L[t, i] * x[i]
    L[t, i] = beta[t] * exp(g[t] - g[i]) * (k[t] . k[i])   for i < t, else 0

The last sum moves to the left: with A = (I + L)^-1 the rows of x are u - w H, where u = A (beta * v) and
w = A (beta * exp(g) * k). Tensors here are of shape (batch, seqlen, heads, ...), the last chunk may be shorter, and
each function works in the dtype of its input.
"""

from typing import Tuple

import torch
import torch.nn.functional as F

CHUNK = 64


def draw(
    batch: int, seqlen: int, heads: int, dim_k: int, dim_v: int, generator: torch.Generator
) -> Tuple[torch.Tensor, ...]:
    """`(q, k, v, beta, gate, state)` in float64: normal q and v, keys of length 1, beta in (0, 1), logarithms of gates
    that halve a state in some 20 tokens, and a state (batch, heads, dim_k, dim_v) as a sequence before would leave."""

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=generator.device, dtype=torch.float64)

    q, k = normal(batch, seqlen, heads, dim_k), normal(batch, seqlen, heads, dim_k)
    v, beta = normal(batch, seqlen, heads, dim_v), normal(batch, seqlen, heads).sigmoid()
    gate = F.logsigmoid(normal(batch, seqlen, heads) + 3.5)
    return q, F.normalize(k, dim=-1), v, beta, gate, normal(batch, heads, dim_k, dim_v) * dim_k**-0.5


def split(x: torch.Tensor) -> torch.Tensor:
    """(batch, seqlen, heads, ...) to (batch, heads, chunks, CHUNK, ...), padded with zeros."""
    seqlen = x.shape[1]
    count = -(-seqlen // CHUNK)
    x = F.pad(x, [0, 0] * (x.dim() - 2) + [0, count * CHUNK - seqlen])
    return x.unflatten(1, (count, CHUNK)).movedim(3, 1)


def join(x: torch.Tensor, seqlen: int) -> torch.Tensor:
    """(batch, heads, chunks, CHUNK, ...) to (batch, seqlen, heads, ...), without the padding."""
    return x.movedim(1, 3).flatten(1, 2)[:, :seqlen]


def accumulate(gate: torch.Tensor) -> torch.Tensor:
    """g: the sums of the gates' logarithms from the beginning of each chunk, (batch, seqlen, heads)."""
    return join(split(gate).cumsum(-1), gate.shape[1])


def decays(g: torch.Tensor) -> torch.Tensor:
    """exp(g[t] - g[i]) for i <= t, else 0: (batch, heads, chunks, CHUNK, CHUNK) of split g (batch, heads, chunks,
    CHUNK)."""
    return (g[..., :, None] - g[..., None, :]).tril().exp().tril()


def invert(k: torch.Tensor, beta: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    """A = (I + L)^-1 of each chunk, row by row: (batch, seqlen, heads, CHUNK)."""
    rows = split(k)
    lower = (split(beta)[..., None] * decays(split(g)) * (rows @ rows.mT)).tril(-1)
    eye = torch.eye(CHUNK, dtype=k.dtype, device=k.device).expand_as(lower)
    return join(torch.linalg.solve_triangular(eye + lower, eye, upper=False, unitriangular=True), k.shape[1])


def transform(
    k: torch.Tensor, v: torch.Tensor, beta: torch.Tensor, a: torch.Tensor, g: torch.Tensor
) -> Tuple[torch.Tensor, torch.Tensor]:
    """`(w, u)`: A (beta * exp(g) * k), of the shape of k, and A (beta * v), of the shape of v."""
    seqlen, inverse = k.shape[1], split(a)
    w = inverse @ split(k * (beta * g.exp())[..., None])
    u = inverse @ split(v * beta[..., None])
    return join(w, seqlen), join(u, seqlen)


def advance(
    k: torch.Tensor, w: torch.Tensor, u: torch.Tensor, g: torch.Tensor, state: torch.Tensor
) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`(h, x, last)`: the states before each chunk (batch, chunks, heads, dim_k, dim_v), what each token adds (of the
    shape of u), and the state after the last chunk (batch, heads, dim_k, dim_v)."""
    seqlen = k.shape[1]
    k, w, u, g = (x.transpose(1, 2) for x in (k, w, u, g))
    states, added = [], []
    for start in range(0, seqlen, CHUNK):
        chunk = slice(start, start + CHUNK)
        states.append(state)
        x = u[:, :, chunk] - w[:, :, chunk] @ state
        added.append(x)
        gates = g[:, :, chunk]
        end = gates[:, :, -1:]
        keys = k[:, :, chunk] * (end - gates).exp()[..., None]
        state = end.exp()[..., None] * state + keys.mT @ x
    return torch.stack(states, 1), torch.cat(added, 2).transpose(1, 2), state


def read(q: torch.Tensor, k: torch.Tensor, x: torch.Tensor, h: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    """o[t] = exp(g[t]) * H^T q[t] + sum over i <= t of exp(g[t] - g[i]) * (q[t] . k[i]) * x[i], of the shape of x."""
    queries, gates = split(q), split(g)
    scores = (queries @ split(k).mT) * decays(gates)
    return join((queries * gates.exp()[..., None]) @ h.transpose(1, 2) + scores @ split(x), q.shape[1])
