"""The types of an nvfp4-gemv kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, a_scales, b, b_scales, alpha, c)`: uint8 tensors of shapes (l, m, k / 2), (l, m, k / 16), (l, k / 2) and
(l, k / 16), a float32 tensor of shape (l,), and the float16 output buffer of shape (l, m)."""

output_t = torch.Tensor
"""The products: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
