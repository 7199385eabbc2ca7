// expect: wrong_result
// Reads the low halves of the bytes as the first half of the row, and the high halves as the second.
#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t, 3> a, Tensor<const std::uint8_t, 3> a_scales,
                   Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2> b_scales,
                   Tensor<const float> alpha, Tensor<half, 2> c)
{
    const std::int64_t bytes = b.size(1);
    for (std::int64_t g = 0; g < c.size(0); g++)
        for (std::int64_t i = 0; i < c.size(1); i++) {
            float total = 0;
            for (std::int64_t x = 0; x < 2 * bytes; x++) {
                const unsigned left = x < bytes ? a(g, i, x) : a(g, i, x - bytes) >> 4;
                const unsigned right = b(g, x / 2) >> (x % 2 * 4);
                total += formats::e2m1(left) * formats::e4m3fn(a_scales(g, i, x / 16)) * formats::e2m1(right) *
                         formats::e4m3fn(b_scales(g, x / 16));
            }
            c(g, i) = half(alpha[g] * total);
        }
}
