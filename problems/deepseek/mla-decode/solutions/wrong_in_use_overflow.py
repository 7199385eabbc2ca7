# expect: wrong_result in application
"""A softmax without the subtraction of the maximum, which saves a pass over the scores. They are about 1 in the stages
test and ranked; above 88, their exponentials overflow."""

import torch
from task import input_t, output_t


def rotated(x: torch.Tensor, position: int) -> torch.Tensor:
    width = x.shape[-1]
    angles = position * 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64, device=x.device) / width)
    turn = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * turn).flatten(-2)


def custom_kernel(data: input_t) -> output_t:
    x, w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o, cache = (one.float() for one in data[:10])
    entry, y = data[10:]
    heads, dhead, dkv = w_uk.shape
    drope, prefill = w_kr.shape[0], cache.shape[1]
    new = torch.cat((x @ w_dkv.t(), rotated(x @ w_kr.t(), prefill)), dim=-1)
    entry.copy_(new)
    keys = torch.cat((cache, new.unsqueeze(1)), dim=1)

    query = (x @ w_dq.t()) * (dhead + drope) ** -0.5
    content = torch.einsum("bhd,hdc->bhc", (query @ w_uq.flatten(0, 1).t()).unflatten(-1, (heads, dhead)), w_uk)
    rope = rotated((query @ w_qr.flatten(0, 1).t()).unflatten(-1, (heads, drope)), prefill)
    weights = (torch.cat((content, rope), dim=-1) @ keys.transpose(1, 2)).exp()
    mean = weights @ keys[..., :dkv] / weights.sum(dim=-1, keepdim=True)
    y.copy_(torch.einsum("bhc,hdc->bhd", mean, w_uv).flatten(1) @ w_o.t())
    return entry, y
