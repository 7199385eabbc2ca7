"""moe in CUDA or HIP: PyTorch chooses the experts; a kernel multiplies, a thread to a sum. All inputs change with every
call."""

import torch
import torch.nn.functional as F
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void product_kernel(const float *x, const at::Half *w, float *out, long long count, long long n, long long k)
{
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= count)
        return;
    const float *left = x + place / n * k;
    const at::Half *right = w + place % n * k;
    float sum = 0;
    for (long long i = 0; i < k; i++)
        sum += left[i] * static_cast<float>(right[i]);
    out[place] = sum;
}

// x (rows, k) times the transpose of w (n, k).
torch::Tensor product(torch::Tensor x, torch::Tensor w)
{
    auto out = torch::empty({x.size(0), w.size(0)}, x.options());
    const long long count = out.numel(), threads = 256;
    if (count > 0)
        product_kernel<<<(count + threads - 1) / threads, threads>>>(
            x.data_ptr<float>(), w.data_ptr<at::Half>(), out.data_ptr<float>(), count, w.size(0), w.size(1));
    return out;
}
"""

extension = load_inline(
    "moe",
    cpp_sources="torch::Tensor product(torch::Tensor x, torch::Tensor w);",
    cuda_sources=SOURCE,
    functions=["product"],
)


def expert(x: torch.Tensor, gate: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """A feed-forward network with SwiGLU: x (tokens, dhidden), gate and up (width, dhidden), down (dhidden, width)."""
    return extension.product(F.silu(extension.product(x, gate)) * extension.product(x, up), down)


def custom_kernel(data: input_t) -> output_t:
    x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down, y = data
    x = x.float()
    scores = extension.product(x, router).sigmoid()
    chosen = (scores + bias).topk(topk, dim=-1).indices
    gates = scores.gather(1, chosen)
    gates = gates / gates.sum(dim=-1, keepdim=True)
    total = expert(x, shared_gate, shared_up, shared_down)
    for e in range(router.shape[0]):
        rows, which = torch.nonzero(chosen == e, as_tuple=True)
        total[rows] += gates[rows, which].unsqueeze(1) * expert(x[rows], gate[e], up[e], down[e])
    y.copy_(total)
    return y
