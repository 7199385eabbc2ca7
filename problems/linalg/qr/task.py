"""The types of a qr kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, q, r)`: float32 matrices and the output buffers, all (batch, n, n)."""

output_t = Tuple[torch.Tensor, torch.Tensor]
"""`(q, r)`, or other tensors of their shapes and types, then copied to them in the timed call."""
