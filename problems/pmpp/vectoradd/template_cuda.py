"""vectoradd in inline CUDA or HIP: each thread adds one pair. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void launch(torch::Tensor a, torch::Tensor b, torch::Tensor c);"

SOURCE = r"""
#include <cuda_fp16.h>

__global__ void add(const __half *a, const __half *b, __half *c, int64_t size)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) c[i] = __float2half(__half2float(a[i]) + __half2float(b[i]));
}

void launch(torch::Tensor a, torch::Tensor b, torch::Tensor c)
{
    int64_t size = a.numel();
    add<<<(size + 255) / 256, 256>>>(
        (const __half *)a.data_ptr(), (const __half *)b.data_ptr(), (__half *)c.data_ptr(), size);
}
"""

module = load_inline(name="vectoradd", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["launch"])


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    module.launch(a, b, c)
    return c
