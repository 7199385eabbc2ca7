"""ag-gemm: PyTorch gathers, and a kernel in Triton multiplies, 32 sums to a program.

All inputs change with every call."""

import torch
import torch.distributed as dist
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
        b = tl.load(w + columns[:, None].to(tl.int64) * k + inner[None, :], mask=inside, other=0.0)
        sums += tl.sum(a[None, :].to(tl.float32) * b.to(tl.float32), axis=1)
    tl.store(out + row * n + columns, sums, mask=columns < n)


def product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """x (m, k) times the transpose of w (n, k), in float32."""
    m, (n, k) = x.shape[0], w.shape
    out = torch.empty(m, n, device=x.device)
    product_kernel[(m, triton.cdiv(n, 32))](x, w, out, n, k, N_BLOCK=32, K_BLOCK=64)
    return out


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    # As bytes, since not every backend knows bfloat16.
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    result = product(torch.cat(parts).view(x.dtype), w)
    y.copy_(result if bias is None else result + bias)
    return y
