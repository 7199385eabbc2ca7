"""trimul in CUDA or HIP: four kernels, in each of which a thread computes one element, or normalises one row. The
inputs change with every call."""

import torch
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = """
void normalise(torch::Tensor v, torch::Tensor scale, torch::Tensor bias, torch::Tensor to);
void gated(torch::Tensor x, torch::Tensor matrix, torch::Tensor y, torch::Tensor gate, torch::Tensor mask, bool masked,
           torch::Tensor to);
void sum(torch::Tensor a, torch::Tensor b, torch::Tensor to);
"""

SOURCE = r"""
const int THREADS = 128;

__global__ void normalise_kernel(const float *v, const float *scale, const float *bias, float *to, int64_t rows,
                                 int size)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *from = v + row * size;
    float mean = 0, variance = 0;
    for (int c = 0; c < size; c++)
        mean += from[c] / size;
    for (int c = 0; c < size; c++)
        variance += (from[c] - mean) * (from[c] - mean) / size;
    for (int c = 0; c < size; c++)
        to[row * size + c] = (from[c] - mean) / sqrtf(variance + 1e-5f) * scale[c] + bias[c];
}

// to = mask * sigmoid(gate y) * (matrix x), row by row of x (rows, size), y (rows, gate_size) and to (rows, outputs).
__global__ void gated_kernel(const float *x, const float *matrix, int size, const float *y, const float *gate,
                             int gate_size, const float *mask, float *to, int64_t elements, int outputs)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= elements)
        return;
    const int64_t row = i / outputs;
    const int channel = i % outputs;
    float sum = 0, opening = 0;
    for (int c = 0; c < size; c++)
        sum += matrix[channel * size + c] * x[row * size + c];
    for (int c = 0; c < gate_size; c++)
        opening += gate[channel * gate_size + c] * y[row * gate_size + c];
    to[i] = (mask ? mask[row] : 1.0f) * sum / (1.0f + expf(-opening));
}

__global__ void sum_kernel(const float *a, const float *b, float *to, int64_t elements, int n, int channels)
{
    const int64_t index = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (index >= elements)
        return;
    // Rows i and j of all batches: (batch, i) and (batch, j) in one number each.
    const int64_t pair = index / channels, i = pair / n, j = i / n * n + pair % n;
    const int c = index % channels;
    float sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += a[(i * n + k) * channels + c] * b[(j * n + k) * channels + c];
    to[index] = sum;
}

void normalise(torch::Tensor v, torch::Tensor scale, torch::Tensor bias, torch::Tensor to)
{
    const int64_t size = v.size(-1), rows = v.numel() / size;
    normalise_kernel<<<(rows + THREADS - 1) / THREADS, THREADS>>>(
        v.data_ptr<float>(), scale.data_ptr<float>(), bias.data_ptr<float>(), to.data_ptr<float>(), rows, size);
}

void gated(torch::Tensor x, torch::Tensor matrix, torch::Tensor y, torch::Tensor gate, torch::Tensor mask, bool masked,
           torch::Tensor to)
{
    const int64_t elements = to.numel();
    gated_kernel<<<(elements + THREADS - 1) / THREADS, THREADS>>>(
        x.data_ptr<float>(), matrix.data_ptr<float>(), x.size(-1), y.data_ptr<float>(), gate.data_ptr<float>(),
        y.size(-1), masked ? mask.data_ptr<float>() : nullptr, to.data_ptr<float>(), elements, to.size(-1));
}

void sum(torch::Tensor a, torch::Tensor b, torch::Tensor to)
{
    const int64_t elements = to.numel();
    sum_kernel<<<(elements + THREADS - 1) / THREADS, THREADS>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), to.data_ptr<float>(), elements, a.size(1), a.size(3));
}
"""

module = load_inline(
    name="trimul", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["normalise", "gated", "sum"]
)


def custom_kernel(data: input_t) -> output_t:
    z, mask, w, out = data
    bs, n, _, dim = z.shape
    hidden = w["a"].shape[0]
    masked, any_mask = mask is not None, z if mask is None else mask
    x = torch.empty_like(z)
    a, b, sums, normal = torch.empty(4, bs, n, n, hidden, device=z.device)
    module.normalise(z, w["norm_scale"], w["norm_bias"], x)
    module.gated(x, w["a"], x, w["a_gate"], any_mask, masked, a)
    module.gated(x, w["b"], x, w["b_gate"], any_mask, masked, b)
    module.sum(a, b, sums)
    module.normalise(sums, w["sum_scale"], w["sum_bias"], normal)
    module.gated(normal, w["out"], x, w["out_gate"], any_mask, False, out)
    return out
