# expect: wrong_result
"""Uses the number of tokens as the position of the new token, which is one too many."""

import torch
from task import input_t, output_t


def rotated(x: torch.Tensor, position: int) -> torch.Tensor:
    """x (..., drope): rotates each adjacent pair by its angle."""
    steps = torch.arange(0, x.shape[-1], 2, device=x.device)
    angles = position * 10000.0 ** (-steps.double() / x.shape[-1])
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2).float()


def custom_kernel(data: input_t) -> output_t:
    x, w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o, cache = (one.float() for one in data[:10])
    entry, y = data[10:]
    dkv, prefill = w_dkv.shape[0], cache.shape[1] + 1
    entry.copy_(torch.cat((x @ w_dkv.t(), rotated(x @ w_kr.t(), prefill)), dim=-1))
    cache = torch.cat((cache, entry.float().unsqueeze(1)), dim=1)
    latent, rope_key = cache[..., :dkv], cache[..., dkv:]

    query = x @ w_dq.t()
    content = torch.einsum("bq,hdq->bhd", query, w_uq)
    rope = rotated(torch.einsum("bq,hdq->bhd", query, w_qr), prefill)
    keys = torch.einsum("bsc,hdc->bhsd", latent, w_uk)
    values = torch.einsum("bsc,hdc->bhsd", latent, w_uv)
    scores = torch.einsum("bhd,bhsd->bhs", content, keys) + torch.einsum("bhd,bsd->bhs", rope, rope_key)
    attention = (scores * (content.shape[-1] + rope.shape[-1]) ** -0.5).softmax(dim=-1)
    y.copy_(torch.einsum("bhs,bhsd->bhd", attention, values).flatten(1) @ w_o.t())
    return entry, y
