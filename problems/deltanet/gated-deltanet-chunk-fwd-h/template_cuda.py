"""gated-deltanet-chunk-fwd-h in CUDA or HIP: a thread carries one column of the state of one batch and head, in the
memory of the output. The inputs change with every call."""

from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

DECLARATION = """
void advance(torch::Tensor k, torch::Tensor w, torch::Tensor u, torch::Tensor g, torch::Tensor initial, torch::Tensor h,
             torch::Tensor x, torch::Tensor last);
"""

SOURCE = r"""
__global__ void advance_kernel(const float *k, const float *w, const float *u, const float *g, const float *initial,
                               float *h, float *x, float *last, int columns, int seqlen, int heads, int chunks,
                               int dim_k, int dim_v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns)
        return;
    const int column = i % dim_v, both = i / dim_v, head = both % heads;
    const int64_t batch = both / heads, whole = int64_t(dim_k) * dim_v;
    const float *from = initial + both * whole + column;
    for (int n = 0; n < chunks; n++) {
        // The state before the chunk, and where the next one goes.
        float *state = h + ((batch * chunks + n) * heads + head) * whole + column;
        float *next = n + 1 < chunks ? state + heads * whole : last + both * whole + column;
        const int start = n * 64, stop = min(start + 64, seqlen);
        const float end = g[(batch * seqlen + stop - 1) * heads + head];
        for (int row = 0; row < dim_k; row++) {
            state[row * dim_v] = from[row * dim_v];
            next[row * dim_v] = expf(end) * from[row * dim_v];
        }
        for (int t = start; t < stop; t++) {
            const int64_t token = (batch * seqlen + t) * heads + head;
            float added = u[token * dim_v + column];
            for (int row = 0; row < dim_k; row++)
                added -= w[token * dim_k + row] * state[row * dim_v];
            x[token * dim_v + column] = added;
            added *= expf(end - g[token]);
            for (int row = 0; row < dim_k; row++)
                next[row * dim_v] += k[token * dim_k + row] * added;
        }
        from = next;
    }
}

void advance(torch::Tensor k, torch::Tensor w, torch::Tensor u, torch::Tensor g, torch::Tensor initial, torch::Tensor h,
             torch::Tensor x, torch::Tensor last)
{
    const int threads = 64, columns = h.size(0) * h.size(2) * h.size(4);
    advance_kernel<<<(columns + threads - 1) / threads, threads>>>(
        k.data_ptr<float>(), w.data_ptr<float>(), u.data_ptr<float>(), g.data_ptr<float>(), initial.data_ptr<float>(),
        h.data_ptr<float>(), x.data_ptr<float>(), last.data_ptr<float>(), columns, k.size(1), h.size(2), h.size(1),
        h.size(3), h.size(4));
}
"""

module = load_inline(name="chunk_fwd_h", cpp_sources=DECLARATION, cuda_sources=SOURCE, functions=["advance"])


def custom_kernel(data: input_t) -> output_t:
    module.advance(*data)
    return data[-3:]
