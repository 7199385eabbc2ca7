# expect: passed
"""Adds in float64 and rounds to float16 when the result is stored: right, but it moves far more bytes than it must."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    c.copy_(a.double() + b.double())
    return c
