// expect: wrong_result
// Uses the scales of the first matrix for the second as well.
#include <cmath>

#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;
using Codes = Tensor<const std::uint8_t, 2>;

static float product(Codes a, Codes a_scales, Codes b, Codes b_scales, std::int64_t i, std::int64_t j)
{
    float total = 0;
    for (std::int64_t byte = 0; byte < a.size(1); byte++) {
        const unsigned x = a(i, byte), y = b(j, byte);
        const float sum = formats::e2m1(x) * formats::e2m1(y) + formats::e2m1(x >> 4) * formats::e2m1(y >> 4);
        total += formats::e4m3fn(a_scales(i, byte / 8)) * formats::e4m3fn(b_scales(j, byte / 8)) * sum;
    }
    return total;
}

void custom_kernel(Codes a, Codes a_scales, Codes b1, Codes b1_scales, Codes b2, Codes, Tensor<const float> alpha,
                   Tensor<half, 2> c)
{
    for (std::int64_t i = 0; i < c.size(0); i++)
        for (std::int64_t j = 0; j < c.size(1); j++) {
            const float gate = alpha[0] * product(a, a_scales, b1, b1_scales, i, j);
            const float up = alpha[1] * product(a, a_scales, b2, b1_scales, i, j);
            c(i, j) = half(gate / (1 + std::exp(-gate)) * up);
        }
}
