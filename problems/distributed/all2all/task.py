"""The types of an all2all kernel."""

from typing import Tuple

import torch

T = torch.Tensor

input_t = Tuple[T, T, T, T, T, T]
"""`(x, indices, weights, down, up, y)` of one rank: `indices` int32, `weights` float32, the others float16; `y` is the
output buffer. The description of the problem has the shapes."""

output_t = T
"""The result: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
