// expect: passed
// Computes the upper factor row by row: its updates run along rows, which vectorises.
#include <algorithm>
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

static void subtract(float *__restrict__ from, const float *__restrict__ row, float weight, std::int64_t size)
{
    for (std::int64_t c = 0; c < size; c++)
        from[c] -= weight * row[c];
}

void custom_kernel(Tensor<const float, 3> a, Tensor<float, 3> l)
{
    const std::int64_t n = a.size(1);
    for (std::int64_t b = 0; b < a.size(0); b++) {
        float *u = &l(b, 0, 0);
        for (std::int64_t i = 0; i < n; i++)
            std::copy(&a(b, i, i), &a(b, i, 0) + n, u + i * n + i);
        for (std::int64_t k = 0; k < n; k++) {
            float *row = u + k * n;
            const float root = std::sqrt(row[k]);
            for (std::int64_t c = k; c < n; c++)
                row[c] /= root;
            for (std::int64_t i = k + 1; i < n; i++)
                subtract(u + i * n + i, row + i, row[i], n - i);
        }
        for (std::int64_t i = 0; i < n; i++)
            for (std::int64_t j = i + 1; j < n; j++) {
                u[j * n + i] = u[i * n + j];
                u[i * n + j] = 0;
            }
    }
}
