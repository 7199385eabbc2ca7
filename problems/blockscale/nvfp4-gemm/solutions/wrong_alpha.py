# expect: wrong_result
"""Caches alpha from the first call."""

from typing import List

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4

kept: List[torch.Tensor] = []


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    kept.append(alpha.clone())
    return c.copy_(dequantize_nvfp4(a, a_scales) @ dequantize_nvfp4(b, b_scales).t() * kept[0])
