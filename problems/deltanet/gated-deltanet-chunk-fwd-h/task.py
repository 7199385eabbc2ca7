"""The types of a gated-deltanet-chunk-fwd-h kernel."""

from typing import Tuple

import torch

input_t = Tuple[
    torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
]
"""`(k, w, u, g, initial, h, x, last)`: float32 keys (batch, seqlen, heads, dim_k), w of their shape, u (batch, seqlen,
heads, dim_v), gates g (batch, seqlen, heads), the first state (batch, heads, dim_k, dim_v), and the output buffers: h
(batch, chunks, heads, dim_k, dim_v), x of the shape of u, last of the shape of initial."""

output_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(h, x, last)`, or other tensors of their shapes and types, then copied to them in the timed call."""
