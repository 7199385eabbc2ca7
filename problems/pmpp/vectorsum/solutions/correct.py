# expect: passed
"""Adds the second half to the first until one element remains."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    while x.numel() > 1:
        half = (x.numel() + 1) // 2
        sums = x[:half].clone()
        sums[: x.numel() - half] += x[half:]
        x = sums
    return y.copy_(x)
