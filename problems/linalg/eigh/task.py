"""The types of an eigh kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, w, v)`: float32 symmetric matrices (batch, n, n), and the output buffers for eigenvalues (batch, n) and for
eigenvectors (batch, n, n), which are columns."""

output_t = Tuple[torch.Tensor, torch.Tensor]
"""`(w, v)`, or other tensors of their shapes and types, then copied to them in the timed call."""
