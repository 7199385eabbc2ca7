"""The types of a conv2d kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(x, w, y)`: float32 images (batch, channels, size, size), filters (channels, channels, kernelsize, kernelsize) and
the output buffer (batch, channels, size - kernelsize + 1, size - kernelsize + 1)."""

output_t = torch.Tensor
"""The convolution: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
