"""The types of an RMS normalization kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(x, w, y)`: the matrix, the weights of its columns, and the output buffer."""

output_t = torch.Tensor
"""The result: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
