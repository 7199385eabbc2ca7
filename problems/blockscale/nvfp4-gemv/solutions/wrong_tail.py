# expect: wrong_result
"""Sums only whole chunks of 256 elements; the remainder of a row is dropped."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, c = data
    matrices, vectors = dequantize_nvfp4(a, a_scales), dequantize_nvfp4(b, b_scales)
    end = vectors.shape[1] // 256 * 256
    return c.copy_((matrices[..., :end] * vectors[:, None, :end]).sum(-1) * alpha.unsqueeze(-1))
