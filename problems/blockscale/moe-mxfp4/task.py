"""The types of a moe-mxfp4 kernel."""

from typing import Tuple

import torch

input_t = Tuple[
    torch.Tensor,
    torch.Tensor,
    torch.Tensor,
    torch.Tensor,
    torch.Tensor,
    torch.Tensor,
    torch.Tensor,
    int,
    torch.Tensor,
]
"""`(x, experts, weights, gate_up, gate_up_scales, down, down_scales, nsharedexperts, y)`: a bfloat16 tensor of shape
(bs, dhidden), an int32 and a float32 tensor of shape (bs, nexpertspertoken), uint8 tensors of shapes
(all experts, 2 * dexpert, dhidden / 2), (all experts, 2 * dexpert, dhidden / 32), (all experts, dhidden, dexpert / 2)
and (all experts, dhidden, dexpert / 32), a number, and the bfloat16 output buffer of shape (bs, dhidden)."""

output_t = torch.Tensor
"""The result: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
