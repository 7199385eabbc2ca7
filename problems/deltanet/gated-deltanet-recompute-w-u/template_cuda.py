"""gated-deltanet-recompute-w-u in CUDA or HIP: a thread computes one element of w or u. The inputs change with every
call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = """
void transform(torch::Tensor k, torch::Tensor v, torch::Tensor beta, torch::Tensor a, torch::Tensor g, torch::Tensor w,
               torch::Tensor u);
"""

SOURCE = r"""
// The rows of x (tokens and heads of all batches, dim), weighted by beta and, where g is given, by exp(g), times A.
__global__ void transform_kernel(const float *x, const float *beta, const float *a, const float *g, float *y,
                                 int64_t outputs, int seqlen, int heads, int dim)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= outputs)
        return;
    const int64_t row = i / dim;
    const int column = i % dim, position = row / heads % seqlen % 64;
    float sum = 0;
    for (int j = 0; j <= position; j++) {
        const int64_t other = row - int64_t(position - j) * heads;
        const float gate = g ? expf(g[other]) : 1.0f;
        sum += a[row * 64 + j] * beta[other] * gate * x[other * dim + column];
    }
    y[i] = sum;
}

void transform(torch::Tensor k, torch::Tensor v, torch::Tensor beta, torch::Tensor a, torch::Tensor g, torch::Tensor w,
               torch::Tensor u)
{
    const int threads = 256, seqlen = k.size(1), heads = k.size(2);
    const float *b = beta.data_ptr<float>(), *rows = a.data_ptr<float>();
    transform_kernel<<<(w.numel() + threads - 1) / threads, threads>>>(
        k.data_ptr<float>(), b, rows, g.data_ptr<float>(), w.data_ptr<float>(), w.numel(), seqlen, heads, k.size(3));
    transform_kernel<<<(u.numel() + threads - 1) / threads, threads>>>(
        v.data_ptr<float>(), b, rows, nullptr, u.data_ptr<float>(), u.numel(), seqlen, heads, v.size(3));
}
"""

module = load_inline(
    name="recompute_w_u", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["transform"]
)


def custom_kernel(data: input_t) -> output_t:
    module.transform(*data)
    return data[-2:]
