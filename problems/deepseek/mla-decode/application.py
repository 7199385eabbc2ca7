"""Decoding of a text with a small transformer, whose layers are attention with a residual connection, and whose loss is
that of the next token, as in an evaluation on a given text. The cache grows by the kernel's entries, token by token.

The first head of each layer ignores the text: its attention is on the first position only, by scores above 100, as in
large models (Xiao et al., "Efficient Streaming Language Models with Attention Sinks", arXiv:2309.17453). A softmax that
does not subtract the maximum overflows there."""

import os

import torch
import torch.nn.functional as F

from kernelbot_tester.inputs import RandomInputs

DEVICE = os.environ.get("KERNELBOT_DEVICE", "cpu")
VOCABULARY = 64
#: The only element of the sink's query that is not 0, and of its key. In the keys of other positions, this element is 0.
SINK = 32.0


def run(batchsize: int, prefill: int, hidden: int, layers: int, tokens: int, seed: int, **sizes: int):
    """Decodes `tokens` tokens of `batchsize` texts, after `prefill` to `prefill + hidden` positions, a number drawn from
    the seed. `sizes`: those of a layer, as in generate_input."""
    random = RandomInputs(seed, DEVICE)
    dim, width = sizes["dim"], sizes["dkv"] + sizes["drope"]
    context = prefill + int(random.integers(0, hidden + 1, 1))
    weights = [layer(random, context + tokens, **sizes) for _ in range(layers)]
    caches = [cache(random, batchsize, context, width) for _ in range(layers)]
    embedding = random.normal(VOCABULARY, dim)
    text = random.integers(0, VOCABULARY, batchsize, tokens + 1)
    losses = []
    for place in range(tokens):
        state = embedding[text[:, place]]
        for number in range(layers):
            x = norm(state)
            x[:, 0] = 1
            buffers = torch.empty(batchsize, width, dtype=x.dtype, device=DEVICE), torch.empty_like(x)
            entry, y = yield x, *weights[number], caches[number], *buffers
            caches[number] = torch.cat((caches[number], entry[:, None]), dim=1)
            state = state + y
        logits = norm(state).float() @ embedding.t() * dim**-0.5
        losses.append(F.cross_entropy(logits, text[:, place + 1]))
    return {"loss": torch.stack(losses).mean(), "logits": logits, "cache": caches[-1][:, context:]}


def norm(state: torch.Tensor) -> torch.Tensor:
    """Returns the state (batchsize, dim) with a root mean square of 1, in bfloat16."""
    return (state * state.square().mean(1, keepdim=True).rsqrt()).to(torch.bfloat16)


def layer(random: RandomInputs, positions: int, dim: int, dq: int, dkv: int, heads: int, dhead: int, drope: int):
    """Returns the weights of a layer, from w_dq to w_o, scaled as in generate_input, and w_o so that results are smaller
    than the state. The first feature of every token is 1, and makes the query of the first head."""
    w_dq = random.normal(dq, dim) * dim**-0.5
    w_uq = random.normal(heads, dhead, dq) * dq**-0.5
    w_qr = random.normal(heads, drope, dq) * dq**-0.5
    w_dkv = random.normal(dkv, dim) * dim**-0.5
    w_kr = random.normal(drope, dim) * dim**-0.5
    w_uk = random.normal(heads, dhead, dkv) * dkv**-0.5
    w_uv = random.normal(heads, dhead, dkv) * dkv**-0.5
    w_o = random.normal(dim, heads * dhead) * (positions / (heads * dhead)) ** 0.5 / 5
    for of_sink in (w_dq[0], w_uq[0], w_qr[0], w_dkv[0], w_uk[0], w_uk[:, :, 0], w_uv[:, :, 0]):
        of_sink.zero_()
    w_dq[0, 0], w_uq[0, 0, 0], w_uk[0, 0, 0] = 1, SINK, 1
    return [one.to(torch.bfloat16) for one in (w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o)]


def cache(random: RandomInputs, batchsize: int, context: int, width: int) -> torch.Tensor:
    """Returns the cache of earlier positions, of which the first is the sink."""
    earlier = random.normal(batchsize, context, width)
    earlier[:, 0] = 0
    earlier[:, :, 0] = 0
    earlier[:, 0, 0] = SINK
    return earlier.to(torch.bfloat16)
