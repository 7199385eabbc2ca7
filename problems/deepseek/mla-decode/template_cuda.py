"""mla-decode in CUDA or HIP: one kernel for all products, a thread to a sum. All inputs change with every call."""

import torch
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void contract_kernel(const float *x, const float *w, float *out, long long count, long long heads,
                                long long n, long long k, long long wb, long long wh, long long wj, long long wk)
{
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= count)
        return;
    const long long row = place / n, j = place % n;
    const float *left = x + row * k;
    const float *right = w + row / heads * wb + row % heads * wh + j * wj;
    float sum = 0;
    for (long long i = 0; i < k; i++)
        sum += left[i] * right[i * wk];
    out[place] = sum;
}

// out[b, h, j] = sum over k of x[b, h, k] * w[b, h, j, k]; x is contiguous, w has any strides.
torch::Tensor contract(torch::Tensor x, torch::Tensor w)
{
    auto out = torch::empty({x.size(0), x.size(1), w.size(2)}, x.options());
    const long long count = out.numel(), threads = 256;
    contract_kernel<<<(count + threads - 1) / threads, threads>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), out.data_ptr<float>(), count, x.size(1), w.size(2), x.size(2),
        w.stride(0), w.stride(1), w.stride(2), w.stride(3));
    return out;
}
"""

extension = load_inline(
    "mla_decode",
    cpp_sources="torch::Tensor contract(torch::Tensor x, torch::Tensor w);",
    cuda_sources=SOURCE,
    functions=["contract"],
)


def contract(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """out[b, h, j] = sum over k of x[b, h, k] * w[b, h, j, k]. w may be expanded and transposed."""
    return extension.contract(x.contiguous(), w.expand(*x.shape[:2], *w.shape[-2:]))


def rotated(x: torch.Tensor, position: int) -> torch.Tensor:
    """x (..., drope): each pair of neighbours is turned by an angle of its own."""
    steps = torch.arange(0, x.shape[-1], 2, device=x.device)
    angles = position * 10000.0 ** (-steps.double() / x.shape[-1])
    cos, sin = angles.cos().float(), angles.sin().float()
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def custom_kernel(data: input_t) -> output_t:
    x, w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o, cache = (one.float() for one in data[:10])
    entry, y = data[10:]
    heads, dhead, dkv = w_uk.shape
    drope, prefill = w_kr.shape[0], cache.shape[1]
    x = x.unsqueeze(1)  # One head of products that have none.
    latent = contract(x, w_dkv)
    rope_key = rotated(contract(x, w_kr), prefill)
    entry.copy_(torch.cat((latent, rope_key), dim=-1).squeeze(1))
    cache = torch.cat((cache, entry.float().unsqueeze(1)), dim=1).unsqueeze(1)

    query = contract(x, w_dq).expand(-1, heads, -1)
    content = contract(contract(query, w_uq), w_uk.transpose(1, 2))
    rope = rotated(contract(query, w_qr), prefill)
    scores = contract(torch.cat((content, rope), dim=-1), cache) * (dhead + drope) ** -0.5
    attention = scores.softmax(dim=-1)
    mean = contract(attention, cache[..., :dkv].transpose(2, 3))
    values = contract(mean, w_uv)
    y.copy_(contract(values.flatten(1).unsqueeze(1), w_o).squeeze(1))
    return entry, y
