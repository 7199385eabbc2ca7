"""The types of a causal-conv1d kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]
"""`(x, w, bias, y)`: float32 sequences (batch, dim, seqlen), filters (dim, width), biases (dim) and the output buffer
(batch, dim, seqlen)."""

output_t = torch.Tensor
"""The convolution: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
