"""The types of an mla-decode kernel."""

from typing import Tuple

import torch

T = torch.Tensor

input_t = Tuple[T, T, T, T, T, T, T, T, T, T, T, T]
"""`(x, w_dq, w_uq, w_qr, w_dkv, w_kr, w_uk, w_uv, w_o, cache, entry, y)`: bfloat16 tensors, the last two the output
buffers. The description of the problem has their shapes."""

output_t = Tuple[T, T]
"""`(entry, y)`, or other tensors of their shapes and types, which are then copied to them in the timed call."""
