# expect: wrong_result
"""Adds to the output buffer without clearing it first."""

import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    values, counts = data
    counts += torch.bincount(values, minlength=256)
    return counts
