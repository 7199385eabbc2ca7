// expect: wrong_result
// Returns the transpose of Q.
#include <algorithm>
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 3> a, Tensor<float, 3> q, Tensor<float, 3> r)
{
    const std::int64_t n = a.size(1);
    std::vector<float> v(n);
    for (std::int64_t b = 0; b < a.size(0); b++) {
        for (std::int64_t i = 0; i < n; i++)
            for (std::int64_t j = 0; j < n; j++) {
                r(b, i, j) = a(b, i, j);
                q(b, i, j) = i == j;
            }
        for (std::int64_t j = 0; j + 1 < n; j++) {
            // v = x + sign(x[j]) |x| e[j], of length sqrt(2), so that the reflection is I - v v^T.
            float norm = 0, length = 0;
            for (std::int64_t i = j; i < n; i++)
                norm += r(b, i, j) * r(b, i, j);
            norm = std::sqrt(norm);
            for (std::int64_t i = j; i < n; i++) {
                v[i] = r(b, i, j) + (i > j ? 0 : r(b, j, j) < 0 ? -norm : norm);
                length += v[i] * v[i];
            }
            for (std::int64_t i = j; i < n; i++)
                v[i] *= std::sqrt(2 / std::max(length, 1e-30f));
            for (std::int64_t column = j; column < n; column++) {
                float sum = 0;
                for (std::int64_t i = j; i < n; i++)
                    sum += v[i] * r(b, i, column);
                for (std::int64_t i = j; i < n; i++)
                    r(b, i, column) -= sum * v[i];
            }
            for (std::int64_t i = j + 1; i < n; i++)
                r(b, i, j) = 0;
            for (std::int64_t row = 0; row < n; row++) {
                float sum = 0;
                for (std::int64_t i = j; i < n; i++)
                    sum += v[i] * q(b, i, row);
                for (std::int64_t i = j; i < n; i++)
                    q(b, i, row) -= sum * v[i];
            }
        }
    }
}
