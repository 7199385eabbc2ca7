import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
#include <torch/extension.h>

// One block of 256 threads for each row: sums of threads, then of warps, then of the block.
__global__ void row_sum_kernel(const float *x, float *y, int columns) {
    const float *row = x + blockIdx.x * (long)columns;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ float warps[8];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++) sum += warps[i];
        y[blockIdx.x] = sum;
    }
}

torch::Tensor row_sum(torch::Tensor x) {
    auto y = torch::empty({x.size(0)}, x.options());
    row_sum_kernel<<<x.size(0), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    return y;
}
"""

extension = load_inline("example_row_sum", ["torch::Tensor row_sum(torch::Tensor x);"], [CUDA], ["row_sum"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return extension.row_sum(x.contiguous())
