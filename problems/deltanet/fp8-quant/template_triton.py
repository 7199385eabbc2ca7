"""fp8-quant in Triton: a program quantises one group. The inputs change with every call."""

import triton
import triton.language as tl
from task import input_t, output_t


@triton.jit
def quantise(x, q, s, GROUP: tl.constexpr):
    group = tl.program_id(0).to(tl.int64)
    places = group * GROUP + tl.arange(0, GROUP)
    numbers = tl.load(x + places)
    scale = tl.max(tl.abs(numbers), axis=0) / 448.0
    ratios = numbers / scale
    bits = ratios.to(tl.int32, bitcast=True)
    magnitude = bits & 0x7FFFFFFF
    # Keep 3 bits of the mantissa, rounded to even, and count exponents from 2^-7, whose code would be 0.
    normal = ((magnitude + 0x7FFFF + ((magnitude >> 20) & 1)) >> 20) - (120 << 3)
    # Below 2^-6 the format has steps of 2^-9, as float32 has above 2^14: adding that rounds.
    small = (tl.abs(ratios) + 16384.0).to(tl.int32, bitcast=True) - 0x46800000
    codes = tl.where(magnitude < 0x3C800000, small, normal) | ((bits >> 24) & 0x80)
    tl.store(q + places, codes.to(tl.uint8))
    tl.store(s + group, scale)


def custom_kernel(data: input_t) -> output_t:
    x, q, s = data
    quantise[(s.numel(),)](x, q, s, GROUP=x.numel() // s.numel())
    return q, s
