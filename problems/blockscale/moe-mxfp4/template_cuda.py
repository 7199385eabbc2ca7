"""moe-mxfp4 in CUDA or HIP: a thread computes an element between the layers for a token and one of its experts, then
one computes an element of y. All inputs change with every call."""

import torch
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = """
void layer(torch::Tensor x, torch::Tensor experts, torch::Tensor weights, torch::Tensor gate_up,
           torch::Tensor gate_up_scales, torch::Tensor down, torch::Tensor down_scales, torch::Tensor hidden,
           torch::Tensor y);
"""

SOURCE = r"""
__device__ float e2m1(int code)
{
    const int exponent = code >> 1 & 3, mantissa = code & 1;
    const float magnitude = exponent ? 0.25f * (2 + mantissa) * (1 << exponent) : 0.5f * mantissa;
    return code & 8 ? -magnitude : magnitude;
}

// The product of a row of a matrix and a vector of k elements.
template <class T>
__device__ float product(const uint8_t *codes, const uint8_t *scales, const T *vector, int64_t row, int k)
{
    codes += row * (k / 2);
    scales += row * (k / 32);
    float total = 0;
    for (int block = 0; block < k / 32; block++) {
        float sum = 0;
        for (int i = block * 16; i < block * 16 + 16; i++)
            sum += float(vector[2 * i]) * e2m1(codes[i] & 15) + float(vector[2 * i + 1]) * e2m1(codes[i] >> 4);
        total += ldexpf(sum, scales[block] - 127);
    }
    return total;
}

__global__ void inner_kernel(const at::BFloat16 *x, const int *experts, const uint8_t *gate_up,
                             const uint8_t *gate_up_scales, float *hidden, int slots, int dhidden, int dexpert)
{
    const int slot = blockIdx.x, i = blockIdx.y * blockDim.x + threadIdx.x;
    if (i >= dexpert)
        return;
    const at::BFloat16 *token = x + int64_t(slot / slots) * dhidden;
    const int64_t row = int64_t(experts[slot]) * 2 * dexpert + i;
    const float gate = product(gate_up, gate_up_scales, token, row, dhidden);
    const float up = product(gate_up, gate_up_scales, token, row + dexpert, dhidden);
    hidden[int64_t(slot) * dexpert + i] = gate / (1 + expf(-gate)) * up;
}

__global__ void outer_kernel(const float *hidden, const int *experts, const float *weights, const uint8_t *down,
                             const uint8_t *down_scales, at::BFloat16 *y, int slots, int dhidden, int dexpert)
{
    const int token = blockIdx.x, i = blockIdx.y * blockDim.x + threadIdx.x;
    if (i >= dhidden)
        return;
    float total = 0;
    for (int slot = token * slots; slot < (token + 1) * slots; slot++) {
        const int64_t row = int64_t(experts[slot]) * dhidden + i;
        total += weights[slot] * product(down, down_scales, hidden + int64_t(slot) * dexpert, row, dexpert);
    }
    y[int64_t(token) * dhidden + i] = at::BFloat16(total);
}

void layer(torch::Tensor x, torch::Tensor experts, torch::Tensor weights, torch::Tensor gate_up,
           torch::Tensor gate_up_scales, torch::Tensor down, torch::Tensor down_scales, torch::Tensor hidden,
           torch::Tensor y)
{
    const int bs = x.size(0), dhidden = x.size(1), slots = experts.size(1), dexpert = hidden.size(2), threads = 64;
    const dim3 inner(bs * slots, (dexpert + threads - 1) / threads);
    inner_kernel<<<inner, threads>>>(x.data_ptr<at::BFloat16>(), experts.data_ptr<int>(), gate_up.data_ptr<uint8_t>(),
                                     gate_up_scales.data_ptr<uint8_t>(), hidden.data_ptr<float>(), slots, dhidden,
                                     dexpert);
    const dim3 outer(bs, (dhidden + threads - 1) / threads);
    outer_kernel<<<outer, threads>>>(hidden.data_ptr<float>(), experts.data_ptr<int>(), weights.data_ptr<float>(),
                                     down.data_ptr<uint8_t>(), down_scales.data_ptr<uint8_t>(),
                                     y.data_ptr<at::BFloat16>(), slots, dhidden, dexpert);
}
"""

module = load_inline(name="moe_mxfp4", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["layer"])


def custom_kernel(data: input_t) -> output_t:
    x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, y = data
    # Every token has the shared experts too, with the weight 1.
    shared = torch.arange(len(down) - nsharedexperts, len(down), dtype=torch.int32, device=x.device).expand(len(x), -1)
    experts = torch.cat((experts, shared), dim=1)
    weights = torch.cat((weights, torch.ones_like(shared, dtype=torch.float32)), dim=1)
    hidden = torch.empty(*experts.shape, 2 * down.shape[2], device=x.device)
    module.layer(x, experts, weights, gate_up, gate_up_scales, down, down_scales, hidden, y)
    return y
