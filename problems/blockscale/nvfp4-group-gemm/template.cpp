// nvfp4-group-gemm: write the product of each group's matrices to its rows of c. The inputs change with every call.
#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t, 2> a, Tensor<const std::uint8_t, 2> a_scales,
                   Tensor<const std::uint8_t, 3> b, Tensor<const std::uint8_t, 3> b_scales,
                   Tensor<const float> alpha, const std::vector<std::int64_t> &m, Tensor<half, 2> c)
{
    std::int64_t i = 0;
    for (std::size_t g = 0; g < m.size(); g++)
        for (const std::int64_t end = i + m[g]; i < end; i++)
            for (std::int64_t j = 0; j < c.size(1); j++) {
                float total = 0;
                for (std::int64_t block = 0; block < a_scales.size(1); block++) {
                    float sum = 0;
                    for (std::int64_t byte = 8 * block; byte < 8 * block + 8; byte++) {
                        const unsigned x = a(i, byte), y = b(g, j, byte);
                        sum += formats::e2m1(x) * formats::e2m1(y) + formats::e2m1(x >> 4) * formats::e2m1(y >> 4);
                    }
                    total += formats::e4m3fn(a_scales(i, block)) * formats::e4m3fn(b_scales(g, j, block)) * sum;
                }
                c(i, j) = half(alpha[g] * total);
            }
}
