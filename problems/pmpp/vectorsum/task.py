"""The types of a vectorsum kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor]
"""`(x, y)`: a float32 vector and the output buffer of one element."""

output_t = torch.Tensor
"""The sum: `y`, or another float32 tensor of shape (1,), then copied to `y` in the timed call."""
