"""The types of a grayscale kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor]
"""`(rgb, y)`: a float32 image of shape (height, width, 3) and the output buffer of shape (height, width)."""

output_t = torch.Tensor
"""The luma: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
