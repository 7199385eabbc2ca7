// nvfp4-gemv: write alpha times the product of each matrix and its vector to c. The inputs change with every call.
#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t, 3> a, Tensor<const std::uint8_t, 3> a_scales,
                   Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2> b_scales,
                   Tensor<const float> alpha, Tensor<half, 2> c)
{
    for (std::int64_t g = 0; g < c.size(0); g++)
        for (std::int64_t i = 0; i < c.size(1); i++) {
            float total = 0;
            for (std::int64_t block = 0; block < b_scales.size(1); block++) {
                float sum = 0;
                for (std::int64_t byte = 8 * block; byte < 8 * block + 8; byte++) {
                    const unsigned x = a(g, i, byte), y = b(g, byte);
                    sum += formats::e2m1(x) * formats::e2m1(y) + formats::e2m1(x >> 4) * formats::e2m1(y >> 4);
                }
                total += formats::e4m3fn(a_scales(g, i, block)) * formats::e4m3fn(b_scales(g, block)) * sum;
            }
            c(g, i) = half(alpha[g] * total);
        }
}
