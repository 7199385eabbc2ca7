// expect: passed
// Decodes all matrices once, the right ones column by column, and sums blocks of 4 rows by 32 columns in registers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;
using Codes = Tensor<const std::uint8_t, 2>;

constexpr std::int64_t ROWS = 4, COLUMNS = 32;

// Element l of row i is at i * row + l * column.
static void decode(Codes codes, Codes scales, float *elements, std::int64_t row, std::int64_t column)
{
    for (std::int64_t i = 0; i < codes.size(0); i++)
        for (std::int64_t byte = 0; byte < codes.size(1); byte++) {
            const float scale = formats::e4m3fn(scales(i, byte / 8));
            const unsigned pair = codes(i, byte);
            elements[i * row + 2 * byte * column] = formats::e2m1(pair) * scale;
            elements[i * row + (2 * byte + 1) * column] = formats::e2m1(pair >> 4) * scale;
        }
}

static void block(const float *x, const float *y, float (&sums)[ROWS][COLUMNS], std::int64_t k, std::int64_t width)
{
    float totals[ROWS][COLUMNS] = {};
    for (std::int64_t l = 0; l < k; l++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                totals[i][j] += x[i * k + l] * y[l * width + j];
    std::copy(&totals[0][0], &totals[0][0] + ROWS * COLUMNS, &sums[0][0]);
}

void custom_kernel(Codes a, Codes a_scales, Codes b1, Codes b1_scales, Codes b2, Codes b2_scales,
                   Tensor<const float> alpha, Tensor<half, 2> c)
{
    const std::int64_t m = c.size(0), n = c.size(1), k = 2 * a.size(1);
    // Zeros pad the last blocks.
    const std::int64_t height = (m + ROWS - 1) / ROWS * ROWS, width = (n + COLUMNS - 1) / COLUMNS * COLUMNS;
    std::vector<float> x(height * k), y1(k * width), y2(k * width);
    decode(a, a_scales, x.data(), k, 1);
    decode(b1, b1_scales, y1.data(), 1, width);
    decode(b2, b2_scales, y2.data(), 1, width);
    for (std::int64_t i = 0; i < m; i += ROWS)
        for (std::int64_t j = 0; j < n; j += COLUMNS) {
            float gates[ROWS][COLUMNS], ups[ROWS][COLUMNS];
            block(&x[i * k], &y1[j], gates, k, width);
            block(&x[i * k], &y2[j], ups, k, width);
            for (std::int64_t row = 0; row < std::min(ROWS, m - i); row++)
                for (std::int64_t column = 0; column < std::min(COLUMNS, n - j); column++) {
                    const float gate = alpha[0] * gates[row][column];
                    c(i + row, j + column) = half(gate / (1 + std::exp(-gate)) * alpha[1] * ups[row][column]);
                }
        }
}
