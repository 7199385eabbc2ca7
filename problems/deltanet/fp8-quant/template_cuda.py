"""fp8-quant in CUDA or HIP: a thread quantises one group. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = "void quantise(torch::Tensor x, torch::Tensor q, torch::Tensor s);"

SOURCE = r"""
// The code of the nearest number of E4M3, for a magnitude of at most 448 (but for rounding).
__device__ uint8_t encode(float number)
{
    const float magnitude = fminf(fabsf(number), 448.0f);
    int code;
    if (magnitude < 0.015625f) {
        code = int(rintf(magnitude * 512)); // steps of 2^-9 below 2^-6
    } else {
        const int exponent = ilogbf(magnitude);
        code = (exponent + 7) * 8 + int(rintf(ldexpf(magnitude, 3 - exponent))) - 8;
    }
    return number < 0 ? code | 0x80 : code;
}

__global__ void quantise_kernel(const float *x, uint8_t *q, float *s, int64_t groups, int size)
{
    const int64_t group = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (group >= groups)
        return;
    const float *from = x + group * size;
    float largest = 0;
    for (int j = 0; j < size; j++)
        largest = fmaxf(largest, fabsf(from[j]));
    const float scale = largest / 448;
    s[group] = scale;
    for (int j = 0; j < size; j++)
        q[group * size + j] = encode(from[j] / scale);
}

void quantise(torch::Tensor x, torch::Tensor q, torch::Tensor s)
{
    const int threads = 64;
    const int64_t groups = s.numel();
    quantise_kernel<<<(groups + threads - 1) / threads, threads>>>(
        x.data_ptr<float>(), q.data_ptr<uint8_t>(), s.data_ptr<float>(), groups, x.numel() / groups);
}
"""

module = load_inline(name="fp8_quant", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["quantise"])


def custom_kernel(data: input_t) -> output_t:
    module.quantise(*data)
    return data[-2:]
