"""vectoradd: write a + b to c. The inputs change with every call, so nothing can be kept from one call to the next."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    c.copy_(a + b)
    return c
