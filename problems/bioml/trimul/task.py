"""The types of a trimul kernel."""

from typing import Dict, Optional, Tuple

import torch

input_t = Tuple[torch.Tensor, Optional[torch.Tensor], Dict[str, torch.Tensor], torch.Tensor]
"""`(z, mask, weights, out)`: float32 pairs (bs, seqlen, seqlen, dim), a mask (bs, seqlen, seqlen) of zeros and ones or
None, the weights by name (see the description), and the output buffer, of the shape of z."""

output_t = torch.Tensor
"""The update: `out`, or another tensor of its shape and type, then copied to `out` in the timed call."""
