"""The types of a cholesky kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor]
"""`(a, l)`: float32 symmetric positive definite matrices and the output buffer, both (batch, n, n)."""

output_t = torch.Tensor
"""The factors: `l`, or another tensor of its shape and type, then copied to `l` in the timed call."""
