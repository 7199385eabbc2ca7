"""sort in inline CUDA or HIP: Batcher's merge exchange (Knuth, The Art of Computer Programming,
volume 3, 5.2.2M); in each step a thread compares two elements at one distance. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void launch(torch::Tensor x, torch::Tensor y);"

SOURCE = r"""
__global__ void compare(float *y, int64_t size, int64_t run, int64_t distance)
{
    int64_t lower = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, upper = lower + distance;
    // Runs of length `run` are merged in pairs; of a pair, elements at this distance are compared.
    int64_t first = distance % run;
    if (upper >= size || lower < first || (lower - first) / distance % 2 != 0) return;
    if (lower / (2 * run) != upper / (2 * run)) return;
    float one = y[lower], other = y[upper];
    if (one > other) {
        y[lower] = other;
        y[upper] = one;
    }
}

void launch(torch::Tensor x, torch::Tensor y)
{
    y.copy_(x);
    int64_t size = y.numel();
    for (int64_t run = 1; run < size; run *= 2)
        for (int64_t distance = run; distance >= 1; distance /= 2)
            compare<<<(size + 255) / 256, 256>>>(y.data_ptr<float>(), size, run, distance);
}
"""

module = load_inline(name="sort", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["launch"])


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    module.launch(x, y)
    return y
