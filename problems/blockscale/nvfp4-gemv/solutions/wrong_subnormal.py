# expect: wrong_result
"""Decodes the subnormal code 1 (0.5) as 0."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def flushed(packed: torch.Tensor) -> torch.Tensor:
    low, high = packed & 0x0F, packed >> 4
    return (low * (low & 7 != 1)) | ((high * (high & 7 != 1)) << 4)


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    vectors = dequantize_nvfp4(flushed(b), b_scales).unsqueeze(-1)
    return c.copy_(torch.bmm(dequantize_nvfp4(flushed(a), a_scales), vectors).squeeze(-1) * alpha.unsqueeze(-1))
