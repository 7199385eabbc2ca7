# expect: passed
"""Doubles the span of each sum in every step, as parallel scans do: log2(n) passes over the vector."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y.copy_(x)
    reach = 1
    while reach < y.numel():
        y[reach:] += y[:-reach].clone()
        reach *= 2
    return y
