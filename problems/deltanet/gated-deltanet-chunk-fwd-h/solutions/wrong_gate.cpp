// expect: wrong_result
// Decays the contribution of a token from the start of the chunk instead of from the token.
#include <algorithm>
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 4> k, Tensor<const float, 4> w, Tensor<const float, 4> u,
                   Tensor<const float, 3> g, Tensor<const float, 4> initial, Tensor<float, 5> h, Tensor<float, 4> x,
                   Tensor<float, 4> last)
{
    const std::int64_t dim_k = h.size(3), dim_v = h.size(4);
    for (std::int64_t b = 0; b < h.size(0); b++)
        for (std::int64_t d = 0; d < h.size(2); d++)
            for (std::int64_t column = 0; column < dim_v; column++) {
                // `last` holds the state for the next chunk.
                for (std::int64_t row = 0; row < dim_k; row++)
                    last(b, d, row, column) = initial(b, d, row, column);
                for (std::int64_t n = 0; n < h.size(1); n++) {
                    const std::int64_t start = 64 * n, stop = std::min(start + 64, k.size(1));
                    const float end = g(b, stop - 1, d);
                    for (std::int64_t row = 0; row < dim_k; row++) {
                        h(b, n, d, row, column) = last(b, d, row, column);
                        last(b, d, row, column) *= std::exp(end);
                    }
                    for (std::int64_t t = start; t < stop; t++) {
                        float added = u(b, t, d, column);
                        for (std::int64_t row = 0; row < dim_k; row++)
                            added -= w(b, t, d, row) * h(b, n, d, row, column);
                        x(b, t, d, column) = added;
                        const float gate = std::exp(end);
                        for (std::int64_t row = 0; row < dim_k; row++)
                            last(b, d, row, column) += gate * k(b, t, d, row) * added;
                    }
                }
            }
}
