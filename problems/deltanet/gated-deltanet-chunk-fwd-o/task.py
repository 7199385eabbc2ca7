"""The types of a gated-deltanet-chunk-fwd-o kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
"""`(q, k, x, h, g, o)`: float32 queries and keys (batch, seqlen, heads, dim_k), what tokens add (batch, seqlen, heads,
dim_v), states (batch, chunks, heads, dim_k, dim_v), gates g (batch, seqlen, heads), and the output buffer o, of the
shape of x."""

output_t = torch.Tensor
"""`o`, or another tensor of its shape and type, then copied to `o` in the timed call."""
