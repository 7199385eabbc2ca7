"""The types of an mxfp4-mm kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, b, b_scales, c)`: a bfloat16 tensor of shape (m, k), uint8 tensors of shapes (n, k / 2) and (n, k / 32), and the
bfloat16 output buffer of shape (m, n)."""

output_t = torch.Tensor
"""The product: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
