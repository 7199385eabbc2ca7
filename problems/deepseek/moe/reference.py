"""A Mixture-of-Experts layer on one device, as DeepSeek-V3 defines it (arXiv:2412.19437, equations 12 to 16)."""

import math
import os

import torch
import torch.backends.cuda
import torch.nn.functional as F

from task import input_t, output_t

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")

#: Dtype of the operands of products. CPUs are slow at float16, or do not support it.
COMPUTE = torch.float32 if DEVICE == "cpu" else torch.float16

# The router is defined in float32; TF32 would round its operands to 11 significant bits.
torch.backends.cuda.matmul.allow_tf32 = False

#: The least distance between the affinity of the last expert that is chosen and that of the first one that is not.
MARGIN = 1e-3


def generate_input(
    dhidden: int, dexpert: int, routed: int, shared: int, topk: int, tokens: int, seed: int
) -> input_t:
    """Returns normally distributed tokens, router and weights, the weights so scaled that results are of order 1, a
    uniformly distributed bias, and the buffer for the result."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)

    def normal(*shape: int, std: float = 1.0) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=DEVICE).mul_(std).to(torch.float16)

    router = normal(routed, dhidden, std=dhidden**-0.5)
    bias = torch.rand(routed, generator=generator, device=DEVICE).mul_(0.2)
    x = normal(tokens, dhidden)
    for _ in range(100):
        # Where two experts are almost equal, the order of a sum decides between them: such tokens are drawn again.
        best = affinities(x, router, bias).topk(topk + 1, dim=-1).values
        close = torch.nonzero(best[:, -2] - best[:, -1] < MARGIN).flatten()
        if len(close) == 0:
            break
        x[close] = normal(len(close), dhidden)
    inner, outer = dhidden**-0.5, 2 * dexpert**-0.5
    return (
        x,
        router,
        bias,
        topk,
        normal(routed, dexpert, dhidden, std=inner),
        normal(routed, dexpert, dhidden, std=inner),
        normal(routed, dhidden, dexpert, std=outer),
        normal(shared * dexpert, dhidden, std=inner),
        normal(shared * dexpert, dhidden, std=inner),
        normal(dhidden, shared * dexpert, std=outer * shared**-0.5),
        torch.empty(tokens, dhidden, dtype=torch.float16, device=DEVICE),
    )


def affinities(x: torch.Tensor, router: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Returns the selection scores of the experts for each token (tokens, dhidden), in float64: (tokens, routed)."""
    return (x.double() @ router.double().t()).sigmoid() + bias.double()


def expert(x: torch.Tensor, gate: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
    """A feed-forward network with SwiGLU: x (tokens, dhidden), gate and up (width, dhidden), down (dhidden, width)."""
    return (F.silu(x @ gate.t()) * (x @ up.t())) @ down.t()


def layer(data: input_t, dtype: torch.dtype, exact: torch.dtype) -> torch.Tensor:
    """Returns the layer with products of `dtype`, and routing and sums of `exact`; its result is `exact`."""
    x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down = data[:10]
    scores = (x.to(exact) @ router.to(exact).t()).sigmoid()
    chosen = (scores + bias).topk(topk, dim=-1).indices  # (tokens, topk)
    gates = scores.gather(1, chosen)
    gates = gates / gates.sum(dim=-1, keepdim=True)
    x = x.to(dtype)
    y = expert(x, shared_gate.to(dtype), shared_up.to(dtype), shared_down.to(dtype)).to(exact)
    # Assignments (token, index of its expert), sorted by expert.
    order = chosen.flatten().argsort()
    counts = torch.bincount(chosen.flatten(), minlength=len(router)).tolist()
    for e, places in enumerate(order.split(counts)):
        rows = places // topk
        out = expert(x[rows], gate[e].to(dtype), up[e].to(dtype), down[e].to(dtype)).to(exact)
        y.index_add_(0, rows, out * gates.flatten()[places].unsqueeze(1))
    return y


def ref_kernel(data: input_t) -> output_t:
    """Returns the shared expert's output and the weighted sum of the outputs of the chosen experts, for each token."""
    return layer(data, COMPUTE, torch.float32).to(torch.float16)


def oracle(data: input_t) -> output_t:
    """Returns the same in float64."""
    return layer(data, torch.float64, torch.float64)


def products(rows: int, n: int, k: int) -> int:
    """Returns the least number of operations of a product (rows, k) x (k, n): a Strassen-like scheme saves an eighth
    each time that it halves the matrices, which is not worthwhile for blocks of fewer than 32 rows."""
    halvings = max(0, int(math.log2(min(rows, n, k) / 32)))
    return 2 * rows * n * k * 7**halvings // 8**halvings


def cost(dhidden: int, dexpert: int, routed: int, shared: int, topk: int, tokens: int, seed: int = 0) -> dict:
    """Each token, the router, its bias, the weights of the shared experts and of `topk` others, which at least are
    chosen by some token, are read once; the result is written. Each token goes through `shared + topk` experts of three
    matrices; none of those can have more rows than there are tokens."""
    weights = 3 * dhidden * dexpert * (shared + topk)
    routing = products(tokens, routed, dhidden)
    experts = (shared + topk) * (2 * products(tokens, dexpert, dhidden) + products(tokens, dhidden, dexpert))
    return {
        "bytes": 2 * (weights + routed * dhidden + 2 * tokens * dhidden) + 4 * routed,
        "operations": routing + experts,
    }
