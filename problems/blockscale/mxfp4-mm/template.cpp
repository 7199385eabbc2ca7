// mxfp4-mm: write the product of a, brought to MXFP4, and the transpose of b to c. The inputs change with every call.
#include <algorithm>
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;

// A block of 32 elements in MXFP4.
static void quantise(const bfloat16 *a, float *quantised)
{
    float largest = 0;
    for (int l = 0; l < 32; l++)
        largest = std::max(largest, std::fabs(float(a[l])));
    int exponent; // largest is at least 2 ^ (exponent - 1), and less than 2 ^ exponent
    std::frexp(largest, &exponent);
    const float scale = std::ldexp(1.0f, exponent - 3);
    for (int l = 0; l < 32; l++)
        quantised[l] = formats::e2m1(formats::to_e2m1(a[l] / scale)) * scale;
}

void custom_kernel(Tensor<const bfloat16, 2> a, Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2> b_scales,
                   Tensor<bfloat16, 2> c)
{
    std::vector<float> row(a.size(1));
    for (std::int64_t i = 0; i < c.size(0); i++) {
        for (std::int64_t l = 0; l < a.size(1); l += 32)
            quantise(&a(i, l), &row[l]);
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float total = 0;
            for (std::int64_t byte = 0; byte < b.size(1); byte++) {
                const unsigned pair = b(j, byte);
                const float sum = row[2 * byte] * formats::e2m1(pair) + row[2 * byte + 1] * formats::e2m1(pair >> 4);
                total += formats::e8m0(b_scales(j, byte / 16)) * sum;
            }
            c(i, j) = bfloat16(total);
        }
    }
}
