"""The types of a prefixsum kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor]
"""`(x, y)`: a float32 vector and the output buffer of the same length."""

output_t = torch.Tensor
"""The running sums: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
