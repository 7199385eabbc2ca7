"""matmul: write the matrix product of a and b to c. The inputs change with every call."""

from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    c.copy_(a @ b)
    return c
