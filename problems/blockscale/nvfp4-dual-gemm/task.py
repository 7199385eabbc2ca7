"""The types of an nvfp4-dual-gemm kernel."""

from typing import Tuple

import torch

input_t = Tuple[
    torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
]
"""`(a, a_scales, b1, b1_scales, b2, b2_scales, alpha, c)`: uint8 tensors of shapes (m, k / 2), (m, k / 16) and twice
(n, k / 2), (n, k / 16), a float32 tensor of shape (2,), and the float16 output buffer of shape (m, n)."""

output_t = torch.Tensor
"""The result: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
