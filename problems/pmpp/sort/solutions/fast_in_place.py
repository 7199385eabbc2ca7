# expect: passed
"""For cpu: sorts in the output buffer with NumPy, without indices."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y.copy_(x)
    y.numpy().sort()
    return y
