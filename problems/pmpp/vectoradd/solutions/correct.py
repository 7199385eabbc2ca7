# expect: passed
"""For cpu: adds with NumPy, which converts half-precision numbers one at a time."""

import numpy as np
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    np.add(a.numpy(), b.numpy(), out=c.numpy())
    return c
