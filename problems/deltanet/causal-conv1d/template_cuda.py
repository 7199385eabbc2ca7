"""causal-conv1d in CUDA or HIP: a thread computes one element. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void convolve(torch::Tensor x, torch::Tensor w, torch::Tensor bias, torch::Tensor y);"

SOURCE = r"""
__global__ void convolve_kernel(const float *x, const float *w, const float *bias, float *y, int64_t outputs, int dim,
                                int seqlen, int width)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= outputs)
        return;
    const int t = i % seqlen, channel = i / seqlen % dim;
    float sum = bias[channel];
    for (int k = 0; k < width; k++) {
        const int back = width - 1 - k;
        if (t >= back)
            sum += w[channel * width + k] * x[i - back];
    }
    y[i] = sum;
}

void convolve(torch::Tensor x, torch::Tensor w, torch::Tensor bias, torch::Tensor y)
{
    const int threads = 256;
    const int64_t outputs = y.numel();
    convolve_kernel<<<(outputs + threads - 1) / threads, threads>>>(
        x.data_ptr<float>(), w.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), outputs, x.size(1),
        x.size(2), w.size(1));
}
"""

module = load_inline(
    name="causal_conv1d", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["convolve"]
)


def custom_kernel(data: input_t) -> output_t:
    x, w, bias, y = data
    module.convolve(x, w, bias, y)
    return y
