"""vectorsum in inline CUDA or HIP: each block adds up its share, and the sums of the blocks meet in y[0]. The inputs
change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void launch(torch::Tensor x, torch::Tensor y);"

SOURCE = r"""
constexpr int THREADS = 256, BLOCKS = 256;

__global__ void add(const float *x, float *y, int64_t size)
{
    __shared__ float sums[THREADS];
    float sum = 0;
    for (int64_t i = blockIdx.x * THREADS + threadIdx.x; i < size; i += BLOCKS * THREADS) sum += x[i];
    sums[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(y, sums[0]);
}

void launch(torch::Tensor x, torch::Tensor y)
{
    y.zero_();
    add<<<BLOCKS, THREADS>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
}
"""

module = load_inline(name="vectorsum", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["launch"])


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    module.launch(x, y)
    return y
