// expect: passed
// Sums blocks of 4 rows by 32 columns in registers, and the remainder row by row.
#include <algorithm>

#include "task.h"

using kernelbot::Tensor;

constexpr int ROWS = 4, COLUMNS = 32;

static void block(const float *a, const float *b, float *c, std::int64_t k, std::int64_t n)
{
    float sums[ROWS][COLUMNS] = {};
    for (std::int64_t l = 0; l < k; l++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                sums[i][j] += a[i * k + l] * b[l * n + j];
    for (int i = 0; i < ROWS; i++)
        std::copy(sums[i], sums[i] + COLUMNS, c + i * n);
}

static void row(const float *a, const float *b, float *c, std::int64_t k, std::int64_t n, std::int64_t columns)
{
    std::fill(c, c + columns, 0.0f);
    for (std::int64_t l = 0; l < k; l++)
        for (std::int64_t j = 0; j < columns; j++)
            c[j] += a[l] * b[l * n + j];
}

void custom_kernel(Tensor<const float, 2> a, Tensor<const float, 2> b, Tensor<float, 2> c)
{
    const std::int64_t m = c.size(0), n = c.size(1), k = a.size(1);
    for (std::int64_t j = 0; j < n; j += COLUMNS) {
        const std::int64_t columns = std::min<std::int64_t>(COLUMNS, n - j);
        std::int64_t i = 0;
        for (; columns == COLUMNS && i + ROWS <= m; i += ROWS)
            block(a.data() + i * k, b.data() + j, c.data() + i * n + j, k, n);
        for (; i < m; i++)
            row(a.data() + i * k, b.data() + j, c.data() + i * n + j, k, n, columns);
    }
}
