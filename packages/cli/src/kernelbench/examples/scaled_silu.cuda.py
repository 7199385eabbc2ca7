import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

__global__ void scaled_silu_kernel(const float *x, const float *scale, float *y, long n, int features) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        y[i] = x[i] / (1.0f + expf(-x[i])) * scale[i % features];
}

torch::Tensor scaled_silu(torch::Tensor x, torch::Tensor scale) {
    auto y = torch::empty_like(x);
    long n = x.numel(), blocks = (n + 255) / 256;
    scaled_silu_kernel<<<blocks < 65536 ? blocks : 65536, 256>>>(
        x.data_ptr<float>(), scale.data_ptr<float>(), y.data_ptr<float>(), n, scale.numel());
    return y;
}
"""

extension = load_inline(
    "example_scaled_silu", ["torch::Tensor scaled_silu(torch::Tensor x, torch::Tensor scale);"], [CUDA], ["scaled_silu"]
)


class ModelNew(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(features))

    def forward(self, x):
        return extension.scaled_silu(x.contiguous(), self.scale)
