"""The types of an fp8-mm kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, a_scales, b, b_scales, c)`: uint8 codes of shapes (m, k) and (n, k), float32 scales of shapes (m, k / 128) and
(ceil(n / 128), k / 128), each after its codes, and the bfloat16 output buffer of shape (m, n)."""

output_t = torch.Tensor
"""The product: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
