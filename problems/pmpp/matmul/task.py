"""The types of a matmul kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, b, c)`: float32 matrices of shapes (m, k) and (k, n), and the output buffer of shape (m, n)."""

output_t = torch.Tensor
"""The product: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
