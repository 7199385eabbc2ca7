// expect: passed
// Decodes the rows of b once, and adds products in float.
#include <algorithm>
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;

static void quantise(const bfloat16 *a, float *quantised)
{
    float largest = 0;
    for (int l = 0; l < 32; l++)
        largest = std::max(largest, std::fabs(float(a[l])));
    int exponent;
    std::frexp(largest, &exponent);
    const float scale = std::ldexp(1.0f, exponent - 3), inverse = 1 / scale;
    for (int l = 0; l < 32; l++)
        quantised[l] = formats::e2m1(formats::to_e2m1(a[l] * inverse)) * scale;
}

void custom_kernel(Tensor<const bfloat16, 2> a, Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2> b_scales,
                   Tensor<bfloat16, 2> c)
{
    const std::int64_t m = c.size(0), n = c.size(1), k = a.size(1);
    std::vector<float> x(m * k), y(k);
    for (std::int64_t l = 0; l < m * k; l += 32)
        quantise(a.data() + l, &x[l]);
    for (std::int64_t j = 0; j < n; j++) {
        for (std::int64_t byte = 0; byte < k / 2; byte++) {
            const float scale = formats::e8m0(b_scales(j, byte / 16));
            y[2 * byte] = formats::e2m1(b(j, byte)) * scale;
            y[2 * byte + 1] = formats::e2m1(b(j, byte) >> 4) * scale;
        }
        for (std::int64_t i = 0; i < m; i++) {
            const float *left = &x[i * k];
            float sums[32] = {}, total = 0;
            for (std::int64_t l = 0; l < k; l += 32)
                for (int lane = 0; lane < 32; lane++)
                    sums[lane] += left[l + lane] * y[l + lane];
            for (float sum : sums)
                total += sum;
            c(i, j) = bfloat16(total);
        }
    }
}
