"""moe in Triton: PyTorch chooses the experts; a kernel multiplies, 32 sums to a program.

All inputs change with every call."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def product_kernel(x, w, out, n, k, N_BLOCK: tl.constexpr, K_BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * N_BLOCK + tl.arange(0, N_BLOCK)
    sums = tl.zeros((N_BLOCK,), dtype=tl.float32)
    for start in range(0, k, K_BLOCK):
        inner = start + tl.arange(0, K_BLOCK)
        a = tl.load(x + row * k + inner, mask=inner < k, other=0.0)
        inside = (columns[:, None] < n) & (inner[None, :] < k)
        b = tl.load(w + columns[:, None] * k + inner[None, :], mask=inside, other=0.0)
        sums += tl.sum(a[None, :].to(tl.float32) * b.to(tl.float32), axis=1)
    tl.store(out + row * n + columns, sums, mask=columns < n)


def product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """x (rows, k) times the transpose of w (n, k), in float32."""
    rows, (n, k) = x.shape[0], w.shape
    out = torch.empty(rows, n, device=x.device)
    if rows > 0:
        product_kernel[(rows, triton.cdiv(n, 32))](x, w, out, n, k, N_BLOCK=32, K_BLOCK=64)
    return out


def expert(x: torch.Tensor, gate: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """A feed-forward network with SwiGLU: x (tokens, dhidden), gate and up (width, dhidden), down (dhidden, width)."""
    return product(F.silu(product(x, gate)) * product(x, up), down)


def custom_kernel(data: input_t) -> output_t:
    x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down, y = data
    scores = product(x, router).sigmoid()
    chosen = (scores + bias).topk(topk, dim=-1).indices
    gates = scores.gather(1, chosen)
    gates = gates / gates.sum(dim=-1, keepdim=True)
    total = expert(x, shared_gate, shared_up, shared_down)
    for e in range(router.shape[0]):
        rows, which = torch.nonzero(chosen == e, as_tuple=True)
        total[rows] += gates[rows, which].unsqueeze(1) * expert(x[rows], gate[e], up[e], down[e])
    y.copy_(total)
    return y
