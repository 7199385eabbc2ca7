"""The types of a vectoradd kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""`(a, b, c)`: two float16 vectors of one length and the output buffer."""

output_t = torch.Tensor
"""The sums: `c`, or another tensor of its shape and type, then copied to `c` in the timed call."""
