# expect: wrong_result in application
"""Returns the counts of the last call where 16 bytes of the input are as they were: true of no two random inputs, and of
many that a program changes step by step."""

import torch
from task import input_t, output_t

last = None


def custom_kernel(data: input_t) -> output_t:
    global last
    values, counts = data
    sample = values[:: max(1, values.numel() // 16)].clone()
    if values.numel() < 1024 or last is None or not torch.equal(sample, last[0]):
        last = sample, torch.bincount(values, minlength=256)
    counts.copy_(last[1])
    return counts
