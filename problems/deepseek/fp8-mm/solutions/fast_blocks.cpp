// expect: passed
// Decodes a, and b column by column, then sums blocks of 4 rows by 32 columns in registers. Missing rows and columns
// are zero.
#include <algorithm>
#include <array>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;

constexpr std::int64_t ROWS = 4, COLUMNS = 32;

static const std::array<float, 256> VALUES = [] {
    std::array<float, 256> values;
    for (int code = 0; code < 256; code++)
        values[code] = formats::e4m3fn(code);
    return values;
}();

static std::int64_t rounded_up(std::int64_t size, std::int64_t step) { return (size + step - 1) / step * step; }

static void block(const float *a, const float *b, float (&sums)[ROWS][COLUMNS], std::int64_t k, std::int64_t n)
{
    float inner[ROWS][COLUMNS] = {};
    for (std::int64_t l = 0; l < k; l++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                inner[i][j] += a[i * k + l] * b[l * n + j];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sums[i][j] = inner[i][j];
}

void custom_kernel(Tensor<const std::uint8_t, 2> a, Tensor<const float, 2> a_scales, Tensor<const std::uint8_t, 2> b,
                   Tensor<const float, 2> b_scales, Tensor<bfloat16, 2> c)
{
    const std::int64_t m = c.size(0), n = c.size(1), k = a.size(1), width = rounded_up(n, COLUMNS);
    static std::vector<float> x, y;
    x.assign(rounded_up(m, ROWS) * k, 0);
    y.assign(k * width, 0);
    for (std::int64_t i = 0; i < m; i++)
        for (std::int64_t l = 0; l < k; l++)
            x[i * k + l] = VALUES[a(i, l)] * a_scales(i, l / 128);
    for (std::int64_t l = 0; l < k; l++)
        for (std::int64_t j = 0; j < n; j++)
            y[l * width + j] = VALUES[b(j, l)] * b_scales(j / 128, l / 128);
    float sums[ROWS][COLUMNS];
    for (std::int64_t j = 0; j < n; j += COLUMNS)
        for (std::int64_t i = 0; i < m; i += ROWS) {
            block(x.data() + i * k, y.data() + j, sums, k, width);
            for (std::int64_t p = i; p < std::min(m, i + ROWS); p++)
                for (std::int64_t q = j; q < std::min(n, j + COLUMNS); q++)
                    c(p, q) = bfloat16(sums[p - i][q - j]);
        }
}
