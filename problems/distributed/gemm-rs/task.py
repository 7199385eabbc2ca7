"""The types of a gemm-rs kernel."""

from typing import Optional, Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor], torch.Tensor]
"""`(x, w, bias, y)` of one rank: bfloat16 tensors of shapes (m, k / world_size), (n, k / world_size), (n,) or None, and
the output buffer of shape (m / world_size, n)."""

output_t = torch.Tensor
"""The result: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
