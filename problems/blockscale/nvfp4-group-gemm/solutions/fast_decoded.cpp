// expect: passed
// Decodes the matrix of a group once and each row of a when it is used, and adds products in float.
#include <vector>

#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

static void decode(const std::uint8_t *codes, const std::uint8_t *scales, float *row, std::int64_t blocks)
{
    for (std::int64_t block = 0; block < blocks; block++) {
        const float scale = formats::e4m3fn(scales[block]);
        for (std::int64_t byte = 8 * block; byte < 8 * block + 8; byte++) {
            row[2 * byte] = formats::e2m1(codes[byte]) * scale;
            row[2 * byte + 1] = formats::e2m1(codes[byte] >> 4) * scale;
        }
    }
}

void custom_kernel(Tensor<const std::uint8_t, 2> a, Tensor<const std::uint8_t, 2> a_scales,
                   Tensor<const std::uint8_t, 3> b, Tensor<const std::uint8_t, 3> b_scales,
                   Tensor<const float> alpha, const std::vector<std::int64_t> &m, Tensor<half, 2> c)
{
    const std::int64_t n = c.size(1), blocks = a_scales.size(1), k = 16 * blocks;
    std::vector<float> x(k), y(n * k);
    std::int64_t i = 0;
    for (std::size_t g = 0; g < m.size(); g++) {
        for (std::int64_t j = 0; j < n; j++)
            decode(&b(g, j, 0), &b_scales(g, j, 0), y.data() + j * k, blocks);
        for (const std::int64_t end = i + m[g]; i < end; i++) {
            decode(&a(i, 0), &a_scales(i, 0), x.data(), blocks);
            for (std::int64_t j = 0; j < n; j++) {
                const float *right = y.data() + j * k;
                float sums[32] = {}, total = 0;
                for (std::int64_t l = 0; l < k; l += 32)
                    for (int lane = 0; lane < 32; lane++)
                        sums[lane] += x[l + lane] * right[l + lane];
                for (float sum : sums)
                    total += sum;
                c(i, j) = half(alpha[g] * total);
            }
        }
    }
}
