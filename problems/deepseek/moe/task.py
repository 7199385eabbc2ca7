"""The types of a moe kernel."""

from typing import Tuple

import torch

T = torch.Tensor

input_t = Tuple[T, T, T, int, T, T, T, T, T, T, T]
"""`(x, router, bias, topk, gate, up, down, shared_gate, shared_up, shared_down, y)`: float16 tensors, but for the bias,
which is float32; `topk` is a number; `y` is the output buffer. The description of the problem has the shapes."""

output_t = T
"""The result: `y`, or another tensor of its shape and type, then copied to `y` in the timed call."""
