"""matmul in inline CUDA or HIP: each thread computes one element of c. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void launch(torch::Tensor a, torch::Tensor b, torch::Tensor c);"

SOURCE = r"""
__global__ void multiply(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k)
{
    int64_t i = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m || j >= n) return;
    float total = 0;
    for (int64_t l = 0; l < k; l++) total += a[i * k + l] * b[l * n + j];
    c[i * n + j] = total;
}

void launch(torch::Tensor a, torch::Tensor b, torch::Tensor c)
{
    int64_t m = a.size(0), n = b.size(1), k = a.size(1);
    dim3 threads(16, 16), blocks((n + 15) / 16, (m + 15) / 16);
    multiply<<<blocks, threads>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
}
"""

module = load_inline(name="matmul", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["launch"])


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    module.launch(a, b, c)
    return c
