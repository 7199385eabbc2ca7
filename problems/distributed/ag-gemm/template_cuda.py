"""ag-gemm: PyTorch gathers, and a kernel in CUDA or HIP multiplies, a thread to a sum.

All inputs change with every call."""

import torch
import torch.distributed as dist
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void product_kernel(const at::BFloat16 *x, const at::BFloat16 *w, float *out, long long count, long long n,
                               long long k)
{
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= count)
        return;
    const at::BFloat16 *left = x + place / n * k, *right = w + place % n * k;
    float sum = 0;
    for (long long i = 0; i < k; i++)
        sum += static_cast<float>(left[i]) * static_cast<float>(right[i]);
    out[place] = sum;
}

// x (m, k) times the transpose of w (n, k).
torch::Tensor product(torch::Tensor x, torch::Tensor w)
{
    auto out = torch::empty({x.size(0), w.size(0)}, x.options().dtype(torch::kFloat32));
    const long long count = out.numel(), threads = 256;
    product_kernel<<<(count + threads - 1) / threads, threads>>>(x.data_ptr<at::BFloat16>(), w.data_ptr<at::BFloat16>(),
                                                                 out.data_ptr<float>(), count, w.size(0), w.size(1));
    return out;
}
"""

extension = load_inline(
    "ag_gemm",
    cpp_sources="torch::Tensor product(torch::Tensor x, torch::Tensor w);",
    cuda_sources=SOURCE,
    functions=["product"],
)


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    # As bytes, since not every backend knows bfloat16.
    parts = [torch.empty_like(x).view(torch.uint8) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.view(torch.uint8))
    result = extension.product(torch.cat(parts).view(x.dtype), w)
    y.copy_(result if bias is None else result + bias)
    return y
