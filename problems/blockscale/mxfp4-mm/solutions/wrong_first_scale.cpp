// expect: wrong_result
// Computes the scale of the first block of a row, and uses it for the whole row.
#include <algorithm>
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;

void custom_kernel(Tensor<const bfloat16, 2> a, Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2> b_scales,
                   Tensor<bfloat16, 2> c)
{
    for (std::int64_t i = 0; i < c.size(0); i++) {
        float largest = 0;
        for (std::int64_t l = 0; l < 32; l++)
            largest = std::max(largest, std::fabs(float(a(i, l))));
        int exponent;
        std::frexp(largest, &exponent);
        const float scale = std::ldexp(1.0f, exponent - 3);
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float total = 0;
            for (std::int64_t l = 0; l < a.size(1); l++) {
                const float quantised = formats::e2m1(formats::to_e2m1(a(i, l) / scale)) * scale;
                total += quantised * formats::e2m1(b(j, l / 2) >> (l % 2 * 4)) * formats::e8m0(b_scales(j, l / 32));
            }
            c(i, j) = bfloat16(total);
        }
    }
}
