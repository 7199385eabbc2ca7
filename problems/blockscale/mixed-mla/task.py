"""The types of a mixed-mla kernel."""

from typing import Optional, Tuple

import torch

input_t = Tuple[torch.Tensor, torch.Tensor, Optional[torch.Tensor], str, torch.Tensor]
"""`(q, kv, kv_scales, kv_format, out)`: a bfloat16 tensor of shape (batchsize, 16, 576); the cache and its scales, of
types and shapes that depend on the format: bf16, fp8 or mxfp4; the bfloat16 output buffer of shape
(batchsize, 16, 512)."""

output_t = torch.Tensor
"""The result: `out`, or another tensor of its shape and type, then copied to `out` in the timed call."""
