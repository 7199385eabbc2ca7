# expect: passed
"""Multiplies all rows by the matrices of all groups, and selects the results of each row's own group."""

import torch
from task import input_t, output_t
from utils import dequantize_nvfp4


def custom_kernel(data: input_t) -> output_t:
    a, a_scales, b, b_scales, alpha, m, c = data
    all_products = dequantize_nvfp4(a, a_scales) @ dequantize_nvfp4(b, b_scales).transpose(1, 2)
    group = torch.arange(len(m)).repeat_interleave(torch.tensor(m))
    return c.copy_(all_products[group, torch.arange(sum(m))] * alpha[group].unsqueeze(-1))
