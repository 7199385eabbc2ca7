// expect: passed
// Decodes b once and each row of a once, by a table, then adds products of floats, 32 side by side.
#include <array>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;

static const std::array<float, 256> VALUES = [] {
    std::array<float, 256> values;
    for (int code = 0; code < 256; code++)
        values[code] = formats::e4m3fn(code);
    return values;
}();

static void decode(const std::uint8_t *codes, const float *scales, float *row, std::int64_t k)
{
    for (std::int64_t l = 0; l < k; l++)
        row[l] = VALUES[codes[l]] * scales[l / 128];
}

void custom_kernel(Tensor<const std::uint8_t, 2> a, Tensor<const float, 2> a_scales, Tensor<const std::uint8_t, 2> b,
                   Tensor<const float, 2> b_scales, Tensor<bfloat16, 2> c)
{
    const std::int64_t m = c.size(0), n = c.size(1), k = a.size(1);
    static std::vector<float> x, y;
    x.resize(k);
    y.resize(n * k);
    for (std::int64_t j = 0; j < n; j++)
        decode(&b(j, 0), &b_scales(j / 128, 0), y.data() + j * k, k);
    for (std::int64_t i = 0; i < m; i++) {
        decode(&a(i, 0), &a_scales(i, 0), x.data(), k);
        for (std::int64_t j = 0; j < n; j++) {
            const float *right = y.data() + j * k;
            float sums[32] = {}, total = 0;
            for (std::int64_t l = 0; l < k; l += 32)
                for (int lane = 0; lane < 32; lane++)
                    sums[lane] += x[l + lane] * right[l + lane];
            for (float sum : sums)
                total += sum;
            c(i, j) = bfloat16(total);
        }
    }
}
