// expect: wrong_result
// Omits the first token of the chunk.
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 4> q, Tensor<const float, 4> k, Tensor<const float, 4> x,
                   Tensor<const float, 5> h, Tensor<const float, 3> g, Tensor<float, 4> o)
{
    const std::int64_t dim_k = q.size(3), dim_v = x.size(3);
    for (std::int64_t b = 0; b < q.size(0); b++)
        for (std::int64_t t = 0; t < q.size(1); t++)
            for (std::int64_t d = 0; d < q.size(2); d++) {
                for (std::int64_t column = 0; column < dim_v; column++) {
                    float sum = 0;
                    for (std::int64_t row = 0; row < dim_k; row++)
                        sum += q(b, t, d, row) * h(b, t / 64, d, row, column);
                    o(b, t, d, column) = std::exp(g(b, t, d)) * sum;
                }
                for (std::int64_t i = t / 64 * 64 + 1; i <= t; i++) {
                    float score = 0;
                    for (std::int64_t row = 0; row < dim_k; row++)
                        score += q(b, t, d, row) * k(b, i, d, row);
                    score *= std::exp(g(b, t, d) - g(b, i, d));
                    for (std::int64_t column = 0; column < dim_v; column++)
                        o(b, t, d, column) += score * x(b, i, d, column);
                }
            }
}
