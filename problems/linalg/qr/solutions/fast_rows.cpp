// expect: passed
// Reflections from the left of R and of Q^T, which run along rows and so vectorise; Q^T is transposed at the end.
#include <algorithm>
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::Tensor;

static void add(float *__restrict__ to, const float *__restrict__ row, float weight, std::int64_t size)
{
    for (std::int64_t c = 0; c < size; c++)
        to[c] += weight * row[c];
}

// x -= v v^T x, for the columns of x from `from` on, and the elements of v from j on.
static void reflect(float *x, const std::vector<float> &v, std::vector<float> &sums, std::int64_t j, std::int64_t from)
{
    const std::int64_t n = v.size();
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::int64_t i = j; i < n; i++)
        add(sums.data() + from, x + i * n + from, v[i], n - from);
    for (std::int64_t i = j; i < n; i++)
        add(x + i * n + from, sums.data() + from, -v[i], n - from);
}

void custom_kernel(Tensor<const float, 3> a, Tensor<float, 3> q, Tensor<float, 3> r)
{
    const std::int64_t n = a.size(1);
    std::vector<float> v(n), sums(n);
    for (std::int64_t b = 0; b < a.size(0); b++) {
        float *x = &r(b, 0, 0), *y = &q(b, 0, 0);
        std::copy(&a(b, 0, 0), &a(b, 0, 0) + n * n, x);
        std::fill(y, y + n * n, 0.0f);
        for (std::int64_t i = 0; i < n; i++)
            y[i * n + i] = 1;
        for (std::int64_t j = 0; j + 1 < n; j++) {
            float norm = 0, length = 0;
            for (std::int64_t i = j; i < n; i++)
                norm += x[i * n + j] * x[i * n + j];
            norm = std::sqrt(norm);
            for (std::int64_t i = j; i < n; i++) {
                v[i] = x[i * n + j] + (i > j ? 0 : x[j * n + j] < 0 ? -norm : norm);
                length += v[i] * v[i];
            }
            const float scale = std::sqrt(2 / std::max(length, 1e-30f));
            for (std::int64_t i = j; i < n; i++)
                v[i] *= scale;
            reflect(x, v, sums, j, j);
            for (std::int64_t i = j + 1; i < n; i++)
                x[i * n + j] = 0;
            reflect(y, v, sums, j, 0);
        }
        for (std::int64_t i = 0; i < n; i++)
            for (std::int64_t j = i + 1; j < n; j++)
                std::swap(y[i * n + j], y[j * n + i]);
    }
}
