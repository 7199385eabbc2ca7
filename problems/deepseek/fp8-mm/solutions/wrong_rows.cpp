// expect: wrong_result
// Reads the scales of b as scales of single rows, as those of a are.
#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t, 2> a, Tensor<const float, 2> a_scales, Tensor<const std::uint8_t, 2> b,
                   Tensor<const float, 2> b_scales, Tensor<bfloat16, 2> c)
{
    for (std::int64_t i = 0; i < c.size(0); i++)
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float total = 0;
            for (std::int64_t block = 0; block < a_scales.size(1); block++) {
                float sum = 0;
                for (std::int64_t l = 128 * block; l < 128 * block + 128; l++)
                    sum += formats::e4m3fn(a(i, l)) * formats::e4m3fn(b(j, l));
                total += a_scales(i, block) * b_scales(j % b_scales.size(0), block) * sum;
            }
            c(i, j) = bfloat16(total);
        }
}
