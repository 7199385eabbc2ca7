"""The types of an nvfp4-group-gemm kernel."""

from typing import Tuple

import torch

input_t = Tuple[
    torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, Tuple[int, ...], torch.Tensor
]
"""`(a, a_scales, b, b_scales, alpha, m, c)`: uint8 tensors of shapes (sum of m, k / 2), (sum of m, k / 16),
(groups, n, k / 2) and (groups, n, k / 16), a float32 tensor of shape (groups,), the heights of the groups, and the
float16 output buffer of shape (sum of m, n)."""

output_t = torch.Tensor
"""The products: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
