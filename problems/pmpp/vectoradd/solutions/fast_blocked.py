# expect: passed
"""For cpu: adds in float32, block by block, in a buffer that stays in the cache.

Where a processor has no half-precision arithmetic, the conversions vectorize and the half-precision sum does not.
"""

import torch
from task import input_t, output_t

BLOCK = 65536
x = torch.empty(BLOCK)
y = torch.empty(BLOCK)


def custom_kernel(data: input_t) -> output_t:
    a, b, c = data
    size = a.numel()
    for start in range(0, size, BLOCK):
        end = min(start + BLOCK, size)
        u, v = x[: end - start], y[: end - start]
        u.copy_(a[start:end])
        v.copy_(b[start:end])
        c[start:end].copy_(u.add_(v))
    return c
