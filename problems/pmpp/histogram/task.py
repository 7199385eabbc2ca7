"""The types of a histogram kernel."""

from typing import Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor]
"""`(data, counts)`: a uint8 vector and the output buffer, 256 int64."""

output_t = torch.Tensor
"""The counts: `counts`, or another tensor of its shape and type, which is then copied to it in the timed call."""
