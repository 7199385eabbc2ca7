// expect: wrong_result
// Uses the scales of a for b as well.
#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t, 2> a, Tensor<const std::uint8_t, 2> a_scales,
                   Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2>, Tensor<const float> alpha,
                   Tensor<half, 2> c)
{
    for (std::int64_t i = 0; i < c.size(0); i++)
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float total = 0;
            for (std::int64_t byte = 0; byte < a.size(1); byte++) {
                const float scale = formats::e4m3fn(a_scales(i, byte / 8));
                const unsigned x = a(i, byte), y = b(j, byte);
                const float sum = formats::e2m1(x) * formats::e2m1(y) + formats::e2m1(x >> 4) * formats::e2m1(y >> 4);
                total += scale * scale * sum;
            }
            c(i, j) = half(alpha[0] * total);
        }
}
