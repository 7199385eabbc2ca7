import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void add_kernel(const float *a, const float *b, float *c, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

torch::Tensor add(torch::Tensor a, torch::Tensor b) {
    auto c = torch::empty_like(a);
    long n = a.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), n);
    return c;
}
"""

extension = load_inline("example_add", ["torch::Tensor add(torch::Tensor a, torch::Tensor b);"], [CUDA], ["add"])


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return extension.add(a.contiguous(), b.contiguous())
