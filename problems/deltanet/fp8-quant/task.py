"""The types of an fp8-quant kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(x, q, s)`: float32 activations (tokens, hidden), and the output buffers: uint8 codes (tokens, hidden) and float32
scales (tokens, hidden / group)."""

output_t = Tuple[torch.Tensor, torch.Tensor]
"""`(q, s)`, or other tensors of their shapes and types, then copied to them in the timed call."""
