"""The types of an ag-gemm kernel."""

from typing import Optional, Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor], torch.Tensor]
"""`(x, w, bias, y)` of one rank: bfloat16 tensors of shapes (m / world_size, k), (n / world_size, k), (n / world_size,)
or None, and the output buffer of shape (m, n / world_size)."""

output_t = torch.Tensor
"""The result: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
