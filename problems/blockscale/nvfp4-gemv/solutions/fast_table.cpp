// expect: passed
// Decodes each vector once into low and high halves, so that rows need no decoded copy.
#include <vector>

#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t, 3> a, Tensor<const std::uint8_t, 3> a_scales,
                   Tensor<const std::uint8_t, 2> b, Tensor<const std::uint8_t, 2> b_scales,
                   Tensor<const float> alpha, Tensor<half, 2> c)
{
    float scale_of[256], value_of[16];
    for (int code = 0; code < 256; code++)
        scale_of[code] = formats::e4m3fn(code);
    for (int code = 0; code < 16; code++)
        value_of[code] = formats::e2m1(code);
    const std::int64_t bytes = b.size(1), blocks = b_scales.size(1);
    std::vector<float> low(bytes), high(bytes);
    for (std::int64_t g = 0; g < c.size(0); g++) {
        for (std::int64_t byte = 0; byte < bytes; byte++) {
            const float scale = scale_of[b_scales(g, byte / 8)];
            low[byte] = value_of[b(g, byte) & 15] * scale;
            high[byte] = value_of[b(g, byte) >> 4] * scale;
        }
        for (std::int64_t i = 0; i < c.size(1); i++) {
            const std::uint8_t *row = &a(g, i, 0), *scales = &a_scales(g, i, 0);
            float total = 0;
            for (std::int64_t block = 0; block < blocks; block++) {
                float sums[8];
                for (int lane = 0; lane < 8; lane++) {
                    const std::int64_t byte = 8 * block + lane;
                    sums[lane] = value_of[row[byte] & 15] * low[byte] + value_of[row[byte] >> 4] * high[byte];
                }
                float sum = 0;
                for (float part : sums)
                    sum += part;
                total += scale_of[scales[block]] * sum;
            }
            c(g, i) = half(alpha[g] * total);
        }
    }
}
