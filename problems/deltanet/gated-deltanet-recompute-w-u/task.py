"""The types of a gated-deltanet-recompute-w-u kernel."""

from typing import Tuple

import torch

input_t = Tuple[
    torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
]
"""`(k, v, beta, A, g, w, u)`: float32 keys (batch, seqlen, heads, dim_k), values (batch, seqlen, heads, dim_v), beta
(batch, seqlen, heads), rows of the chunks' matrices (batch, seqlen, heads, 64), gates g (batch, seqlen, heads), and the
output buffers w, of the shape of k, and u, of the shape of v."""

output_t = Tuple[torch.Tensor, torch.Tensor]
"""`(w, u)`, or other tensors of their shapes and types, then copied to them in the timed call."""
