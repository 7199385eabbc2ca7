"""mla-decode in Triton: one kernel for all products, 32 sums to a program. All inputs change with every call."""

import torch
import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def contract_kernel(
    x, w, out, heads, n, k, xb, xh, wb, wh, wj, wk, ob, oh, N_BLOCK: tl.constexpr, K_BLOCK: tl.constexpr
):
    batch = tl.program_id(0) // heads
    head = tl.program_id(0) % heads
    columns = tl.program_id(1) * N_BLOCK + tl.arange(0, N_BLOCK)
    sums = tl.zeros((N_BLOCK,), dtype=tl.float32)
    for start in range(0, k, K_BLOCK):
        inner = start + tl.arange(0, K_BLOCK)
        a = tl.load(x + batch * xb + head * xh + inner, mask=inner < k, other=0.0)
        inside = (columns[:, None] < n) & (inner[None, :] < k)
        places = batch * wb + head * wh + columns[:, None] * wj + inner[None, :] * wk
        b = tl.load(w + places, mask=inside, other=0.0)
        sums += tl.sum(a[None, :].to(tl.float32) * b.to(tl.float32), axis=1)
    tl.store(out + batch * ob + head * oh + columns, sums, mask=columns < n)


def contract(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """out[b, h, j] = sum over k of x[b, h, k] * w[b, h, j, k], in float32. w may be expanded and transposed."""
    x = x.contiguous()
    batch, heads, k = x.shape
    w = w.expand(batch, heads, *w.shape[-2:])
    n = w.shape[2]
    out = torch.empty(batch, heads, n, device=x.device)
    strides = (x.stride(0), x.stride(1), *w.stride(), out.stride(0), out.stride(1))
    grid = (batch * heads, triton.cdiv(n, 32))
    contract_kernel[grid](x, w, out, heads, n, k, *strides, N_BLOCK=32, K_BLOCK=64)
    return out


def rotated(x: torch.Tensor, position: int) -> torch.Tensor:
    """x (..., drope): each pair of neighbours is turned by an angle of its own."""
    steps = torch.arange(0, x.shape[-1], 2, device=x.device)
    angles = position * 10000.0 ** (-steps.double() / x.shape[-1])
    cos, sin = angles.cos().float(), angles.sin().float()
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def custom_kernel(data: input_t) -> output_t:
    x, w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o, cache, entry, y = data
    heads, dhead, dkv = w_uk.shape
    drope, prefill = w_kr.shape[0], cache.shape[1]
    x = x.unsqueeze(1)  # One head of products that have none.
    latent = contract(x, w_dkv)
    rope_key = rotated(contract(x, w_kr), prefill)
    entry.copy_(torch.cat((latent, rope_key), dim=-1).squeeze(1))
    cache = torch.cat((cache, entry.unsqueeze(1)), dim=1).unsqueeze(1)

    query = contract(x, w_dq).expand(-1, heads, -1)
    content = contract(contract(query, w_uq), w_uk.transpose(1, 2))
    rope = rotated(contract(query, w_qr), prefill)
    scores = contract(torch.cat((content, rope), dim=-1), cache) * (dhead + drope) ** -0.5
    attention = scores.softmax(dim=-1)
    mean = contract(attention, cache[..., :dkv].transpose(2, 3))
    values = contract(mean, w_uv)
    y.copy_(contract(values.flatten(1).unsqueeze(1), w_o).squeeze(1))
    return entry, y
