"""conv2d in inline CUDA or HIP: each thread computes one element of y. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void launch(torch::Tensor x, torch::Tensor w, torch::Tensor y);"

SOURCE = r"""
__global__ void convolve(
    const float *x, const float *w, float *y, int64_t count, int64_t channels, int64_t size, int64_t kernelsize)
{
    int64_t place = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= count) return;
    int64_t side = size - kernelsize + 1;
    int64_t j = place % side, i = place / side % side;
    int64_t o = place / (side * side) % channels, b = place / (side * side * channels);
    float total = 0;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t p = 0; p < kernelsize; p++)
            for (int64_t q = 0; q < kernelsize; q++)
                total += x[((b * channels + c) * size + i + p) * size + j + q]
                       * w[((o * channels + c) * kernelsize + p) * kernelsize + q];
    y[place] = total;
}

void launch(torch::Tensor x, torch::Tensor w, torch::Tensor y)
{
    int64_t count = y.numel();
    convolve<<<(count + 255) / 256, 256>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), count, x.size(1), x.size(2), w.size(2));
}
"""

module = load_inline(name="conv2d", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["launch"])


def custom_kernel(data: input_t) -> output_t:
    x, w, y = data
    module.launch(x, w, y)
    return y
