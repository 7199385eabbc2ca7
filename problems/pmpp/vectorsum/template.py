"""vectorsum: write the sum of x to y[0]. The inputs change with every call."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, y = data
    y[0] = x.sum()
    return y
